"""What `optimal` does with chairs, picks, gaps, bars, beams, boxes, the course, and the impossible.

python -m bench.optimal_tasks                      all families
python -m bench.optimal_tasks chairs bars --seed 1 --share 0.2 -o out/tasks.json

Seconds are those of the processor: `time.perf_counter` is replaced by its clock, so that deadlines
mean the same on a busy machine. Each case is planned for five of them. Even seeds are for tuning,
odd ones for testing.
"""

from __future__ import annotations

import time

time.perf_counter = time.process_time

import argparse  # noqa: E402
import json  # noqa: E402
import math  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402
from dataclasses import asdict, dataclass  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any, NamedTuple  # noqa: E402

import numpy as np  # noqa: E402

from footfall import GoTo, Pick, Place, PutDown, Query, Sit, load_scene, planner  # noqa: E402
from footfall.files.scene.read import parse_scene  # noqa: E402
from footfall.maths.runs import runs  # noqa: E402
from footfall.task import Stage  # noqa: E402

SECONDS, SPEED = 5.0, 1.25
SIT_S, PICK_S, STOP_S = 4.0, 2.5, 1.2
"""Seconds that a person needs beside walking: to turn round and sit, to pick, to start and stop."""
_STILL_M_S, _STOP_S = 0.1, 0.25


class Case(NamedTuple):
    """A task, how long a person takes, how often one stands on the way, whether it can be done."""

    name: str
    query: Callable[[], Query]
    person_s: float
    stops: int = 0
    possible: bool = True


@dataclass
class Row:
    """What became of a case; seconds are of the processor, -1 for never."""

    name: str
    possible: bool
    found: bool
    first_s: float = -1.0
    all_s: float = -1.0
    first_cost: float = -1.0
    cost: float = -1.0
    bound: float = -1.0
    length_s: float = -1.0
    person_s: float = -1.0
    stops: int = 0
    reason: str = ""


Rng = np.random.Generator


def _scene(*tables: tuple[str, dict[str, Any]], length: float = 7.0, half: float = 2.2) -> Any:
    corners = [(-half, 0.0), (half, 0.0), (half, length), (-half, length)]
    lines = ['name = "case"', f"outline = {json.dumps(corners)}"]
    for kind, table in tables:
        lines += ["", f"[[{kind}]]", *(f"{k} = {json.dumps(v)}" for k, v in table.items())]
    return parse_scene("\n".join(lines) + "\n")


def _across(scene: Any, length: float, person_s: float = 0.0, **how: Any) -> Case:
    """Return the case to walk from one end of a scene to the other."""
    query = Query(Place(0.0, 1.1, 0.0), GoTo(0.0, length - 1.1), scene)
    return Case("", lambda: query, (length - 2.2) / SPEED + STOP_S + person_s, **how)


def _chairs(rng: Rng) -> Iterator[Case]:
    for away in (1.5, 2.2, 3.0, 4.0, 6.0):
        for turn in range(0, 360, 15):
            x, z = round(rng.uniform(-0.3, 0.3), 2), 2.5 + away
            yaw = math.radians(turn)
            at = {"kind": "chair", "at": [x, z], "yaw_deg": turn, "name": "chair"}
            scene = _scene(("obstacle", at), length=z + 2.5, half=2.6)
            query = Query(Place(0.0, 2.5, 0.0), Sit(x, z, yaw=yaw, height_m=0.45), scene)
            yield Case(f"{away:g} m {turn}°", lambda q=query: q, away / SPEED + SIT_S)


def _picks(rng: Rng) -> Iterator[Case]:
    for height in (0.15, 0.35, 0.60, 0.85, 1.05, 1.25):
        for turn in range(-180, 180, 45):
            away, yaw = rng.uniform(2.0, 3.5), math.radians(turn)
            at = away * math.sin(yaw), height, away * math.cos(yaw)
            query = Query(Place(0.0, 0.0, 0.0), Pick(*at))
            person = away / SPEED + STOP_S + PICK_S + abs(yaw) / 2.0
            yield Case(f"{height:g} m {turn}°", lambda q=query: q, person, stops=1)


