"""Find tags: the behaviours of a clip, each with its time and its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.body.clip import Clip
from footfall.gait.contacts import Contacts, find_contacts
from footfall.gait.flight import Flight
from footfall.gait.footprints import Footprint, footprints
from footfall.gait.posture import Posture, down_mask, find_posture
from footfall.gait.steps import Step, as_faced, find_steps
from footfall.gait.strides import Stride, find_strides
from footfall.gait.touch import Touch, find_touches
from footfall.gait.turns import Turn, find_turns
from footfall.maths.arrays import Bools, Floats
from footfall.maths.constants import MEAN_LEG_M

TAGS = (
    "stand", "walk", "run", "start", "stop", "backward",
    "sidestep_left", "sidestep_right", "step",
    "curve_left", "curve_right", "turn_left", "turn_right",
    "turn_in_place_left", "turn_in_place_right",
    "jump", "hop", "hurdle", "step_over", "step_up", "step_down", "beam",
    "duck", "crouch", "crawl", "lie", "pick", "sit", "sit_down", "stand_up",
)  # fmt: skip
"""Every tag there is."""


JUMP_S = 0.25
"""Longer flights than this are jumps; those of running are shorter."""
RUN_PACE = 1.5
"""m/s of a mean body, from which on flights are those of running."""


@dataclass(frozen=True)
class Tag:
    """Something that is seen in a clip from `begin_s` to `end_s`; `evidence` says how."""

    name: str
    begin_s: float
    end_s: float
    evidence: str


@dataclass(frozen=True, eq=False)
class Sight:
    """All that was found out about how a clip goes; lengths in metres unless said otherwise."""

    contacts: Contacts
    posture: Posture

    @property
    def fps(self) -> float:
        return self.contacts.fps

    @property
    def leg_m(self) -> float:
        return self.contacts.motion.leg_m

    @property
    def size(self) -> float:
        """By which factor this body's speeds are larger than a mean body's (Froude)."""
        return float(np.sqrt(self.leg_m / MEAN_LEG_M))

    @property
    def seconds(self) -> float:
        return (len(self.contacts) - 1) / self.fps

    @cached_property
    def prints(self) -> tuple[Footprint, ...]:
        return footprints(self.contacts)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return find_steps(self.contacts, self.prints)

    @cached_property
    def strides(self) -> tuple[Stride, ...]:
        return find_strides(self.contacts, self.prints)

    @cached_property
    def long_flights(self) -> tuple[Flight, ...]:
        """Flights longer than those of running, by more than a frame may hide."""
        longest = JUMP_S + 0.5 / self.fps + 1e-6  # a whole number of frames is not longer
        return tuple(f for f in self.contacts.flights if f.seconds > longest)

    @cached_property
    def hops(self) -> tuple[Flight, ...]:
        """Short flights one after the other, slower than those of running; none if but one."""
        found = tuple(
            f
            for f in self.contacts.flights
            if f not in self.long_flights
            and f.ballistic
            and self.pace(max(f.begin_s - 0.3, 0.0), f.begin_s) < RUN_PACE
        )
        return found if len(found) >= 2 else ()

    def hopping(self, begin_s: float, end_s: float) -> bool:
        """Return whether there is a hop within a time."""
        return any(f.begin_s < end_s and f.end_s > begin_s for f in self.hops)

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        return find_turns(self.contacts.motion)

    @cached_property
    def touches(self) -> tuple[Touch, ...]:
        return find_touches(self.posture, self.fps, self.leg_m)

    @cached_property
    def down(self) -> Bools:
        """(T,) whether the body is on the floor with its trunk level: it lies or crawls."""
        return down_mask(self.posture, self.fps)

    @cached_property
    def footsteps(self) -> tuple[Step, ...]:
        """Steps of an upright body; feet move while lying or crawling as well."""
        return tuple(
            s for s in self.steps if np.mean(self.down[self.frames(s.begin_s, s.end_s)]) < 0.5
        )

    def moved(self, begin_s: float, end_s: float) -> tuple[float, float]:
        """Return how far the hips go forward and to the left, as the body faces, leg lengths."""
        motion = self.contacts.motion
        span = self.frames(begin_s, end_s)
        way = motion.hips[span.stop - 1] - motion.hips[span.start]
        forward, left = as_faced(way, float(np.median(motion.facing[span])))
        return forward / self.leg_m, left / self.leg_m

    def frame(self, seconds: float) -> int:
        """Return the frame nearest to a time."""
        return min(max(round(seconds * self.fps), 0), len(self.contacts) - 1)

    def frames(self, begin_s: float, end_s: float) -> slice:
        """Return the frames from one time to another, at least one."""
        first = self.frame(begin_s)
        return slice(first, max(self.frame(end_s), first) + 1)

    def pace(self, begin_s: float, end_s: float) -> float:
        """Mean speed over the ground, m/s, as of a mean body."""
        span = self.frames(begin_s, end_s)
        total = float(self._ways[span.stop] - self._ways[span.start])
        return float(total / (span.stop - span.start) / self.size)

    @cached_property
    def _ways(self) -> Floats:
        """(T + 1,) the pace summed up to each frame."""
        return np.concatenate([[0.0], np.cumsum(self.contacts.motion.pace)])


def look_at(clip: Clip, contacts: Contacts | None = None) -> Sight:
    """Find out how a clip goes."""
    contacts = contacts or find_contacts(clip)
    return Sight(contacts, find_posture(clip, contacts))


def find_tags(clip: Clip, sight: Sight | None = None) -> tuple[Tag, ...]:
    """Return the tags of a clip, in order of time; a clip may show several things, also at once."""
    from footfall.gait.tags_gait import gait_tags
    from footfall.gait.tags_posture import posture_tags

    sight = sight or look_at(clip)
    if sight.contacts.problem:
        return ()
    tags = [*gait_tags(sight), *posture_tags(sight)]
    order = {name: n for n, name in enumerate(TAGS)}
    return tuple(sorted(tags, key=lambda t: (t.begin_s, order[t.name])))


def tag_names(tags: tuple[Tag, ...]) -> tuple[str, ...]:
    """Return the names of tags, each once, in order of their first time."""
    return tuple(dict.fromkeys(tag.name for tag in tags))
