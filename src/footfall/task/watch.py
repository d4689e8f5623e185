"""Progress and cancelling: planners report news to a `Watch`, which may cancel the work.

def show(news: News) -> None: ...       # returning False cancels
planner.plan(query, watch=show)

watch = Watch()                          # or from another thread:
Thread(target=lambda: planner.plan(query, watch=watch)).start()
watch.cancel()
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from footfall.errors import InputError


@dataclass(frozen=True)
class News:
    """What there is to report of work under way.

    share  how much of it is done, 0 to 1
    cost   of the best plan so far; nan while there is none
    bound  that cost is at most this many times the least possible; inf while nothing is known
    note   a few words on what is being done
    """

    share: float
    cost: float = math.nan
    bound: float = math.inf
    note: str = ""


class Cancelled(BaseException):
    """Raised inside a planner whose work was cancelled, or whose time is over."""


Listener = Callable[[News], object]


class Watch:
    """Takes news of some work, never going back, and carries the wish to cancel it.

    listener  called with each `News`; if it returns False the work is cancelled
    flag      (1,) not 0 once the work is to stop; compiled searches look at it as they go
    """

    def __init__(self, listener: Listener | None = None) -> None:
        self.listener = listener
        self.flag: NDArray[np.uint8] = np.zeros(1, np.uint8)
        self.deadline = math.inf
        self.latest = News(0.0)

    def tell(
        self, share: float, *, cost: float | None = None, bound: float | None = None,
        note: str | None = None,
    ) -> None:  # fmt: skip
        """Report how far the work is; raises `Cancelled` if it is to stop."""
        news = replace(self.latest, share=min(max(self.latest.share, share), 1.0))
        changes = {"cost": cost, "bound": bound, "note": note}
        self.hear(replace(news, **{k: v for k, v in changes.items() if v is not None}))  # type: ignore[arg-type]
        self.check()

    def hear(self, news: News) -> None:
        """Pass news on to the listener, which may cancel."""
        self.latest = news
        if self.listener is not None and self.listener(news) is False:
            self.cancel()

    def check(self) -> None:
        """Raise `Cancelled` if the work is to stop."""
        if self.is_over:
            self.flag[0] = 1
            raise Cancelled

    @property
    def is_over(self) -> bool:
        """Whether the work was cancelled, or its time is over."""
        return bool(self.flag[0]) or time.perf_counter() > self.deadline

    @property
    def out_of_time(self) -> bool:
        """Whether it is the time that is over."""
        return time.perf_counter() > self.deadline

    def cancel(self) -> None:
        """Let the work stop; may be called from any thread."""
        self.flag[0] = 1

    @contextmanager
    def untimed(self) -> Iterator[None]:
        """Work that is done once and kept, as what clips are made into: its time does not count."""
        deadline, began = self.deadline, time.perf_counter()
        self.deadline = math.inf
        try:
            yield
        finally:
            self.deadline = deadline + (time.perf_counter() - began)

    def part(self, first: float, last: float) -> WatchPart:
        """Return a watch of a part of the work, with shares between `first` and `last`."""
        return WatchPart(self, first, last)


class WatchPart(Watch):
    """The watch of a part of some work; news and wishes go through to the whole."""

    def __init__(self, whole: Watch, first: float, last: float) -> None:
        self.whole, self.first, self.last = whole, first, last
        self.flag = whole.flag

    @property
    def latest(self) -> News:  # type: ignore[override]
        return self.whole.latest

    @property
    def deadline(self) -> float:  # type: ignore[override]
        return self.whole.deadline

    @deadline.setter
    def deadline(self, deadline: float) -> None:
        self.whole.deadline = deadline

    def tell(
        self, share: float, *, cost: float | None = None, bound: float | None = None,
        note: str | None = None,
    ) -> None:  # fmt: skip
        self.whole.tell(self._share_of_whole(share), cost=cost, bound=bound, note=note)

    def hear(self, news: News) -> None:
        self.whole.hear(replace(news, share=self._share_of_whole(news.share)))

    def _share_of_whole(self, share: float) -> float:
        return self.first + (self.last - self.first) * min(max(share, 0.0), 1.0)


def as_watch(given: Watch | Listener | None) -> Watch:
    """Return the caller's watch, one around a function, or one without a listener."""
    if isinstance(given, Watch):
        return given
    if given is not None and not callable(given):
        raise InputError(f"the watch is {str(given)[:60]!r}", remedy="give a function or a Watch")
    return Watch(given)
