"""The posture transition graph: which postures clips can be joined in, and what leads between them.

Choi, Lee & Shin 2003, §2.1: nodes are postures, and an edge leads from one to another if some
move begins in the one and ends in the other. All moves of one edge are of one type: they may be
exchanged for each other. Where we differ: nobody draws the graph by hand; postures are found by
clustering the moments in which clips may be cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.maths.arrays import Bools, Ints
from footfall.roadmap.moves import Moves

BEHAVIOURS = {
    "hurdle": ("hurdle",), "jump": ("jump",), "hop": ("hop",), "step over": ("step_over",),
    "step up": ("step_up",), "step down": ("step_down",), "beam": ("beam",),
    "duck": ("duck", "crouch"), "sidestep": ("sidestep_left", "sidestep_right"),
    "turn in place": ("turn_in_place_left", "turn_in_place_right"), "backward": ("backward",),
    "run": ("run",), "walk": ("walk",), "stand": ("stand",),
}  # fmt: skip
"""What clips show, by their tags, the most special first."""
OTHER = "other"


@dataclass(frozen=True, eq=False)
class PostureGraph:
    """P postures and A arrows between them.

    feet      (P,) the foot that a posture is seen from, 0 left, 1 right
    at_rest   (P,) whether it stands        shown  (P,) a move that begins or ends in it, which
              tells what it looks like: (clip, frame) of it are `moments` (P, 2)
    tails, heads  (A,) the postures that an arrow leads from and to
    counts    (A,) how many moves it stands for
    kinds     (A,) which of `names` most of them show
    names     behaviours
    """

    feet: Ints
    at_rest: Bools
    moments: Ints
    tails: Ints
    heads: Ints
    counts: Ints
    kinds: Ints
    names: tuple[str, ...]

    @property
    def postures(self) -> int:
        """How many postures there are."""
        return len(self.feet)

    def posture_kinds(self) -> Ints:
        """(P,) the behaviour that most of the moves from and to each posture show."""
        votes = np.zeros((self.postures, len(self.names)), np.int64)
        for ends in (self.tails, self.heads):
            np.add.at(votes, (ends, self.kinds), self.counts)
        return np.asarray(votes.argmax(axis=1), np.int32)

    def dead_ends(self) -> Ints:
        """Postures from which no moves lead on to standing, or to which none lead from it."""
        return np.flatnonzero(~(self._reached(True) & self._reached(False))).astype(np.int32)

    def _reached(self, forward: bool) -> Bools:
        tails, heads = (self.tails, self.heads) if forward else (self.heads, self.tails)
        reached = np.array(self.at_rest)
        while True:
            more = reached.copy()
            more[heads[reached[tails]]] = True
            if (more == reached).all():
                return reached
            reached = more


def behaviour_of(clip: Clip) -> str:
    """What a clip shows, in a word."""
    return next((n for n, tags in BEHAVIOURS.items() if set(clip.tags) & set(tags)), OTHER)


def posture_graph(moves: Moves) -> PostureGraph:
    """The posture transition graph of moves."""
    names = (*BEHAVIOURS, OTHER)
    number = {name: n for n, name in enumerate(names)}
    kind_of = np.array([number[behaviour_of(clip)] for clip in moves.clips], np.int32)[moves.clip]
    arrow = moves.begins.astype(np.int64) * moves.postures + moves.ends
    arrows, which, counts = np.unique(arrow, return_inverse=True, return_counts=True)
    votes = np.zeros((len(arrows), len(names)), np.int64)
    np.add.at(votes, (which.reshape(-1), kind_of), 1)
    moments = np.zeros((moves.postures, 2), np.int32)
    feet = np.zeros(moves.postures, np.int32)
    first, last = moves.print_start[:-1], moves.print_start[1:] - 1
    for posture, frame, at in (
        (moves.ends, moves.last, last), (moves.begins, moves.first, first),
    ):  # fmt: skip
        moments[posture] = np.stack([moves.clip, frame], axis=1)
        feet[posture] = moves.foot[at]
    at_rest = np.isin(np.arange(moves.postures), moves.standing)
    tails, heads = np.divmod(arrows, moves.postures)
    kinds = votes.argmax(axis=1)
    return PostureGraph(
        feet, at_rest, moments, tails.astype(np.int32), heads.astype(np.int32),
        counts.astype(np.int32), kinds.astype(np.int32), names,
    )  # fmt: skip
