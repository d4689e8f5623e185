"""How the optimal motion is searched for: the options of the method `optimal`."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.optimal.heuristics import HEURISTICS
from footfall.optimal.product import ProductSettings
from footfall.optimal.search import SearchOptions
from footfall.search.ara import EPSILONS
from footfall.task.options import Options, option

_PRODUCT, _SEARCH = ProductSettings(), SearchOptions()


@dataclass(frozen=True)
class OptimalOptions(Options):
    """Options of the optimal search."""

    epsilon: float = option(
        EPSILONS[0], "how much estimates are inflated at first: more is found sooner", least=1.0,
        most=1000.0,
    )  # fmt: skip
    near_enough: float = option(
        1.0, "the search ends once the motion costs at most so many times the least", least=1.0,
        most=1000.0,
    )  # fmt: skip
    expansions: int = option(
        100_000, "states that one search expands, at most, where the query has no time limit",
        least=100, most=2_000_000_000,
    )  # fmt: skip
    heuristic: str = option(_SEARCH.heuristic, "how the cost that is left is estimated",
                            valid=HEURISTICS)  # fmt: skip
    poses: str = option(
        _SEARCH.poses, "whether states keep their exact pose or snap to cells",
        valid=("exact", "snap"),
    )  # fmt: skip
    memory_mb: float = option(
        _SEARCH.memory_mb, "megabytes that the states of the search may take", least=1.0, most=1e6
    )
    most_interpolated: int | None = option(
        None, "segments that may be interpolated, at most; none for any number", least=0, most=1000
    )
    weights: int = option(
        _PRODUCT.weights, "how many weights there are between two clips", least=0, most=99
    )
    most_edges: int = option(
        _PRODUCT.most_edges, "how many edges the interpolated graph may have", least=1000,
        most=50_000_000,
    )  # fmt: skip
    corridor_m: float | None = option(
        None, "how far from the sketch the root may be, metres; none for 0.5, or as the path says",
        least=0.05, most=100.0,
    )  # fmt: skip
    window_m: float = option(
        16.0, "longer tasks are searched window by window, each so many metres long", least=4.0,
        most=1000.0,
    )  # fmt: skip

    @property
    def epsilons(self) -> tuple[float, ...]:
        """What estimates are inflated by, improvement by improvement."""
        between = [e for e in EPSILONS if self.near_enough < e < self.epsilon]
        last = [self.near_enough] if self.near_enough < self.epsilon else []
        return (self.epsilon, *between, *last)

    @property
    def search(self) -> SearchOptions:
        """How the search goes."""
        return SearchOptions(
            self.poses, self.heuristic, self.epsilons, self.memory_mb,  # type: ignore[arg-type]
            self.most_interpolated,
        )  # fmt: skip

    @property
    def product(self) -> ProductSettings:
        """How the interpolated graph is made."""
        return ProductSettings(weights=self.weights, most_edges=self.most_edges)
