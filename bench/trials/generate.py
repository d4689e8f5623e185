"""Scenes and tasks from seeds: slots, stones, stairs, gaps, bars, boxes, beams, chairs, picks.

A trial is plain data: the text of a scene file, a start, stages as tables, a library and a method.
Even seeds are for tuning, odd seeds for testing. Consecutive seeds of one kind go through all
families, so that any stretch of seeds is spread evenly over them. Every scene is turned by a
random angle and moved by up to 5 m. Seeds from 1000 on ask for places anywhere in the built-in
scenes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

TIME_S, ENOUGH_S = 30.0, 5.0
"""Seconds of computing for a task; after the second, the first motion that is found is enough."""
SEEDS = 224
"""The seeds below this are the usual trials; the families go on beyond."""
DEFAULT, ACCAD, CMU = "default", "accad_male1", "cmu"
LIBRARIES = (DEFAULT, ACCAD, CMU)
GRAPH, BLENDING, ROADMAP, OPTIMAL, AUTO = "graph", "blending", "roadmap", "optimal", "auto"
PICK_HEIGHTS_M = (0.15, 0.35, 0.60, 0.85, 1.05, 1.25)
_HALF_WIDTH_M = 2.2
_MARGIN_M = 1.1
"""Start and goal are this far from the ends of the floor."""

Table = dict[str, Any]
Point = tuple[float, float]


@dataclass(frozen=True)
class Trial:
    """One scene with one task.

    scene     the text of a scene file
    start     x, z and the yaw in radians, None for any
    stages    one table each: "do" names the stage, the rest are its arguments
    drawn     the values that make it easy or hard, for the reports
    possible  whether the clips that the method uses reach over it, by `docs/dev/trials.md`
    """

    seed: int
    family: str
    method: str
    library: str
    scene: str
    start: tuple[float, float, float | None]
    stages: tuple[Table, ...]
    drawn: dict[str, float]
    possible: bool

    @property
    def name(self) -> str:
        return f"{self.seed:04d}-{self.family}-{self.method}-{self.library}"

    def as_json(self) -> str:
        """Return all of it in one line."""
        return json.dumps(asdict(self))


@dataclass
class Layout:
    """A task in its own frame, along +z from (0, 0), before it is turned and moved."""

    length: float
    half_width: float = _HALF_WIDTH_M
    tables: list[tuple[str, Table]] = field(default_factory=list)
    start: tuple[float, float, float | None] = (0.0, 0.0, 0.0)
    stages: list[Table] = field(default_factory=list)
    drawn: dict[str, float] = field(default_factory=dict)
    possible: bool = False

    def add(self, kind: str, at: Point, yaw_deg: float = 0.0, **more: Any) -> None:
        """Add an obstacle that rests on the ground."""
        self.tables.append(("obstacle", {"kind": kind, "at": at, "yaw_deg": yaw_deg, **more}))

    def add_pit(self, first: float, last: float, depth: float = 0.6) -> None:
        """Add a hole across the whole floor, between two z."""
        size = [2.0 * self.half_width, last - first]
        at = (0.0, 0.5 * (first + last))
        self.tables.append(("hole", {"at": at, "yaw_deg": 0.0, "size": size, "depth": depth}))

    def go(self, x: float, z: float, yaw: float | None = None) -> None:
        """Add the stage to go to a place."""
        self.stages.append({"do": "go to", "at": (x, z), "yaw": yaw})


Rng = np.random.Generator
Family = Callable[[Rng, int, str, str], Layout]


def _spread(rng: Rng, number: int, low: float, high: float, parts: int = 8) -> float:
    """Return a random value; every `parts` consecutive numbers cover the whole range."""
    share = ((5 * number) % parts + rng.uniform()) / parts
    return round(low + share * (high - low), 3)


def _slot(rng: Rng, number: int, method: str, library: str) -> Layout:
    width, depth = _spread(rng, number, 0.45, 0.9), round(rng.uniform(0.2, 1.2), 2)
    plan = Layout(6.0 + depth, drawn={"width_m": width, "depth_m": depth})
    side = plan.half_width - 0.5 * width
    middle = 0.5 * plan.length
    for sign in (-1.0, 1.0):
        at = (sign * (0.5 * width + 0.5 * side), middle)
        plan.add("box", at, name=f"wall {sign:+g}", size=[side, 2.4, depth])
    plan.start = (round(rng.uniform(-0.8, 0.8), 2), _MARGIN_M, 0.0)
    plan.go(round(rng.uniform(-0.8, 0.8), 2), plan.length - _MARGIN_M)
    footholds = method in (AUTO, ROADMAP)
    plan.possible = width >= (0.55 if footholds and library == DEFAULT else 0.85)
    return plan


def _stones(rng: Rng, number: int, method: str, library: str) -> Layout:
    spacing, radius = _spread(rng, number, 0.35, 0.8), round(rng.uniform(0.2, 0.3), 2)
    count = int(rng.integers(3, 6))
    wide = spacing * (count + 1)
    plan = Layout(wide + 4.6, drawn={"spacing_m": spacing, "radius_m": radius, "stones": count})
    first = 0.5 * (plan.length - wide)
    plan.add_pit(first, first + wide)
    for k in range(count):
        # The stones next to the rims are a spacing from them, counted from their middles.
        at = (round(rng.uniform(-0.08, 0.08), 3), first + spacing * (k + 1))
        plan.add("stone", at, name=f"stone {k}", radius=min(radius, 0.48 * spacing), height=0.6)
    plan.start = (0.0, _MARGIN_M, 0.0)
    plan.go(0.0, plan.length - _MARGIN_M)
    plan.possible = method in (AUTO, ROADMAP) and library == DEFAULT and spacing <= 0.65
    return plan


def _stairs(rng: Rng, number: int, method: str, library: str, down: bool) -> Layout:
    rise, run = _spread(rng, number, 0.10, 0.20), round(rng.uniform(0.26, 0.32), 3)
    steps = int(rng.integers(3, 7))
    plan = Layout(2.4 + run * (steps - 1) + 2.0)
    plan.drawn = {"rise_m": rise, "run_m": run, "steps": steps}
    plan.add("stairs", (0.0, 2.4), name="stairs", width=2.0 * plan.half_width, steps=steps,
             rise=rise, run=run, landing=2.0)  # fmt: skip
    ends = [(0.0, _MARGIN_M), (0.0, plan.length - _MARGIN_M)]
    if down:
        ends.reverse()
    plan.start = (*ends[0], math.pi if down else 0.0)
    plan.go(*ends[1])
    plan.possible = library == DEFAULT and method in (AUTO, ROADMAP)
    return plan


def _stairs_up(rng: Rng, number: int, method: str, library: str) -> Layout:
    return _stairs(rng, number, method, library, down=False)


def _stairs_down(rng: Rng, number: int, method: str, library: str) -> Layout:
    return _stairs(rng, number, method, library, down=True)


def _gap(rng: Rng, number: int, method: str, library: str) -> Layout:
    wide = _spread(rng, number, 0.3, 1.2)
    plan = Layout(7.0 + wide, drawn={"gap_m": wide})
    plan.add_pit(3.5, 3.5 + wide, 0.8)
    plan.start = (0.0, _MARGIN_M, 0.0)
    plan.go(0.0, plan.length - _MARGIN_M)
    # A sole of 0.25 m has to be on both rims: the feet are that much further apart than the gap.
    most = {DEFAULT: 0.9 if method == OPTIMAL else 1.2, ACCAD: 0.4, CMU: 0.4}[library]
    plan.possible = wide <= most
    return plan


def _bar(rng: Rng, number: int, method: str, library: str) -> Layout:
    clearance = _spread(rng, number, 0.9, 1.6)
    plan = Layout(7.0, drawn={"clearance_m": clearance})
    at = (0.0, 3.5)
    plan.add("bar", at, name="bar", clearance=clearance, width=2.0 * plan.half_width - 0.2)
    plan.start = (0.0, _MARGIN_M, 0.0)
    if number % 2:
        plan.stages.append({"do": "duck", "at": at, "height_m": clearance})
    plan.go(0.0, plan.length - _MARGIN_M)
    plan.possible = library == DEFAULT and method in (AUTO, OPTIMAL) and clearance >= 1.25
    return plan


def _around(rng: Rng, number: int, method: str, library: str) -> Layout:
    plan = Layout(round(rng.uniform(7.0, 9.0), 2), half_width=2.6)
    count = int(rng.integers(2, 5))
    for k in range(count):
        size = [round(float(v), 2) for v in rng.uniform((0.3, 0.4, 0.3), (1.2, 1.6, 1.2))]
        at = (round(rng.uniform(-1.4, 1.4), 2), 2.4 + (plan.length - 4.8) * k / (count - 1))
        plan.add("box", at, round(rng.uniform(0.0, 90.0)), name=f"box {k}", size=size)
    plan.start = (0.0, _MARGIN_M, 0.0)
    plan.go(0.0, plan.length - _MARGIN_M)
    plan.drawn = {"boxes": count}
    plan.possible = True
    return plan


def _onto(rng: Rng, number: int, method: str, library: str) -> Layout:
    height, side = _spread(rng, number, 0.1, 0.35), round(rng.uniform(0.6, 1.0), 2)
    plan = Layout(7.0, drawn={"height_m": height, "side_m": side})
    plan.add("platform", (0.0, 3.5), name="box", size=[side, height, side])
    plan.start = (0.0, _MARGIN_M, 0.0)
    plan.stages.append({"do": "stand on", "at": (0.0, 3.5)})
    plan.go(0.0, plan.length - _MARGIN_M)
    plan.possible = library == DEFAULT and height <= 0.25
    return plan


def _beam(rng: Rng, number: int, method: str, library: str) -> Layout:
    width, long = _spread(rng, number, 0.15, 0.3), round(rng.uniform(1.5, 2.6), 2)
    plan = Layout(5.0 + long, drawn={"width_m": width, "length_m": long})
    plan.add_pit(2.5, 2.5 + long, 1.2)
    middle = 2.5 + 0.5 * long
    beam = {"kind": "beam", "at": (0.0, 0.0, middle), "yaw_deg": 0.0, "name": "beam"}
    plan.tables.append(("obstacle", {**beam, "length": long + 0.9, "width": width, "height": 0.12}))
    plan.start = (0.0, _MARGIN_M, 0.0)
    plan.go(0.0, plan.length - _MARGIN_M)
    plan.possible = library == DEFAULT and width >= 0.18
    return plan


def _chair(rng: Rng, number: int, method: str, library: str) -> Layout:
    turn_deg = 45.0 * (number % 8)
    plan = Layout(7.0, drawn={"turn_deg": turn_deg})
    at = (round(rng.uniform(-0.3, 0.3), 2), 4.0)
    plan.add("chair", at, turn_deg, name="chair")
    plan.start = (0.0, _MARGIN_M, 0.0)
    plan.stages.append({"do": "sit", "at": at, "yaw": math.radians(turn_deg), "height_m": 0.45})
    if number % 3 == 2:
        plan.stages.append({"do": "stand up"})
    plan.possible = library == DEFAULT
    return plan


def _pick(rng: Rng, number: int, method: str, library: str) -> Layout:
    height = PICK_HEIGHTS_M[number % len(PICK_HEIGHTS_M)]
    plan = Layout(7.0, drawn={"height_m": height})
    x = round(rng.uniform(-0.3, 0.3), 2)
    plan.start = (0.0, _MARGIN_M, 0.0)
    hand = ("either", "right")[int(rng.integers(2))]
    plan.stages.append({"do": "pick", "at": (x, height, 3.6), "hand": hand})
    plan.go(0.0, plan.length - _MARGIN_M)
    plan.possible = library == DEFAULT and height <= 1.25
    return plan


def _heading(rng: Rng, number: int, method: str, library: str) -> Layout:
    plan = Layout(round(rng.uniform(5.0, 8.0), 2))
    first, last = (math.radians(45.0 * int(k)) for k in rng.integers(-4, 4, 2))
    plan.start = (0.0, _MARGIN_M, first)
    plan.go(round(rng.uniform(-1.0, 1.0), 2), plan.length - _MARGIN_M, last)
    plan.drawn = {"start_deg": math.degrees(first), "goal_deg": math.degrees(last)}
    ahead = max(abs(first), abs(last)) < math.radians(50.0)
    plan.possible = ahead or (library == DEFAULT and method in (AUTO, ROADMAP, OPTIMAL))
    return plan


def _corridor(rng: Rng, number: int, method: str, library: str) -> Layout:
    corridor, swing = _spread(rng, number, 0.2, 1.0), round(rng.uniform(0.2, 1.0), 2)
    plan = Layout(round(rng.uniform(8.0, 13.0), 2), half_width=3.0)
    long = plan.length - 2.0 * _MARGIN_M
    along = np.linspace(0.0, 1.0, 25)
    aside = swing * np.sin(2.0 * np.pi * along) * np.sin(np.pi * along)
    path = [
        (round(float(x), 3), _MARGIN_M + float(s) * long) for x, s in zip(aside, along, strict=True)
    ]
    plan.start = (0.0, _MARGIN_M, None)
    plan.stages.append({"do": "follow", "path": path, "corridor_m": corridor})
    plan.drawn = {"corridor_m": corridor, "swing_m": swing}
    plan.possible = corridor >= 0.4 and swing <= 0.6
    return plan


def _via(rng: Rng, number: int, method: str, library: str) -> Layout:
    count = int(rng.integers(1, 4))
    plan = Layout(3.0 * (count + 1) + 2.0, half_width=2.6)
    for k in range(count):
        at = (round(rng.uniform(-1.0, 1.0), 2), _MARGIN_M + 3.0 * (k + 1))
        plan.stages.append({"do": "via", "at": at, "within_m": 0.5})
    plan.start = (0.0, _MARGIN_M, 0.0)
    plan.go(0.0, plan.length - _MARGIN_M)
    plan.drawn = {"vias": count}
    plan.possible = True
    return plan


_WALKS = (AUTO, ROADMAP, GRAPH, AUTO, BLENDING, ROADMAP, GRAPH, AUTO, OPTIMAL, BLENDING)
_FEET = (AUTO, ROADMAP, AUTO, OPTIMAL, ROADMAP)
_ACTS = (AUTO, OPTIMAL)
_MIXED = (DEFAULT, DEFAULT, ACCAD, DEFAULT, CMU)
_OWN = (DEFAULT,)
FAMILIES: dict[str, tuple[Family, tuple[str, ...], tuple[str, ...]]] = {
    "slot": (_slot, (AUTO, ROADMAP, GRAPH, AUTO, ROADMAP, BLENDING), _MIXED),
    "stones": (_stones, _FEET, _MIXED),
    "stairs up": (_stairs_up, (AUTO, ROADMAP, AUTO, BLENDING), _MIXED),
    "stairs down": (_stairs_down, (ROADMAP, AUTO, BLENDING, AUTO), _MIXED),
    "gap": (_gap, _FEET, _MIXED),
    "bar": (_bar, (OPTIMAL, AUTO, AUTO), _OWN),
    "around": (_around, _WALKS, _MIXED),
    "onto": (_onto, _FEET, _OWN),
    "beam": (_beam, _FEET, _OWN),
    "chair": (_chair, _ACTS, _OWN),
    "pick": (_pick, _ACTS, _OWN),
    "heading": (_heading, _WALKS, _MIXED),
    "corridor": (_corridor, (GRAPH, BLENDING, AUTO, OPTIMAL), _MIXED),
    "via": (_via, _WALKS, _MIXED),
}
"""Each family with its methods and libraries, which are gone through in turn."""


ANYWHERE, FIRST_ANYWHERE = "anywhere", 1000
BUILT_IN = (
    "columns", "course", "crevice", "dungeon", "hills", "island", "paths", "plaza", "rivers",
    "room", "stairs", "zigzag",
)  # fmt: skip


def make_anywhere(seed: int, text: str, outline: Any) -> Trial:
    """Return a trial from anywhere to anywhere in a scene; two places in three have headings."""
    rng = np.random.default_rng([241, seed])
    low, high = (np.asarray(f(outline, axis=0)) for f in (np.min, np.max))
    ends = rng.uniform([*low, -np.pi], [*high, np.pi], (2, 3)).round(4)
    free = rng.random(2) < 1.0 / 3.0
    (x, z, yaw), (gx, gz, goal_yaw) = ends.tolist()
    goal = {"do": "go to", "at": [gx, gz], "yaw": None if free[1] else goal_yaw}
    start = (x, z, None if free[0] else yaw)
    return Trial(seed, ANYWHERE, ROADMAP, DEFAULT, text, start, (goal,), {}, True)


def _make_built_in(seed: int) -> Trial:
    from footfall.files.scene.read import builtin_scenes, parse_scene

    name = BUILT_IN[(seed // 2) % len(BUILT_IN)]
    text = builtin_scenes()[name].read_text(encoding="utf-8")
    return make_anywhere(seed, text, parse_scene(text).outline)


def make_trial(seed: int) -> Trial:
    """Return the trial of a seed; even seeds are for tuning, odd ones for testing."""
    if seed >= FIRST_ANYWHERE:
        return _make_built_in(seed)
    names = list(FAMILIES)
    family, number = names[(seed // 2) % len(names)], seed // 2 // len(names)
    _, methods, libraries = FAMILIES[family]
    shift = names.index(family) + 3 * (seed % 2)
    library = libraries[(number + shift) % len(libraries)]
    method = methods[(number + number // len(libraries) + shift) % len(methods)]
    if method == OPTIMAL and library != DEFAULT:
        library = DEFAULT  # its graph of real clips takes minutes to build
    return lay_trial(seed, family, number, method, library)


def lay_trial(seed: int, family: str, number: int, method: str, library: str) -> Trial:
    """Return the trial of a family for one method and one library."""
    rng = np.random.default_rng([240, seed])
    layout = FAMILIES[family][0](rng, number, method, library)
    frame = _Frame(float(rng.uniform(-math.pi, math.pi)), rng.uniform(-5.0, 5.0, 2))
    x, z, yaw = layout.start
    start = (*frame.point((x, z)), None if yaw is None else frame.yaw(yaw))
    stages = tuple(frame.stage(stage) for stage in layout.stages)
    return Trial(
        seed, family, method, library, frame.scene(layout, f"trial {seed}"), start, stages,
        layout.drawn, layout.possible,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Frame:
    """Where a layout is put: turned by `turn` radians to the left, then moved."""

    turn: float
    shift: Any

    def point(self, at: Any) -> Point:
        """Return x and z in the world."""
        c, s = math.cos(self.turn), math.sin(self.turn)
        x, z = float(at[0]), float(at[-1])
        return (
            round(c * x + s * z + float(self.shift[0]), 5),
            round(c * z - s * x + float(self.shift[1]), 5),
        )

    def yaw(self, yaw: float) -> float:
        """Return a yaw in the world."""
        return round(math.remainder(yaw + self.turn, math.tau), 5)

    def at(self, at: Any) -> list[float]:
        """Return a place of two or three numbers in the world."""
        x, z = self.point(at)
        return [x, z] if len(at) == 2 else [x, float(at[1]), z]

    def stage(self, stage: Table) -> Table:
        """Return a stage in the world."""
        put = dict(stage)
        if "at" in put:
            put["at"] = self.at(put["at"])
        if "path" in put:
            put["path"] = [self.at(p) for p in put["path"]]
        if put.get("yaw") is not None:
            put["yaw"] = self.yaw(put["yaw"])
        return put

    def scene(self, layout: Layout, name: str) -> str:
        """Return the text of the scene file."""
        half, long = layout.half_width, layout.length
        corners = [(-half, 0.0), (half, 0.0), (half, long), (-half, long)]
        lines = [f"name = {json.dumps(name)}", f"outline = {[self.at(p) for p in corners]}"]
        for kind, table in layout.tables:
            put = {**table, "at": self.at(table["at"])}
            put["yaw_deg"] = round(put["yaw_deg"] + math.degrees(self.turn), 4)
            lines += ["", f"[[{kind}]]", *(f"{k} = {json.dumps(v)}" for k, v in put.items())]
        return "\n".join(lines) + "\n"
