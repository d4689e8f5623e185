"""Findings of Choi, Lee & Shin, row by row, and whether they hold here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from footfall.maths.arrays import Floats
from footfall.papers import choi_paper as paper
from footfall.papers.choi_runs import Answered, ExperimentRun, Refined, SamplingRun
from footfall.papers.findings import Claim, printed_value
from footfall.papers.statistics import linear_fit


def experiment_findings(run: ExperimentRun) -> tuple[Claim, ...]:
    """Return the findings on one experiment."""
    printed = run.experiment
    nodes, edges = len(run.roadmap.nodes), len(run.roadmap.edges)
    found = [a for a in run.answers if a.plan.found]
    rows = [
        Claim(
            "footprints of transformed clips hit the footholds (Eqs. 2 and 3)",
            bool(run.misses_m < 1e-5), f"{run.misses_m:.1e} m off at most",
        ),
        _limits(run),
        Claim("Dijkstra on the augmented graph finds the cheapest path", run.same_cost,
                "A* and Dijkstra agree on every query" if run.same_cost else "they differ"),
        printed_value("edges for each node", printed.per_node, edges / nodes, form="{:.1f}",
                      note=f"{edges:,} edges, {nodes:,} nodes"),
        Claim("all queries are answered", len(found) == len(run.answers),
                _solved(run.answers), f"{len(run.answers)} of {len(run.answers)}"),
        *(_shown(a) for a in run.answers if a.printed.shows),
        *refining_findings(run.refined),
        *_timing_findings(run, found),
    ]  # fmt: skip
    return tuple(rows)


def _solved(answers: Sequence[Answered]) -> str:
    failed = [f"{a.printed.query}: {a.plan.reason}" for a in answers if not a.plan.found]
    return "; ".join([f"{len(answers) - len(failed)} of {len(answers)}", *failed])


def _limits(run: ExperimentRun) -> Claim:
    stretch, turn = run.most_change
    held = stretch <= paper.STRETCH + 1e-9 and math.degrees(turn) <= paper.TURN_DEG + 1e-6
    return Claim(
        "clips are stretched and turned within the thresholds", held,
        f"at most {stretch:.3f} and {math.degrees(turn):.1f}°",
        f"{paper.STRETCH} and 0.25π, taken as {paper.TURN_DEG:g}°",
    )  # fmt: skip


def _shown(one: Answered) -> Claim:
    claim = f"{one.printed.query}: {one.printed.said}"
    if not one.plan.found:
        return Claim(claim, False, one.plan.reason)
    missing = [" or ".join(some) for some in one.printed.shows if not one.tags & set(some)]
    told = ("alone", "choi", "locomotion", "park", "safonova", "basten", "start", "stop")
    seen = ", ".join(sorted(one.tags - set(told)))
    return Claim(claim, not missing, seen, note=f"no {', '.join(missing)}" if missing else "")


def refining_findings(found: Refined) -> tuple[Claim, ...]:
    """Figures 3 and 5: what falls with the iterations."""
    if not found.turning.shape[1]:
        return (Claim("refining lowers zigzag and adaptation", None, "no path was found"),)
    rows = []
    for name, values in (("zigzag", found.turning), ("adaptation", found.change)):
        total = values.sum(axis=1)
        falls = bool((np.diff(total[: paper.SWEEPS + 1]) < 0.0).all())
        rises = bool((np.diff(values, axis=0) > 1e-9).any())
        rows.append(
            Claim(
                f"refining lowers the {name} of paths at every iteration",
                falls and not rises,
                " → ".join(f"{v:.2f}" for v in values.mean(axis=1)[[0, 1, 2, 4, 8]]),
                note=f"mean of {values.shape[1]} paths after 0, 1, 2, 4 and 8",
            )
        )
        fallen = 1.0 - total[paper.SWEEPS] / max(float(total[0]), 1e-12)
        rows.append(Claim(f"{name}: by at least half after four", bool(fallen >= 0.5),
                            f"by {100.0 * fallen:.0f} %"))  # fmt: skip
    rows.append(Claim("refined paths stay valid", found.valid,
                        "every move is one that the local planner makes"
                        if found.valid else "some move is not"))  # fmt: skip
    return tuple(rows)


def _timing_findings(run: ExperimentRun, found: Sequence[Answered]) -> list[Claim]:
    if not found:
        return []
    longest = max(a.plan.timings["all"] for a in found)
    rates = [frames_of(a) / a.plan.timings["all"] for a in found]
    return [
        Claim("a query takes less than a second", longest < 1.0, f"{1000.0 * longest:.1f} ms"),
        Claim("construction takes more than 20 times as long as a query",
                run.build_s > 20.0 * longest, f"{run.build_s:.2f} s, "
                f"{run.build_s / longest:.0f} times"),
        Claim("more than 1000 frames a second after preprocessing",
                min(rates) > paper.FRAMES_PER_S, f"{min(rates):,.0f} and more",
                note="frames at 30 a second"),
    ]  # fmt: skip


def frames_of(one: Answered) -> float:
    """Return how many frames a motion has at the paper's 30 a second."""
    clip = one.plan.clip
    return 0.0 if clip is None else len(clip) * paper.FRAME_RATE / clip.fps


