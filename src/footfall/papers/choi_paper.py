"""Printed figures of Choi, Lee & Shin (2003): four experiments and Table I."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.papers.printed import printed_figures

STRETCH, TURN_DEG = 0.25, 45.0
"""The most that moves are changed; 0.25 pi of a half angle is taken as 45 degrees."""
SWEEPS = 4
FRAMES_PER_S, FRAME_RATE = 1000.0, 30.0
"""Claim: more than this many frames a second after preprocessing; and frames of a second."""


@dataclass(frozen=True)
class PrintedQuery:
    """A query of Table I.

    query    the scene's own query that stands for it
    clips    motion clips on its path          frames   of its motion
    search_s, refine_s, estimate_s, retarget_s   seconds
    shows    behaviours, by tag, each a choice, that its motion is said to show
    said     the same in words
    """

    query: str
    clips: int
    frames: int
    search_s: float
    refine_s: float
    estimate_s: float
    retarget_s: float
    shows: tuple[tuple[str, ...], ...] = ()
    said: str = ""


@dataclass(frozen=True)
class Experiment:
    """A column of Table I, with the scene and the default clips that stand for the paper's.

    dearness  behaviours that are preferred or not, by tag, and how dear they are
    """

    name: str
    number: int
    scene: str
    figure: int
    clips: tuple[str, ...]
    nodes: int
    more: int
    neighbours: int
    edges: int
    per_node: float
    construction_s: float
    queries: tuple[PrintedQuery, ...]
    dearness: tuple[tuple[str, float], ...] = ()


def _experiments() -> dict[str, Experiment]:
    printed = printed_figures("choi")
    made = {}
    for name, row in printed["experiments"].items():
        queries = tuple(PrintedQuery(**query) for query in row.pop("queries"))
        clips = tuple(clip for part in row.pop("clips") for clip in printed["clips"][part])
        dearness = tuple(row.pop("dearness", {}).items())
        made[name] = Experiment(name, clips=clips, queries=queries, dearness=dearness, **row)
    return made


EXPERIMENTS = _experiments()
