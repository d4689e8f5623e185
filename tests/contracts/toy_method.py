"""A planner in thirty lines: a standing clip slides along a straight line."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall.maths.easing import smootherstep
from footfall.task import GoTo, Segment, SourceClip
from footfall.task.draft import Draft, Finishing
from footfall.task.method import Refusal, Selection
from footfall.task.options import Options, option


@dataclass(frozen=True)
class ToyOptions(Options):
    """Options of sliding."""

    speed_m_s: float = option(1.0, "how quickly it slides", least=0.1, most=10.0)


class Toy:
    name, summary, stages = "toy", "slides a standing clip along a straight line", (GoTo,)
    Options, default_clips = ToyOptions, "default:locomotion"

    def suits(self, query, library):
        return 0.01, "it slides"

    def select(self, library, query):
        standing = library.tagged("start")
        return Selection(standing) if len(standing) else Refusal("no clip begins standing")

    def prepare(self, library, scene, options, watch):
        return next(iter(library)), options

    def search(self, model, problem, watch):
        clip, options = model
        query = problem.query
        start, goal = query.points[0], query.points[-1]
        length = float(np.linalg.norm(goal - start))
        for slower in (1.5, 1.0):
            watch.tell(1.0 / slower, cost=slower, note="sliding")
            frames = min(max(2, round(length / options.speed_m_s * slower * clip.fps)), len(clip))
            pose = np.zeros(frames, int)
            root = clip.root[pose] + 0.0
            share = smootherstep(np.linspace(-0.3, 1.3, frames))  # it rests at both ends
            root[:, [0, 2]] = start + share[:, None] * (goal - start)
            moved = replace(clip, root=root, rotations=clip.rotations[pose], contacts=None)
            source = Segment(0, frames, "clip", (SourceClip(clip.name, 0),))
            yield Draft(moved, (source,), cost=slower, finishing=Finishing(lock_feet=False))


TOY = Toy()
