"""How strides are blended and steered: the options of the method `blending`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from footfall.adapt.edit.variation import MOST_AMOUNT
from footfall.blending.build import SpaceSettings
from footfall.blending.control import SteeringOptions
from footfall.errors import InputError
from footfall.task.options import Options, option

_SPACE, _STEERING = SpaceSettings(), SteeringOptions()


@dataclass(frozen=True)
class BlendingOptions(Options):
    """Options of blending."""

    examples: int = option(_SPACE.most, "strides taken from the clips at most", least=1, most=500)
    mirror: bool = option(_SPACE.mirrored, "the mirror image of every stride as well")
    in_place: bool = option(_SPACE.in_place, "stepping on the spot is made")
    sway: float = option(
        _STEERING.sway, "how much of the body's sway beside the path is kept", least=0.0, most=1.0
    )
    accelerate_m_s2: float = option(
        _STEERING.speed_up_m_s2, "how quickly speeds change at most, m/s²", least=0.1, most=50.0
    )
    variation: float = option(
        1.0, "how much trunk and arms differ from stride to stride, against people's usual",
        least=0.0, most=MOST_AMOUNT,
    )  # fmt: skip
    values: str = option(
        "", "values of parameters of your own that are wished for, like load=12,mood=0.5"
    )
    cut_m: float = option(
        0.5, "how far it cuts corners of the path at most where its speed needs it, metres",
        least=0.0, most=2.0,
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        self.wishes()

    def wishes(self) -> dict[str, float]:
        """The values that are wished for, by name."""
        found = {}
        for part in filter(None, (part.strip() for part in self.values.split(","))):
            name, mark, word = (p.strip() for p in part.partition("="))
            try:
                value = float(word)
            except ValueError:
                value = math.nan
            if not (mark and name and math.isfinite(value)):
                raise InputError(
                    f"values has {part!r}", remedy="names with numbers, like load=12,mood=0.5"
                )
            found[name] = value
        return found

    def space(self) -> SpaceSettings:
        """Which examples are taken."""
        return SpaceSettings(most=self.examples, mirrored=self.mirror, in_place=self.in_place)

    def steering(self) -> SteeringOptions:
        """How wishes are followed."""
        return SteeringOptions(speed_up_m_s2=self.accelerate_m_s2, sway=self.sway)
