"""Findings of Safonova & Hodgins, row by row, and whether they hold here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from footfall.papers import safonova_paper as paper
from footfall.papers.findings import Claim
from footfall.papers.safonova_compression import CompressionRun
from footfall.papers.safonova_figures import CompareRun, CourseRun
from footfall.papers.safonova_runs import HeuristicRun, MotionRun, SuccessRun

LEAST_MET, LEAST_GAP = 90.0, 30.0
_LOSSLESS = 1e-9
_BEHAVIOURS = (("beam",), ("jump", "step_over"), ("duck",), ("sit_down", "sit"))
"""What the course requires, by tags of clips, each a choice."""


def success_findings(runs: Sequence[SuccessRun]) -> list[Claim]:
    """Table 1: how often targets are met, and at what cost."""
    rows = [row for run in runs for row in _met_findings(run)]
    named = {run.printed.name: run for run in runs}
    if len(runs) == len(paper.SUCCESS):
        free, hard, cycle = (float(run.shares[:, 0].sum()) for run in runs)
        rows.append(Claim(
            "picking from a given place is the hardest (2.5 cm)", hard < min(free, cycle),
            "; ".join(f"{run.printed.name} {_pair(run, 0)}" for run in runs),
        ))  # fmt: skip
    stand = named.get(paper.SUCCESS[1].name)
    if stand is not None:
        rows += _cost_findings(stand)
    return rows


def _met_findings(run: SuccessRun) -> list[Claim]:
    with_it, without = run.shares
    gaps = with_it - without
    printed = run.printed
    name = printed.name
    return [
        Claim(
            f"{name}: interpolation meets targets at 2.5 cm (at least {LEAST_MET:.0f} %)",
            bool(with_it[0] >= LEAST_MET), f"{with_it[0]:.0f} %", f"{printed.interpolated[0]:g} %",
        ),
        Claim(
            f"{name}: at 2.5 cm at least {LEAST_GAP:.0f} points more often than without",
            bool(gaps[0] >= LEAST_GAP), f"{gaps[0]:.0f} points",
            f"{printed.interpolated[0] - printed.plain[0]:g} points",
        ),
        Claim(
            f"{name}: the gap closes at 10 cm (to less than half)",
            bool(gaps[2] < 0.5 * gaps[0]), f"{gaps[0]:.0f} → {gaps[2]:.0f} points",
            f"{printed.interpolated[0] - printed.plain[0]:g} → "
            f"{printed.interpolated[2] - printed.plain[2]:g} points",
        ),
    ]  # fmt: skip


def _pair(run: SuccessRun, tolerance: int) -> str:
    with_it, without = run.shares[:, tolerance]
    return f"{with_it:.0f} and {without:.0f} %"


def _cost_findings(run: SuccessRun) -> list[Claim]:
    ratios = [run.ratio(i) for i in range(len(paper.TOLERANCES_M))]
    known = [r for r in ratios if math.isfinite(r)]
    told = " / ".join(f"{r:.2f}" if math.isfinite(r) else "–" for r in ratios)
    note = "at 2.5 / 5 / 10 cm, of targets that both meet"
    finite = np.isfinite(run.costs).all(axis=0)
    both = run.costs[:, finite]
    mean = float(both[1].sum() / both[0].sum()) if finite.any() else math.nan
    return [
        Claim(
            "motions cost more without interpolation (more than 1.1 times)",
            bool(mean > 1.1) if known else None, f"{mean:.2f} times" if known else "no target",
            f"{paper.COST_RATIO} times", note=f"{told} {note}",
        ),
        Claim(
            "all the more so at small tolerances (by 1 % or more)",
            bool(known[0] > 1.01 * known[-1]) if len(known) > 1 else None, told, note=note,
        ),
    ]  # fmt: skip


def motion_findings(runs: Sequence[MotionRun]) -> list[Claim]:
    """Table 2 and Figure 1: what better solutions are worth, and what they take."""
    return [row for run in runs for row in _one_motion(run)]


def _one_motion(run: MotionRun) -> list[Claim]:
    name, printed = run.printed.name, run.printed
    if not run.rows:
        return [Claim(f"{name}: a motion is found", False, run.reason)]
    first, last = run.first, run.rows[-1]
    soonest = min(first.seconds, run.rows[0].seconds)
    costs = [row.cost for row in run.rows]
    proven = last.epsilon <= 1.0
    ratio = first.cost / last.cost
    more = "" if proven else f"the last is proven {run.best:.2f} times the least"
    falls = all(b <= a * (1.0 + 1e-9) for a, b in pairwise(costs))
    return [
        Claim(
            f"{name}: the cost never rises", falls, " → ".join(f"{c:,.0f}" for c in costs),
            " → ".join(f"{c:,.0f}" for c in printed.costs), note=more,
        ),
        Claim(
            f"{name}: the first costs 1.5 to 2.5 times the best", 1.5 <= ratio <= 2.5,
            f"{ratio:.2f} times", f"{printed.costs[0] / printed.costs[-1]:.2f} times", note=more,
        ),
        Claim(
            f"{name}: the first is there 10 times sooner than the best is proven",
            last.seconds >= 10.0 * soonest if proven else None,
            f"{soonest:.3f} s and {last.seconds:.2f} s" if proven
            else f"{soonest:.3f} s; the best is not proven in the time",
            f"{printed.seconds[0]:g} s and {printed.seconds[-1]:g} s",
        ),
        Claim(
            f"{name}: better solutions do it in another way", first.strategy != last.strategy,
            f"{first.strategy} → {last.strategy}", printed.said,
        ),
    ]  # fmt: skip


def compression_findings(runs: Sequence[CompressionRun]) -> list[Claim]:
    """Table 3: how much smaller graphs get, without loss in the first step."""
    rows = []
    for run in runs:
        name, printed = run.printed.name, run.printed
        if not run.sizes:
            rows.append(Claim(f"{name}: the graph is compressed", None, run.reason))
            continue
        before, after = run.sizes[0], run.sizes[-1]
        states = before.states / after.states
        edges = before.transitions / after.transitions
        rows += [
            Claim(
                f"{name}: states become at least 20 times fewer", states >= 20.0,
                f"{states:.0f} times", f"{printed.before[0] / printed.merged[0]:.0f} times",
            ),
            Claim(
                f"{name}: transitions become at least 50 times fewer", edges >= 50.0,
                f"{edges:.0f} times", f"{printed.before[1] / printed.merged[1]:.0f} times",
            ),
            Claim(
                f"{name}: the first step loses nothing", run.lost <= _LOSSLESS,
                f"the least costs between contact changes differ by {run.lost:.0e}, as a share",
                note=f"all steps: {100 * run.dearer[0]:.0f} % dearer in the median",
            ),
        ]  # fmt: skip
    return rows


def heuristic_findings(run: HeuristicRun) -> list[Claim]:
    """Table 4: states expanded with each way to estimate."""
    mean = run.expansions.mean(axis=2)
    euclid, pos, img, chain = range(4)
    singles = (euclid, pos, img)
    rows = []
    for e, epsilon in enumerate(paper.BOUNDS[:2]):
        least = min(mean[h, e] for h in singles) / mean[chain, e]
        printed = min(paper.HEURISTICS[h].expansions[e] for h in singles)
        rows.append(Claim(
            f"combined estimates expand 5 times fewer states than each single one, ε = {epsilon:g}",
            bool(least >= 5.0 and run.solved[chain, e].all()), f"{least:.1f} times fewer at least",
            f"{printed / paper.HEURISTICS[chain].expansions[e]:.1f} times",
            note=_solved_note(run, e),
        ))  # fmt: skip
    open_ratio = mean[pos, 0] / mean[euclid, 0]
    rows.append(Claim(
        "in the open, H_2D is worth as much as the straight line (within a half)",
        bool(0.5 <= open_ratio <= 1.5), f"{open_ratio:.2f} times the states at ε = 10",
        f"{paper.HEURISTICS[pos].expansions[0] / paper.HEURISTICS[euclid].expansions[0]:.2f} times",
    ))  # fmt: skip
    solved = run.solved[:, 2].mean(axis=1)
    by_node, by_place = max(solved[img], solved[chain]), max(solved[euclid], solved[pos])
    rows.append(Claim(
        "at ε = 1 estimates by node and combined ones solve what those by place do not",
        bool(by_node > by_place),
        " / ".join(f"{100 * s:.0f} %" for s in solved[:4]) + " solved", "20 / 20 / 80 / 80 %",
        note=f"Euclid, H_2D, H_mg, combined, of {run.solved.shape[2]}",
    ))  # fmt: skip
    return [*rows, _sum_finding(run)]


def _solved_note(run: HeuristicRun, e: int) -> str:
    shares = run.solved[:4, e].mean(axis=1)
    return "solved: " + " / ".join(f"{100 * s:.0f} %" for s in shares)


def _sum_finding(run: HeuristicRun) -> Claim:
    """Return whether the plain sum of Eq. 3 gave motions that are not the best at epsilon 1."""
    claim = "the plain sum over the constraints (Eq. 3) finds the best motion at ε = 1"
    ours, best = run.costs[4, 2], run.costs[3, 2]
    both = run.solved[4, 2] & run.solved[3, 2]
    if not both.any():
        return Claim(claim, None, "not solved by both in the states given",
                       note="it is not admissible, so nothing is proven by it")  # fmt: skip
    worst = float((ours[both] / best[both]).max())
    return Claim(
        claim, worst <= 1.0 + 1e-6, f"at most {worst:.3f} times the best, of {int(both.sum())}",
        note="it is not admissible, so nothing is proven by it",
    )  # fmt: skip


def strategy_findings(columns: CompareRun, curve: CompareRun) -> list[Claim]:
    """Figures 12 and 13: what interpolation changes."""
    return [_columns_finding(columns), *_curve_findings(curve)]


def _columns_finding(run: CompareRun) -> Claim:
    claim = "three columns: with interpolation it goes another way, at less cost (Figure 12)"
    said = "a step and a jump with it, jumps alone without"
    one, other = run.interpolated, run.plain
    if one is None or other is None:
        holds = False if one is None else None
        return Claim(claim, holds, "; ".join(r for r in run.reasons if r), said)
    changed = one.jumps != other.jumps
    return Claim(
        claim, changed and one.cost < other.cost,
        f"{one.strategy}, {one.cost:,.0f}; without: {other.strategy}, {other.cost:,.0f}", said,
    )  # fmt: skip


def _curve_findings(run: CompareRun) -> list[Claim]:
    claim = "a curve can be followed more closely with interpolation (Figure 13)"
    one, other = run.interpolated, run.plain
    narrow, wide = run.corridors_m
    if one is None:
        return [Claim(claim, False, run.reasons[0])]
    told = f"within {100 * narrow:.0f} cm; without it "
    if other is None:
        return [Claim(claim, True, told + "not at all")]
    return [
        Claim(claim, narrow < wide, f"{told}within {100 * wide:.0f} cm",
                "only with it in its corridor"),
        Claim("it takes another number of steps than without, in the wider corridor",
                one.steps != other.steps, f"{one.steps} and {other.steps}", "6 and 5"),
    ]  # fmt: skip


def course_findings(run: CourseRun) -> list[Claim]:
    """Figure 2: the obstacle course."""
    plan = run.plan
    claim = "the course is planned: beam, holes, bar and chair"
    if plan.clip is None:
        return [Claim(claim, False, plan.reason)]
    missing = [" or ".join(some) for some in _BEHAVIOURS if not run.tags & set(some)]
    seconds = len(plan.clip) / plan.clip.fps
    bounded = math.isfinite(plan.bound)
    return [
        Claim(claim, not missing, f"{seconds:.1f} s, the first after {run.first_s:.1f} s",
                f"{paper.COURSE_S:g} s, in less than 3 minutes",
                note=f"no {', '.join(missing)}" if missing else ""),
        Claim("near the best: at most twice the least effort is proven",
                bounded and plan.bound <= 2.0,
                f"{plan.bound:.2f} times" if bounded else "nothing is proven of the whole",
                note="; ".join(plan.notes)),
    ]  # fmt: skip


def size_findings() -> list[Claim]:
    """Section 5: how many states there would be."""
    poses, weights, cells, headings, share = 1e4, 10.0, 1e6, 100.0, 0.01
    ours = (poses**2 * weights * cells * headings, poses**2 * weights * cells * headings * share,
            poses * cells * headings * share)  # fmt: skip
    told = " / ".join(f"10^{math.log10(n):.0f}" for n in ours)
    return [Claim(
        "states: all, in the corridor, without interpolation",
        all(math.isclose(n, printed) for n, (printed, _) in zip(ours, paper.STATES, strict=True)),
        told, " / ".join(f"10^{math.log10(n):.0f}" for n, _ in paper.STATES),
    )]  # fmt: skip
