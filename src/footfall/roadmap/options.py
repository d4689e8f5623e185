"""How a roadmap is made and searched: the options of the method `roadmap`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from footfall.roadmap.paths import APART_M, MOST_UNLIKE, SEARCHES
from footfall.roadmap.refine import ROUNDS, SWEEPS
from footfall.roadmap.table import RoadmapSettings
from footfall.task.options import Options, option

_USUAL = RoadmapSettings()


@dataclass(frozen=True)
class RoadmapOptions(Options):
    """Options of roadmaps; the first five are those of the paper."""

    nodes: int = option(_USUAL.nodes, "footholds sampled at first", least=1, most=200_000)
    more: int = option(
        _USUAL.more, "footholds added where connections are few", least=0, most=200_000
    )
    neighbours: int = option(
        _USUAL.neighbours, "how many of the nearest each foothold is tried with", least=1, most=2000
    )
    stretch: float = option(
        _USUAL.scale, "how far steps may be stretched, as a share", least=0.0, most=0.9
    )
    turn_deg: float = option(
        round(math.degrees(_USUAL.turn), 3), "how far feet may be turned, degrees", least=0.0,
        most=180.0,
    )  # fmt: skip
    rise_m: float = option(
        _USUAL.rise_m,
        "how much higher or lower than in its clip a step of the mean body may lead, metres",
        least=0.0, most=1.0,
    )  # fmt: skip
    out_degree: int = option(
        _USUAL.out_degree, "moves kept from one foothold in one posture", least=1, most=1000
    )
    change_weight: float = option(
        _USUAL.change_weight,
        "what turning a step by a radian, or stretching it by 100 %, costs, J/kg",
        least=0.0,
        most=1e6,
    )
    climb_weight: float = option(
        _USUAL.climb_weight, "what a metre costs that a clip does not climb itself, J/kg",
        least=0.0, most=1e6,
    )  # fmt: skip
    gap_weight: float = option(
        _USUAL.gap_weight, "what a metre costs that is stepped, not leapt, over a gap, J/kg",
        least=0.0, most=1e6,
    )  # fmt: skip
    passages: float = option(
        _USUAL.passages, "the share of footholds in narrow passages, and again at crossings",
        least=0.0, most=0.5,
    )  # fmt: skip
    posture_m: float = option(
        0.28, "how unlike bodies may be where clips are joined, metres", least=0.001, most=2.0
    )
    sweeps: int = option(SWEEPS, "how often a path is straightened", least=0, most=1000)
    smoothing: int = option(
        ROUNDS, "how often differences of footprints from the clips' are smoothed", least=0,
        most=1000,
    )  # fmt: skip
    search: str = option("a*", "how paths are looked for", valid=SEARCHES)
    alternatives: int = option(
        1, "how many different paths are made motions of, the dearest first", least=1,
        most=MOST_UNLIKE + 1,
    )  # fmt: skip
    apart_m: float = option(
        APART_M, "how far apart alternatives get somewhere, metres", least=0.1, most=1000.0
    )
    resample: int = option(
        3, "how often footholds are added about a path that is not direct", least=0, most=100
    )
    denser: int = option(4, "how often the roadmap is made denser where it fails", least=0, most=10)

    def settings(self, seed: int = 0) -> RoadmapSettings:
        """Return how the roadmap is built."""
        return RoadmapSettings(
            self.nodes, self.more, self.neighbours, self.stretch, math.radians(self.turn_deg),
            self.rise_m, self.out_degree, _USUAL.alike, self.change_weight,
            self.climb_weight, seed, self.passages, self.gap_weight,
        )  # fmt: skip