def _gaps(rng: Rng) -> Iterator[Case]:
    for wide in np.arange(0.4, 1.45, 0.1).round(2).tolist():
        wide = round(wide + rng.uniform(-0.03, 0.03), 3)
        hole = {"at": [0.0, 3.5 + 0.5 * wide], "yaw_deg": 0.0, "size": [4.4, wide], "depth": 0.8}
        case = _across(_scene(("hole", hole), length=7.0 + wide), 7.0 + wide, 0.5)
        yield case._replace(name=f"{wide:g} m", possible=wide <= 1.0)


def _bars(rng: Rng) -> Iterator[Case]:
    for high in np.arange(0.9, 1.65, 0.1).round(2).tolist():
        high = round(high + rng.uniform(-0.03, 0.03), 3)
        bar = {"kind": "bar", "at": [0.0, 3.5], "clearance": high, "width": 4.2, "name": "bar"}
        yield _across(_scene(("obstacle", bar)), 7.0, 1.5)._replace(
            name=f"{high:g} m", possible=high >= 1.1
        )


def _beams(rng: Rng) -> Iterator[Case]:
    for wide in (0.12, 0.15, 0.18, 0.24, 0.3):
        long = round(rng.uniform(1.5, 2.6), 2)
        middle = 2.5 + 0.5 * long
        pit = {"at": [0.0, middle], "yaw_deg": 0.0, "size": [4.4, long], "depth": 1.2}
        beam = {"kind": "beam", "at": [0.0, 0.0, middle], "yaw_deg": 0.0, "name": "beam",
                "length": long + 0.9, "width": wide, "height": 0.12}  # fmt: skip
        scene = _scene(("hole", pit), ("obstacle", beam), length=5.0 + long)
        yield _across(scene, 5.0 + long, 1.0)._replace(name=f"{wide:g} m", possible=wide >= 0.15)
    bare = parse_scene(
        'name = "bare"\nsize = [6, 8]\n[[obstacle]]\nkind = "beam"\nat = [0, 0, 4]\nlength = 3\n'
    )
    yield Case("default beam", lambda: Query(Place(0.0, 1.0, 0.0), GoTo(0.0, 7.0), bare), 6.5)


def _boxes(rng: Rng) -> Iterator[Case]:
    for high in (0.1, 0.2, 0.3, 0.4, 0.5):
        deep = round(rng.uniform(0.2, 0.9), 2)
        box = {"kind": "platform", "at": [0.0, 3.5], "name": "box", "size": [4.4, high, deep]}
        yield _across(_scene(("obstacle", box)), 7.0, 1.0)._replace(
            name=f"{high:g} m, {deep:g} m deep", possible=high <= 0.4
        )


def _course(rng: Rng) -> Iterator[Case]:
    def course(*stages: Stage) -> Query:
        return Query(Place(0.0, -8.0, 0.0), stages, load_scene("course"))

    yield Case("to the chair's front", lambda: course(GoTo(0.0, 6.2)), 14.0)
    yield Case("onto the chair", lambda: course(Sit(0.0, 7.4)), 17.0)


def _mixed(rng: Rng) -> Iterator[Case]:
    def go(*stages: Stage) -> Callable[[], Query]:
        return lambda: Query(Place(0.0, 0.0, 0.0), stages)

    yield Case("1 m sideways", go(GoTo(1.0, 0.0, 0.0)), 2.5)
    yield Case("1 m ahead", go(GoTo(0.0, 1.0, 0.0)), 2.0)
    yield Case("4 m ahead", go(GoTo(0.0, 4.0)), 4.4)
    yield Case("2 m back", go(GoTo(0.0, -2.0, 0.0)), 5.0)
    yield Case("turn round", go(GoTo(0.0, 0.0, math.pi)), 2.5)
    yield Case("4 m in 3 s", go(GoTo(0.0, 4.0, by_s=3.0)), 3.0, possible=False)
    yield Case("4 m in 4 s", go(GoTo(0.0, 4.0, by_s=4.0)), 4.0)
    two = Pick(-0.3, 0.8, 2.0, hand="left"), Pick(0.3, 0.8, 2.0, hand="right"), GoTo(0.0, 4.0)
    yield Case("two picks", go(*two), 8.5, stops=2)
    same = Pick(0.2, 0.75, 2.0), PutDown(0.2, 0.75, 2.0)
    yield Case("pick and put down there", go(*same), 7.0, stops=2)
    away = Pick(0.2, 0.75, 2.0), PutDown(0.2, 0.75, 3.2), GoTo(0.0, 5.0)
    yield Case("pick and put down elsewhere", go(*away), 11.0, stops=2)
    yield Case("pick at 2.2 m", go(Pick(0.0, 2.2, 2.0)), 5.0, possible=False)


