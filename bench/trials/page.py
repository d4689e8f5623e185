"""Write the outcomes of trials as a page of tables.

python -m bench.trials page --before out/before --after out/after --to docs/dev/trials.md
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tools.stamps import stamped

from bench.trials.generate import ENOUGH_S, FAMILIES, SEEDS, TIME_S, make_trial
from bench.trials.judge import (
    ACCEPTED,
    FALSE_REFUSAL,
    LATE,
    OUTCOMES,
    REFUSED,
    REJECTED,
    Judgement,
    judge_all,
)
from bench.trials.reader import LIMITS

Judged = list[Judgement]
_SHORT = {
    "stairs up": "risers 0.10 to 0.20 m", "stairs down": "risers 0.10 to 0.20 m",
    "slot": "0.45 to 0.90 m wide, 0.2 to 1.2 m deep", "stones": "0.35 to 0.80 m apart",
    "gap": "0.3 to 1.2 m", "bar": "0.9 to 1.6 m high, half of them with a stage `duck`",
    "around": "two to four boxes in the way", "onto": "a box of 0.10 to 0.35 m, `stand on`",
    "beam": "0.15 to 0.30 m wide, 1.5 to 2.6 m long over a pit",
    "chair": "the default chair at every yaw in steps of 45°, some with `stand up`",
    "pick": "at 0.15, 0.35, 0.60, 0.85, 1.05 and 1.25 m",
    "heading": "start and goal with headings in steps of 45°",
    "corridor": "a winding path to follow within 0.2 to 1.0 m", "via": "one to three via points",
}  # fmt: skip
_REACH = """
| family | counted as possible |
|---|---|
| slot | 0.55 m or wider with default clips and `auto` or `roadmap`; else 0.85 m |
| stones | up to 0.65 m apart with default clips and `auto` or `roadmap` |
| stairs | with default clips and `auto` or `roadmap` |
| gap | with default clips up to 1.2 m, with `optimal` 0.9 m; real clips 0.4 m |
| bar | 1.25 m or higher with default clips and `auto` or `optimal` |
| around, via | wherever a body 0.8 m wide can walk |
| onto | up to 0.25 m with default clips |
| beam | 0.18 m or wider with default clips |
| chair, pick | with default clips |
| heading | up to 45° off the route; with default clips and `auto`, `roadmap` or `optimal` any |
| corridor | 0.4 m or wider, where the path swings by at most 0.6 m |
""".strip()


def outcome_rows(before: Judged, after: Judged, key: Callable[[Judgement], str]) -> list[str]:
    """Return the rows of a table that counts outcomes, before and after, by some key."""
    heads = [o for o in OUTCOMES if any(j.outcome == o for j in before + after)]
    lines = [f"| | trials | {' | '.join(heads)} |", "|---|---|" + "---|" * len(heads)]
    names = list(dict.fromkeys(key(j) for j in before + after))
    for name in [*names, "all"]:
        own = [[j for j in part if name in (key(j), "all")] for part in (before, after)]
        cells = [" → ".join(str(sum(j.outcome == o for j in part)) for part in own) for o in heads]
        bold = f"**{name}**" if name == "all" else name
        lines.append(f"| {bold} | {max(map(len, own))} | {' | '.join(cells)} |")
    return lines


def rejection_rows(before: Judged, after: Judged) -> list[str]:
    """Return the rows of a table that counts what found motions were rejected for."""

    def counts(judged: Judged) -> Counter[str]:
        found: Counter[str] = Counter()
        for one in judged:
            words = (f.what.partition(",")[0] for f in one.findings)
            found.update({" ".join(w for w in what.split() if w not in _SIDES) for what in words})
            found.update({"verify fails"} if one.verify else ())
        return found

    old, new = counts(before), counts(after)
    lines = ["| rejected for | before | after |", "|---|---|---|"]
    for what in sorted({*old, *new}, key=lambda w: (-old[w], w)):
        lines.append(f"| {what} | {old[what]} | {new[what]} |")
    return lines


_SIDES = ("left", "right", "heel", "ball")


def refusal_rows(judged: Judged) -> list[str]:
    """Return the rows of a table of refusals, each with a reason."""
    lines = ["| seed | trial | outcome | reason |", "|---|---|---|---|"]
    for one in judged:
        if one.outcome in (REFUSED, FALSE_REFUSAL):
            trial = one.trial
            what = f"{trial.family}, {trial.method}, {trial.library}"
            lines.append(f"| {trial.seed} | {what} | {one.outcome} | {one.answer['reason']} |")
    return lines


def missing_sentence(shown: set[int]) -> str:
    """Return which testing seeds are not shown, counted by family."""
    left = Counter(make_trial(s).family for s in range(1, SEEDS, 2) if s not in shown)
    if not left:
        return ""
    counts = ", ".join(f"{name} {count}" for name, count in left.most_common())
    return f"Not planned with both versions, so not shown: {counts}."


def page(before: Judged, after: Judged, note: str = "") -> str:
    """Return the whole page; trials without an answer on one side are left out.

    note  what else is worth knowing of how the answers were recorded
    """
    both = {j.trial.seed for j in before} & {j.trial.seed for j in after}
    old, new = ([j for j in part if j.trial.seed in both] for part in (before, after))
    cpu = [np.median([j.answer.get("cpu_s", TIME_S) for j in part]) for part in (old, new)]
    families = [f"| {name} | {_SHORT[name]} |" for name in FAMILIES]
    share = [sum(j.outcome == ACCEPTED for j in part) for part in (old, new)]
    shown = "all" if len(both) == SEEDS // 2 else f"{len(both)} of the"
    parts = [
        "# Plans on trial",
        "",
        f"{SEEDS} generated scenes and tasks: even seeds for tuning, odd seeds for testing. The "
        f"tables show {shown} {SEEDS // 2} testing seeds, planned before and after "
        f"every plan was verified. Found and accepted: {share[0]} before, {share[1]} after; found "
        f"but rejected: {_count(old, REJECTED)} before, {_count(new, REJECTED)} after.",
        "",
        "`python -m bench.trials run` plans them, `judge` and `page` judge them and write this "
        "page. Every scene is turned by a random angle and moved.",
        "",
        " ".join(filter(None, [missing_sentence(both), note])),
        "",
        "| family | what varies |",
        "|---|---|",
        *families,
        "",
        f"A task has {TIME_S:g} s of computing (processor time, so that other programs do not "
        f"matter); after {ENOUGH_S:g} s the first motion is enough. Building libraries and graphs "
        f"once does not count. The median was {cpu[0]:.1f} s before and {cpu[1]:.1f} s after.",
        "",
        "## Outcomes",
        "",
        f"Each cell is before → after. *{REJECTED.capitalize()}*: the reader of the written BVH "
        f"file, or `verify`, finds something wrong. *{FALSE_REFUSAL.capitalize()}*: flood fill "
        "and the reach of the clips show that the task is possible, or the reason blames a place "
        f"where a body can stand. *{REFUSED.capitalize()}*: a reason that neither contradicts. "
        f"*{LATE.capitalize()}*: no motion in the time.",
        "",
        *outcome_rows(old, new, lambda j: j.trial.family),
        "",
        *outcome_rows(old, new, lambda j: j.trial.method),
        "",
        *outcome_rows(old, new, lambda j: j.trial.library),
        "",
        "## Why motions were rejected",
        "",
        "The reader shares no code with the package. It parses the file, places joints by scipy's "
        "rotations, takes the body for rods of a lean person, and finds standing feet by height "
        "and speed. One motion may count in several rows. `verify` of today was applied to the "
        "motions of the version before as well.",
        "",
        *rejection_rows(old, new),
        "",
        f"Limits: {', '.join(f'`{k}` {v:g}' for k, v in LIMITS.items())}. Those of places, hands, "
        "seats, soles and corridors are added to the tolerance of the stage.",
        "",
        "## What counts as possible",
        "",
        "The flood fill has a body 0.8 m wide on level floors, 0.4 m in slots and on stairs. The "
        "reach of the clips is this table; what is beyond it may be refused.",
        "",
        _REACH,
        "",
        "## Refusals after",
        "",
        *refusal_rows(new),
    ]
    return "\n".join(parts) + "\n"


def _count(judged: Judged, outcome: str) -> int:
    return sum(j.outcome == outcome for j in judged)


def main(words: list[str]) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bench.trials page")
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--after", type=Path, required=True)
    parser.add_argument("--note", default="", help="how the answers were recorded")
    parser.add_argument("--to", type=Path)
    given = parser.parse_args(words)
    before, after = (
        [j for j in judge_all(folder) if j.trial.seed % 2] for folder in (given.before, given.after)
    )
    text = page(before, after, given.note)
    if given.to:
        given.to.write_text(stamped(text), encoding="utf-8")
    else:
        print(text)
