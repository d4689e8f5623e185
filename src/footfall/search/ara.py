"""Anytime repairing A* (ARA*, Likhachev et al. 2003): a path at once, then better ones, with proof.

Each improvement looks with estimates inflated by a smaller epsilon, and goes on from what the
former ones found. Every `Improvement` says how many times the least possible cost its path may
cost at most.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from footfall.errors import InputError
from footfall.search.shortest_path import Flag, cancel_flag

EPSILONS = (10.0, 5.0, 3.0, 2.0, 1.5, 1.2, 1.0)
PAUSE_S = 0.01
"""How long a search goes on about before it looks at the clock."""
_EQUAL = 1e-9

Ending = Literal[
    "best",
    "near enough",
    "unproven",
    "no path",
    "cancelled",
    "out of time",
    "out of memory",
    "given up",
]
P_co = TypeVar("P_co", covariant=True)
P = TypeVar("P")


@dataclass(frozen=True, eq=False)
class Improvement(Generic[P_co]):
    """The best path so far.

    bound       its cost is at most this many times the least possible; inf if nothing is proven
    epsilon     how much estimates were inflated when it was found
    expansions  states expanded so far, all improvements together
    """

    path: P_co
    cost: float
    bound: float
    epsilon: float
    expansions: int


class Domain(Protocol[P_co]):
    """What is searched. A domain holds the states; its kernels are built of `ara_kernels`.

    admissible  whether no estimate is too high; if not, no bound is claimed
    sound       whether an improvement's epsilon is itself a bound: where estimates are
                consistent, or closed states are opened again
    """

    admissible: bool
    sound: bool

    def begin(self, epsilon: float) -> None:
        """Let all that waits wait for the next improvement."""

    def expand(self, most: int) -> tuple[int, int]:
        """Expand up to `most` states: how it ended (`ara_kernels`), how many there were."""

    def goal_cost(self) -> float:
        """Return the least cost of the goal so far; inf if it was not reached."""

    def path(self) -> tuple[P_co, float]:
        """Return the best path so far and its cost, which may be a little below `goal_cost`."""

    def least_estimate(self) -> float:
        """Return the least cost plus estimate of all states that wait."""


class Anytime(Generic[P]):
    """An anytime search: it yields better and better paths of a domain.

    epsilons  falling; the last is what is near enough
    deadline  `time.perf_counter()` at which it ends
    cancel    a flag (1,) that ends it once it is not 0
    most      states that are expanded at most, about
    ending    why it ended, once it did
    bound     the best that is proven, also after the last path was given
    """

    def __init__(
        self, domain: Domain[P], epsilons: Sequence[float] = EPSILONS,
        deadline: float = math.inf, cancel: Flag | None = None, most: float = math.inf,
    ) -> None:  # fmt: skip
        self.most = most
        self.domain, self.epsilons = domain, _check_epsilons(epsilons)
        self.deadline = deadline
        self.cancel = cancel_flag() if cancel is None else cancel
        self.ending: Ending | None = None
        self.expansions, self.cost, self.bound = 0, math.inf, math.inf
        self._most = 64

    def begin_with(self, cost: float, bound: float) -> None:
        """Know of a path that the domain knows already."""
        self.cost, self.bound = cost, bound

    def __iter__(self) -> Iterator[Improvement[P]]:
        epsilon = next((e for e in self.epsilons if e < self.bound), self.last)
        if self.bound <= self.last:
            self.ending = "best" if self.bound <= 1.0 else "near enough"
        while self.ending is None:
            self.domain.begin(epsilon)
            stopped = self._improve()
            found = self._what_is_new(epsilon, complete=stopped is None)
            self.ending = stopped or self._verdict(epsilon)
            if found is not None:
                yield found
            epsilon = next((e for e in self.epsilons if e < min(epsilon, self.bound)), self.last)

    @property
    def last(self) -> float:
        """The epsilon that is near enough."""
        return self.epsilons[-1]

    def _improve(self) -> Ending | None:
        """Expand until the improvement is complete; why not, if it is not."""
        from footfall.search.ara_kernels import CANCELLED, FINISHED, FULL

        while True:
            if self.cancel[0]:
                return "cancelled"
            began = time.perf_counter()
            if began > self.deadline:
                return "out of time"
            if self.expansions >= self.most:
                return "given up"
            end, expanded = self.domain.expand(int(min(self._most, self.most - self.expansions)))
            self.expansions += expanded
            if end == FINISHED:
                return None
            if end in (CANCELLED, FULL):
                return "cancelled" if end == CANCELLED else "out of memory"
            if time.perf_counter() - began < PAUSE_S:
                self._most *= 2
            elif self._most > 64:
                self._most //= 2

    def _what_is_new(self, epsilon: float, complete: bool) -> Improvement[P] | None:
        """Return the best path, if it is better than the former, or more is proven of it."""
        if not math.isfinite(self.domain.goal_cost()):
            return None
        path, cost = self.domain.path()
        bound = math.inf
        if self.domain.admissible:
            least = self.domain.least_estimate()
            if cost <= least * (1.0 + _EQUAL):
                bound = 1.0
            elif least > 0.0:
                bound = cost / least
            if complete and self.domain.sound:
                bound = min(bound, epsilon)
        better = cost < self.cost * (1.0 - _EQUAL)
        if not better and bound >= self.bound:
            return None
        if not better:
            cost = min(cost, self.cost)
        self.cost, self.bound = cost, min(bound, self.bound)
        return Improvement(path, cost, self.bound, epsilon, self.expansions)

    def _verdict(self, epsilon: float) -> Ending | None:
        """Return why the search is done after an improvement; None if there is more to do."""
        if not math.isfinite(self.cost):
            return "no path"  # what is closed and waits leads nowhere new
        if self.bound <= self.last:
            return "best" if self.bound <= 1.0 else "near enough"
        if not self.domain.admissible and epsilon <= self.last:
            return "unproven"
        return None


def rekey_states(
    states: NDArray[np.void], epsilon: float, limit: float, keys: NDArray[Any], items: NDArray[Any]
) -> int:
    """Begin an improvement: nothing is closed, and OPEN is all that waits; its number.

    States that cannot lead to less than `limit` are let go.
    """
    from footfall.search.ara_kernels import EXPANDED, WAITING

    mark = states["mark"]
    waits = (mark & WAITING > 0) & (states["cost"] + states["estimate"] < limit)
    states["mark"] = (mark & EXPANDED) | np.where(waits, WAITING, 0)
    return sort_heap(states, epsilon, keys, items)


def sort_heap(
    states: NDArray[np.void], epsilon: float, keys: NDArray[Any], items: NDArray[Any]
) -> int:
    """Make the heap anew, with one entry for each state that is OPEN; its number."""
    from footfall.search.ara_kernels import CLOSED, WAITING, key_of
    from footfall.search.heap_kernels import wide_heapify

    opened = np.flatnonzero(states["mark"] & (WAITING | CLOSED) == WAITING)
    estimates = states["estimate"][opened].astype(np.float64)
    keys[: len(opened)] = key_of(states["cost"][opened], estimates, epsilon)
    items[: len(opened)] = opened
    wide_heapify(keys, items, len(opened))
    return len(opened)


def _check_epsilons(epsilons: Sequence[float]) -> tuple[float, ...]:
    numbers = tuple(float(e) for e in epsilons)
    falling = all(a > b for a, b in itertools.pairwise(numbers))
    if not numbers or not falling or not numbers[-1] >= 1.0 or not math.isfinite(numbers[0]):
        raise InputError(
            f"the epsilons are {', '.join(f'{e:g}' for e in numbers) or 'none'}",
            remedy="let them fall, the last of them at least 1",
        )
    return numbers
