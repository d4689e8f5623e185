"""The options of the method `graph`: building the graph and following paths."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.adapt.edit.variation import MOST_AMOUNT
from footfall.errors import InputError
from footfall.gait.path import METHODS as ABSTRACTIONS
from footfall.graph.build import GraphSettings
from footfall.graph.costs import Wishes
from footfall.pose.metrics import METRICS
from footfall.search.beam import WIDTH
from footfall.search.branch_and_bound import MOST_OPENED
from footfall.task.options import Options, option

SEARCHES = ("beam", "branch_and_bound")
MOST_AHEAD, MOST_WIDTH, MOST_AT_ONCE = 20_000, 20_000, 2_000_000
"""How far, how wide, and how much of both together a search may look: some hundred megabytes."""


@dataclass(frozen=True)
class GraphOptions(Options):
    """Options of motion graphs; a stated number of transitions gives that graph alone."""

    metric: str = option("point_cloud", "how poses are compared", valid=tuple(METRICS))
    threshold: float | None = option(
        None, "the largest distance of a transition", least=0.0, most=1e9
    )
    percentile: float | None = option(
        None, "… or how many percent of all pairs of frames are nearer", least=0.0, most=100.0
    )
    edges: int | None = option(None, "… or how many edges the graph has", least=1, most=1e9)
    window_s: float = option(1.0 / 3.0, "how long transitions blend, seconds", least=0.01, most=2.0)
    contact_compatible: bool = option(False, "only transitions where the same feet stand")
    mirror: bool = option(False, "the mirror image of every clip as well")
    abstraction: str = option(
        "gaussian", "how the path of a walk is abstracted from its sway", valid=ABSTRACTIONS
    )
    search: str = option("beam", "how walks are searched", valid=SEARCHES)
    start_node: int | str | None = option(
        None, 'the node to begin at, "random" by the seed, or the one that follows best'
    )
    ahead: int | None = option(None, "frames searched at a time", least=1, most=MOST_AHEAD)
    keep: int | None = option(None, "frames kept of each search", least=1, most=MOST_AHEAD)
    at_node: bool = option(False, "keep up to the next node instead of `keep` frames exactly")
    cap: int = option(
        MOST_OPENED, "nodes that one search opens at most, branch and bound", least=1, most=1e9
    )
    width: int = option(WIDTH, "walks that go side by side, beam", least=1, most=MOST_WIDTH)
    transition_cost_m2: float = option(
        0.05, "what a transition at the graph's threshold costs, beam", least=0.0, most=1e9
    )
    pace_cost_m2: float = option(
        5.0,
        "what a second off the pace costs, by the square of the share, beam",
        least=0.0,
        most=1e9,
    )
    style_cost_m2: float = option(
        2.0, "what passing to clips of quite another manner costs, beam", least=0.0, most=1e9
    )
    short_cost_m2: float = option(
        1.0, "what a segment costs that is left at once, beam", least=0.0, most=1e9
    )
    again_cost_m2: float = option(
        0.8, "what a second costs that was played within the last ten, beam", least=0.0, most=1e9
    )
    variety_m2: float = option(
        0.075, "the most that the seed adds to a transition, or to a second", least=0.0, most=1e9
    )
    corner_radius_m: float = option(
        0.0, "corners of the path are rounded by this, metres", least=0.0, most=1e9
    )
    closed: bool = option(False, "the path leads back to its beginning")
    rounds: int = option(1, "how many times a closed path is followed", least=1, most=1e6)
    edit_path: bool = option(True, "bring the walk onto the path after the search")
    retiming: float = option(
        0.15, "how much faster or slower a walk is played to keep the pace", least=0.0, most=0.5
    )
    variation: float = option(
        1.0,
        "how much strides differ from each other, against people's",
        least=0.0,
        most=MOST_AMOUNT,
    )
    lock_feet: bool = option(True, "hold the feet where they stand")

    def __post_init__(self) -> None:
        super().__post_init__()
        # A beam remembers every walk it tried: its memory is frames times walks.
        at_once = (self.ahead or 1) * self.width
        if at_once > MOST_AT_ONCE:
            raise InputError(
                f"ahead times width is {at_once}", remedy=f"it must be at most {MOST_AT_ONCE:g}"
            )
        self.settings()  # wrong together, though each is right alone

    def wishes(self, speed: float | None) -> Wishes:
        """Return the costs of a walk; a wished speed weighs twice the usual pace."""
        pace = self.pace_cost_m2 * (1.0 if speed is None else 2.0)
        return Wishes(
            speed, self.transition_cost_m2, pace, self.style_cost_m2,
            self.short_cost_m2, self.again_cost_m2, self.variety_m2,
        )  # fmt: skip

    @property
    def stated(self) -> bool:
        """Whether the number of transitions is stated."""
        return not (self.threshold is self.percentile is self.edges is None)

    def settings(self, fps: float = 30.0, percentile: float | None = None) -> GraphSettings:
        """Return how the graph is built; `percentile` where nobody said how many transitions."""
        share = self.percentile if self.stated else percentile
        return GraphSettings(
            self.metric, self.threshold, share, self.edges, self.window_s, fps,
            self.contact_compatible,
        )  # fmt: skip
