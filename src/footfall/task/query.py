"""A query: a start, stages in order, and wishes.

Query(Place(0, 0), GoTo(2, 6))                 # from here to there
Query(stages=Follow("zigzag"))                 # along a path
Query(Place(0, 0), (Via(1, 3), Pick(2, 0.8, 4), GoTo(0, 0)), scene="room")
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import InputError
from footfall.maths.arrays import Floats
from footfall.task.stages import Follow, GoTo, Place, Stage, is_number
from footfall.world.scene import Scene


@dataclass(frozen=True, eq=False)
class Query:
    """What to do and how.

    start   where to begin; None: where the path of the first stage begins
    stages  what to do, in order; a single stage need not be put into a tuple
    scene   the world to do it in, or its name or file; None for an endless plain
    speed   metres a second that are wished for; None for what the clips do
    style   the tag of the clips that are wished for, like "run"; None for any
    prefer  tag -> how much more (above 1) or less (below 1) its clips are wished for
    time_s  seconds that planning may take; None for as long as it needs
    seed    the same seed gives the same motion
    """

    start: Place | None = None
    stages: tuple[Stage, ...] = ()
    scene: Scene | None = None
    speed: float | None = None
    style: str | None = None
    prefer: Mapping[str, float] = field(default_factory=dict)
    time_s: float | None = None
    seed: int = 0

    if TYPE_CHECKING:  # what may be given is more than what is there afterwards

        def __init__(
            self,
            start: Place | None = None,
            stages: Iterable[Stage] | Stage = (),
            scene: Scene | str | Path | None = None,
            speed: float | None = None,
            style: str | None = None,
            prefer: Mapping[str, float] = ...,
            time_s: float | None = None,
            seed: int = 0,
        ) -> None: ...

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "stages", _as_stages(self.stages))
        self._check_start()
        if isinstance(self.scene, str | Path):
            from footfall.files.scene.read import load_scene

            put(self, "scene", load_scene(self.scene))
        if self.scene is not None and not isinstance(self.scene, Scene):
            raise InputError(
                f"the scene is {str(self.scene)[:80]!r}", remedy="give a scene, or its name or file"
            )
        for name, value, unit in (
            ("speed", self.speed, "metres a second"), ("time_s", self.time_s, "seconds"),
        ):  # fmt: skip
            if value is not None and not (is_number(value) and value > 0.0):
                raise InputError(
                    f"the {name} is {str(value)[:40]}", remedy=f"it takes {unit} above 0"
                )
        if self.style is not None and not (isinstance(self.style, str) and self.style):
            raise InputError(f"the style is {self.style!r}", remedy="it is the tag of some clips")
        put(self, "prefer", _as_preferences(self.prefer))
        if not isinstance(self.seed, Integral) or self.seed < 0:
            raise InputError(
                f"the seed is {self.seed!r}", remedy="it is a whole number, at least 0"
            )

    def _check_start(self) -> None:
        if self.start is not None and not isinstance(self.start, Place):
            raise InputError(f"the start is {str(self.start)[:80]}", remedy="give a Place(x, z)")
        if self.start is None and not isinstance(self.stages[0], Follow):
            raise InputError(
                "the task has neither a path nor a start", remedy="give a start, or a path first"
            )

    @property
    def points(self) -> Floats:
        """(N, 2) all the points on the ground that it leads through, the start first."""
        first = np.zeros((0, 2)) if self.start is None else self.start.point[None]
        return np.concatenate([first, *(stage.points for stage in self.stages)])

    @property
    def goal(self) -> GoTo | None:
        """The place to end at, if the last stage is one."""
        last = self.stages[-1]
        return last if isinstance(last, GoTo) else None

    @property
    def follows(self) -> bool:
        """Whether any of the stages is a path to follow."""
        return any(isinstance(stage, Follow) for stage in self.stages)


def _as_stages(given: object) -> tuple[Stage, ...]:
    stages = (given,) if isinstance(given, Stage) else given
    if isinstance(stages, str) or not isinstance(stages, Iterable):
        raise InputError(f"the stages are {str(given)[:80]!r}", remedy="give GoTo(x, z), …")
    stages = tuple(stages)
    for stage in stages:
        if not isinstance(stage, Stage):
            raise InputError(
                f"a stage is {str(stage)[:80]!r}", remedy="give GoTo(x, z), Follow(path), …"
            )
    if not stages:
        raise InputError("the task has no stages", remedy="give GoTo(x, z), Follow(path), …")
    return stages


def _as_preferences(given: object) -> Mapping[str, float]:
    if not isinstance(given, Mapping):
        raise InputError(f"prefer is {str(given)[:80]}", remedy='give a table like {"run": 2.0}')
    for tag, factor in given.items():
        if not isinstance(tag, str) or not (is_number(factor) and factor > 0.0):
            raise InputError(
                f"prefer has {str(tag)[:40]!r}: {str(factor)[:40]}",
                remedy="it takes tags with factors above 0",
            )
    return MappingProxyType(dict(given))
