"""A planner in thirty lines: it steps along a straight line, as somebody who stands."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from footfall.adapt.steps.stepping import make_steps
from footfall.body.clip import Clip
from footfall.body.edit import join, move
from footfall.task import GoTo, Segment, SourceClip
from footfall.task.draft import Draft
from footfall.task.method import Refusal, Selection
from footfall.task.options import Options, option

MOST_M = 50.0
"""Longer ways are stepped in parts."""


@dataclass(frozen=True)
class ToyOptions(Options):
    """Options of stepping."""

    stride: float = option(1.0, "how long its steps are, against the usual", least=0.5, most=1.2)


class Toy:
    name, summary, stages = "toy", "steps along a straight line", (GoTo,)
    Options, default_clips = ToyOptions, "default:locomotion"

    def suits(self, query, library):
        return 0.01, "it steps"

    def select(self, library, query):
        standing = library.tagged("start")
        return Selection(standing) if len(standing) else Refusal("no clip begins standing")

    def prepare(self, library, scene, options, watch):
        return next(iter(library)), options

    def search(self, model, problem, watch):
        clip, options = model
        start, goal = problem.query.points[[0, -1]]
        yaw = math.atan2(*(goal - start))
        for shorter in (0.8, 1.0):
            watch.tell(shorter, cost=1.0 / shorter, note="stepping")
            parts, at = [], start
            while np.linalg.norm(goal - at) > 1e-6:
                watch.check()
                share = min(MOST_M / float(np.linalg.norm(goal - at)), 1.0)
                to = at + share * (goal - at)
                begin, end = stand(clip, at, yaw), stand(clip, to, yaw)
                parts.append(make_steps(begin, end, longer=shorter * options.stride))
                at = to
            steps = join(parts)
            edges = [*range(0, len(steps), len(clip)), len(steps)]
            source = (SourceClip(clip.name, 0),)
            segments = tuple(Segment(a, b, "steps", source) for a, b in pairwise(edges))
            yield Draft(steps, segments, cost=1.0 / shorter)


def stand(clip: Clip, place: np.ndarray, yaw: float) -> Clip:
    """The first frame of a clip at a place, facing a way."""
    first = clip[:1]
    root = first.root * [0.0, 1.0, 0.0]
    return move(replace(first, root=root), *place.tolist(), yaw)


TOY = Toy()