def joint_findings(runs: Mapping[str, ExperimentRun]) -> tuple[Claim, ...]:
    """Return what can only be said of several experiments together."""
    rows = []
    per_node = {k: len(r.roadmap.edges) / len(r.roadmap.nodes) for k, r in runs.items()}
    if {"island", "crevice"} <= set(runs):
        ratio = per_node["crevice"] / per_node["island"]
        rows.append(printed_value("edges for each node, Exp. 2 to Exp. 1", 59.20 / 29.57, ratio,
                                  within=0.5, form="{:.2f}"))  # fmt: skip
    if {"island", "room"} <= set(runs):
        a, b = runs["island"], runs["room"]
        each = [r.build_s / len(r.roadmap.edges) for r in (a, b)]
        rows.append(Claim(
            "collision tests dominate: an edge of Exp. 3 costs 4 times one of Exp. 1 to build",
            each[1] >= 4.0 * each[0], f"{each[1] / each[0]:.1f} times", "9.3 times",
            note=f"{a.build_s:.2f} s and {b.build_s:.2f} s in all",
        ))  # fmt: skip
    fit = _linearity(runs)
    if fit is not None:
        rows.append(Claim("the time of making the motion is linear in its frames",
                            fit > 0.95, f"R² = {fit:.2f}", compared="R² > 0.95"))  # fmt: skip
    rows.append(Claim(
        "the body's estimate (Fig. 7) makes retargeting easier than the stitched root", None,
        "not run", note="both are one step here; adapt's own tests compare them",
    ))  # fmt: skip
    return tuple(rows)


def _linearity(runs: Mapping[str, ExperimentRun]) -> float | None:
    """Return R² of the time of the motion over its frames; None for too few."""
    every = [a for run in runs.values() for a in run.answers if a.plan.found]
    frames = [frames_of(a) for a in every]
    if len(every) < 4 or len(set(frames)) < 2:
        return None
    return linear_fit(frames, [a.plan.timings["motion"] for a in every])[1]


def sampling_findings(found: SamplingRun) -> tuple[Claim, ...]:
    """Return the claims of the discussion."""
    mean = found.solved.mean(axis=2)
    return (
        _better(found, mean, 0, 1, "enhancement raises success against as many uniform samples"),
        _better(found, mean, 0, 2, "random sampling needs fewer samples than a regular grid"),
    )


def _better(found: SamplingRun, mean: Floats, one: int, other: int, claim: str) -> Claim:
    a, b = float(mean[one].mean()), float(mean[other].mean())
    # A roadmap joins the halls or does not: each counts once, whatever the number of queries.
    maps = found.solved[0].size
    both = 0.5 * (a + b)
    spread = math.sqrt(2.0 * both * (1.0 - both) / maps)
    chance = 0.5 * math.erfc((a - b) / spread / math.sqrt(2.0)) if spread > 0.0 else 1.0
    sides = [" / ".join(f"{100.0 * v:.0f} %" for v in mean[w]) for w in (one, other)]
    return Claim(
        claim, a > b and chance < 0.05, f"{sides[0]} against {sides[1]} solved",
        compared="p < 0.05", note=f"with {' / '.join(map(str, found.sizes))} footholds in "
        f"{found.scene}, {found.solved.shape[2]} roadmaps each; p = {chance:.2g}",
    )  # fmt: skip