FAMILIES: dict[str, Callable[[Rng], Iterator[Case]]] = {
    "course": _course, "mixed": _mixed, "gaps": _gaps, "bars": _bars, "beams": _beams,
    "boxes": _boxes, "chairs": _chairs, "picks": _picks,
}  # fmt: skip


def count_stops(plan: Any) -> int:
    """Return how often the hips stand still between the first and the last step of a plan."""
    clip = plan.clip
    speed = np.hypot(*np.diff(clip.root[:, [0, 2]], axis=0).T) * clip.fps
    return sum(
        first > 0 and stop < len(speed) and stop - first >= _STOP_S * clip.fps
        for first, stop in runs(speed < _STILL_M_S).tolist()
    )


def run(ready: Any, family: str, case: Case) -> Row:
    """Plan a case for some seconds."""
    row = Row(f"{family}: {case.name}", case.possible, False, person_s=case.person_s)
    began, best = time.process_time(), None
    try:
        query = case.query()
        query = type(query)(query.start, query.stages, query.scene, time_s=SECONDS)
        for plan in ready.plans(query):
            row.all_s = time.process_time() - began
            row.reason = row.reason if plan.found else plan.reason
            if plan.found:
                if best is None:
                    row.first_s, row.first_cost = row.all_s, plan.cost
                best = plan
    except Exception as error:  # an answer of its own kind
        row.reason = f"{type(error).__name__}: {error}"
    row.all_s = time.process_time() - began
    if best is not None:
        row.found, row.cost, row.bound, row.reason = True, best.cost, best.bound, ""
        row.length_s = (len(best.clip) - 1) / best.clip.fps
        row.stops = max(count_stops(best) - case.stops, 0)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=1.0, help="of the cases of each family")
    parser.add_argument("-o", "--out", type=Path)
    given = parser.parse_args()
    ready, rows = planner("optimal"), []
    run(ready, "warm-up", next(_mixed(np.random.default_rng(0))))
    for family in given.families or FAMILIES:
        rng = np.random.default_rng([28, given.seed])
        cases = list(FAMILIES[family](rng))
        wanted = rng.random(len(cases)) < given.share if given.share < 1.0 else np.ones(len(cases))
        for case in (c for c, keep in zip(cases, wanted, strict=True) if keep):
            row = run(ready, family, case)
            rows.append(row)
            told = row.reason[:110] or (
                f"first {row.first_s:5.2f} s  cost {row.first_cost:5.0f} → {row.cost:5.0f}  "
                f"bound {row.bound:5.2f}  {row.length_s:5.1f} s of {row.person_s:4.1f}  "
                f"{row.stops} stops"
            )
            print(f"{row.name:30s} {row.all_s:5.2f} s  {told}", flush=True)
            if given.out:
                given.out.write_text(json.dumps([asdict(r) for r in rows], indent=1))
    found = [r for r in rows if r.found]
    print(
        f"{len(found)} of {sum(r.possible for r in rows)} that can be done found; bound at most "
        f"1.5: {sum(r.bound <= 1.5 for r in found)}; at most 1.3 times a person's time: "
        f"{sum(r.length_s <= 1.3 * r.person_s for r in found)}; without stops: "
        f"{sum(r.stops == 0 for r in found)}; refused within 2 s: "
        f"{sum(not r.found and r.all_s <= 2.0 for r in rows)} of {len(rows) - len(found)}"
    )


if __name__ == "__main__":
    main()
