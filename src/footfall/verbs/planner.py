"""The front door: a query in, a plan out, whatever the method.

    from footfall import GoTo, Place, Query, plan, planner

    walk = plan(Query(Place(0, 0), GoTo(2, 6)))          # once
    walk.clip

    stays = planner(scene=load_scene("room"))            # prepares once, answers often
    stays.plan(query)
    for better in stays.plans(query): ...                # each at least as good as the last

`plan` chooses a method, lets it choose clips, prepares it, lets it solve the query while somebody
may watch or cancel, and checks every motion in its scene.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.errors import InputError
from footfall.task import CANCELLED, OUT_OF_TIME, Cancelled, Place, Plan, Query, Watch
from footfall.task import method as methods
from footfall.task.method import AUTO, Method, Refusal
from footfall.task.options import Options, make_options
from footfall.task.pipeline import solve
from footfall.task.plan import NO_CLIP, NO_PATH
from footfall.task.problem import Problem
from footfall.task.verify import AnatomyLimits, anatomy_limits
from footfall.task.watch import Listener, News, as_watch

if TYPE_CHECKING:
    from footfall.blending.control import Controller
    from footfall.body.skeleton import Skeleton
    from footfall.library.library import Library
    from footfall.world.scene import Scene

MOST_MODELS = 8
"""How many prepared models a planner keeps; the one not used for the longest time goes first."""
_POLL_S = 0.02
_PREPARED, _SOLVED = 0.6, 1.0


def plan(
    query: Query,
    *,
    method: str = AUTO,
    library: Library | str | Path = "default",
    character: Skeleton | str | Path | None = None,
    watch: Watch | Listener | None = None,
    **options: Any,
) -> Plan:
    """Return a motion that does what the query asks, or a status and a reason.

    method     the name of a planner (see `method_names`), or "auto"
    library    the clips to make it of: a library, its name or folder, a folder of clips, one clip
    character  a skeleton, or a file with one, that the clips are put on before they are used
    watch      called with news of the work; may cancel it
    options    options of the method (see `footfall plan --methods`)
    """
    check_query(query, method, options)
    made = planner(method, library=library, character=character, **options)
    return made.plan(query, watch=watch)


def planner(
    method: str = AUTO,
    *,
    library: Library | str | Path = "default",
    character: Skeleton | str | Path | None = None,
    scene: Scene | str | Path | None = None,
    **options: Any,
) -> Planner:
    """Return a planner that stays: what does not depend on a query is made ready once.

    scene  the world of queries that name none of their own, or its name or file
    """
    from footfall.files.scene.read import load_scene
    from footfall.library.characters import find_character
    from footfall.library.library import check_library_name

    _check_options(method, options)
    check_library_name(library)
    skeleton = None if character is None else find_character(character)
    world = load_scene(scene) if isinstance(scene, str | Path) else scene
    return Planner(method, library, skeleton, world, dict(options))


def controller(
    library: Library | str | Path = "default:park",
    character: Skeleton | str | Path | None = None,
    scene: Scene | str | Path | None = None,
    *,
    start: Place = Place(0.0, 0.0, 0.0),  # noqa: B008
) -> Controller:
    """Return a character that is steered live, frame by frame: it blends strides of a library.

        walker = controller("takes", "hero.glb", "hills")
        root, rotations = walker.step(1 / 60, speed=1.3, turn=0.2)

    library    the clips to blend: a library, its name or folder, a folder of clips
    character  a skeleton, or a file with one, that moves; else that of the clips
    scene      the world that it walks in; None for an endless plain
    start      where it stands at first
    """
    from footfall.blending.control import Controller
    from footfall.blending.space import space_of
    from footfall.files.scene.read import load_scene
    from footfall.library.characters import find_character
    from footfall.library.library import check_library_name

    check_library_name(library)
    skeleton = None if character is None else find_character(character)
    world = load_scene(scene) if isinstance(scene, str | Path) else scene
    found = Controller(space_of(library), skeleton, world)
    found.put([[start.x, start.z, start.yaw or 0.0]])
    return found


def check_query(query: Query, method: str = AUTO, options: dict[str, Any] | None = None) -> None:
    """Raise an InputError if this is no query, or the method or its options are none."""
    if not isinstance(query, Query):
        raise InputError(f"the query is {str(query)[:80]!r}", remedy="give a Query")
    _check_options(method, options or {})


def _check_options(method: str, options: dict[str, Any]) -> None:
    if method != AUTO:
        chosen = methods.find_method(method)
        make_options(chosen.Options, options, chosen.name)
    elif options:
        # With "auto" the options are those of whichever method knows them all.
        _methods_for(options)


def _methods_for(options: dict[str, Any]) -> list[Method]:
    """Return the methods that take all of these options; if none does, the error of the first."""
    found, first = [], None
    for name in methods.method_names():
        method = methods.find_method(name)
        try:
            make_options(method.Options, options, name)
        except InputError as error:
            first = first or error
        else:
            found.append(method)
    if not found and first is not None:
        raise first
    return found


@dataclass(frozen=True, eq=False)
class _Prepared:
    """A method's model for some clips in some scene, or why there is none."""

    model: Any
    notes: tuple[str, ...]
    timings: dict[str, float]
    skeleton: Skeleton
    limits: AnatomyLimits | None


class Planner:
    """Answers queries with one library, character and scene; safe from several threads."""

    def __init__(
        self, method: str, library: Library | str | Path, character: Skeleton | None,
        scene: Scene | None, options: dict[str, Any],
    ) -> None:  # fmt: skip
        self.method, self.scene, self.character = method, scene, character
        self._given, self._options = library, options
        self._libraries: dict[Any, Library] = {}
        self._models: OrderedDict[tuple[Any, ...], _Prepared] = OrderedDict()
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"Planner({self.method!r}, library={self._given!r}, scene={self.scene!r})"

    def plan(self, query: Query, watch: Watch | Listener | None = None) -> Plan:
        """Return the best plan that there is time for; or a status and a reason."""
        best: Plan | None = None
        for made in self.plans(query, watch):
            best = made
        assert best is not None  # `plans` yields at least a status
        return best

    def prepare(self, query: Query, watch: Watch | Listener | None = None) -> None:
        """Prepare the model for a query, however long that takes; `plan` then only searches."""
        ranked = self._rank(query, as_watch(watch))
        if not isinstance(ranked, Refusal):
            self._prepare(query, as_watch(watch), *ranked[0])

    def plans(self, query: Query, watch: Watch | Listener | None = None) -> Iterator[Plan]:
        """Plans as they are found, each at least as good as the one before.

        The work goes on in a thread of its own, so that cancelling, closing the iterator, or an
        interrupt takes effect at once, also in the middle of a compiled search.
        """
        check_query(query)
        if query.scene is None and self.scene is not None:
            query = replace(query, scene=self.scene)
        return self._plans(query, as_watch(watch))

    def _plans(self, query: Query, caller: Watch) -> Iterator[Plan]:
        began = time.perf_counter()
        # Whoever listens is asked before anything is done: short work may be over before the next
        # time, and what is cancelled already is not begun.
        caller.hear(News(0.0))
        if caller.is_over:
            yield Plan(CANCELLED, "it was cancelled before a motion was found")
            return
        inner = Watch()
        inner.deadline = math.inf if query.time_s is None else began + query.time_s
        work = _Work(self, query, inner)
        work.start()
        last: Plan | None = None
        try:
            for made in work.plans(caller):
                last = _timed(made, began)
                yield last
        except KeyboardInterrupt:
            # What was found a moment ago is not lost.
            inner.cancel()
            for made in work.rest():
                yield _timed(made, began)
            raise
        finally:
            inner.cancel()
            work.join()
        if last is None or work.stopped:
            ended = _ended(last, inner)
            if ended is not None:
                yield _timed(ended, began)
        caller.hear(replace(work.news, share=1.0))

    # ---- the work, in its own thread ----------------------------------------------------

    def _solve(self, query: Query, watch: Watch) -> Iterator[Plan]:
        """Yield plans by the method that suits best; where there are none, by the next one."""
        ranked, failed = self._rank(query, watch.part(0.0, 0.3)), list[Plan]()
        if isinstance(ranked, Refusal):
            return (yield ranked.plan())
        for method, choice in ranked:
            choice += "".join(f"; {plan.method} found none: {plan.reason}" for plan in failed)
            made: Plan | None = None
            for made in self._search(query, watch, method, choice):
                if made.clip is not None:
                    yield made
            if made is None or made.clip is not None:
                return
            failed.append(made)
            if made.status not in (NO_PATH, NO_CLIP):
                break
        others = [f"{plan.method}: {plan.reason}" for plan in failed[1:]]
        yield replace(failed[0], notes=(*failed[0].notes, *others))

    def _search(self, query: Query, watch: Watch, method: Method, choice: str) -> Iterator[Plan]:
        """Yield the plans of one method."""
        prepared = self._prepare(query, watch.part(0.0, _PREPARED), method, choice)
        if isinstance(prepared, Plan):
            return (yield prepared)
        began = time.perf_counter()
        problem = Problem(query, prepared.skeleton, prepared.limits)
        part = watch.part(_PREPARED, _SOLVED)
        for found in solve(method, prepared.model, problem, part):
            timings = {**prepared.timings, **found.timings}
            timings["solve"] = time.perf_counter() - began
            notes = (*prepared.notes, *found.notes)
            yield replace(found, method=method.name, choice=choice, timings=timings, notes=notes)

    def _prepare(self, query: Query, watch: Watch, method: Method, choice: str) -> _Prepared | Plan:
        """Return the model for such queries, made now or before; or the plan that says why not."""
        began = time.perf_counter()
        # Each method has its own part of the default clips.
        library = self._open_library(
            method.default_clips if self._is_default else self._given, watch.part(0.0, 0.5)
        )
        opened = time.perf_counter()
        selection = method.select(library, query)
        if isinstance(selection, Refusal):
            return replace(selection.plan(), method=method.name, choice=choice)
        names = tuple(entry.name for entry in selection.library.entries)
        key = (method.name, names, query.scene)
        with self._alone(watch):
            ready = self._models.get(key)
            if ready is None:
                clips = selection.library
                if self.character is not None:
                    from footfall.library.characters import put_on_character

                    clips = put_on_character(clips, self.character)
                options: Options = make_options(method.Options, self._options, method.name)
                model = method.prepare(clips, query.scene, options, watch.part(0.5, 1.0))
                limits = anatomy_limits(tuple(clips))
                ready = _Prepared(model, selection.notes, {}, clips.character, limits)
                self._models[key] = ready
                while len(self._models) > MOST_MODELS:
                    self._models.popitem(last=False)
            self._models.move_to_end(key)
        if isinstance(ready.model, Refusal):
            return replace(ready.model.plan(), method=method.name, choice=choice)
        timings = {"library": opened - began, "prepare": time.perf_counter() - opened}
        return replace(ready, notes=selection.notes, timings=timings)

    @contextmanager
    def _alone(self, watch: Watch) -> Iterator[None]:
        """Hold the lock; waiting for it can be cancelled."""
        while not self._lock.acquire(timeout=_POLL_S):
            watch.check()
        try:
            yield
        finally:
            self._lock.release()

    @property
    def _is_default(self) -> bool:
        return isinstance(self._given, str) and self._given == "default"

    def _open_library(self, given: Library | str | Path, watch: Watch) -> Library:
        from footfall.library.library import open_library

        with self._alone(watch), watch.untimed():
            if given not in self._libraries:
                self._libraries[given] = open_library(
                    given, lambda share: watch.tell(share, note="opening the library")
                )
            return self._libraries[given]

    def _rank(self, query: Query, watch: Watch) -> list[tuple[Method, str]] | Refusal:
        """Return the methods to try, the best first, and why each."""
        if self.method != AUTO or self._options:
            asked = self.method != AUTO
            method = methods.find_method(self.method) if asked else _methods_for(self._options)[0]
            why = "it was asked for" if asked else "its options were given"
            return methods.refuse_stages(method, query) or [(method, why)]
        library = None if self._is_default else self._open_library(self._given, watch)
        return methods.rank_methods(query, library)


class _Work(threading.Thread):
    """A query being solved; its results wait in a queue for the caller."""

    def __init__(self, planner: Planner, query: Query, watch: Watch) -> None:
        super().__init__(name="footfall-plan", daemon=True)
        self.planner, self.query, self.watch = planner, query, watch
        self.found: queue.SimpleQueue[Plan | BaseException | None] = queue.SimpleQueue()
        self.news, self.stopped = News(0.0), False
        watch.listener = self._take_news

    def _take_news(self, news: News) -> None:
        self.news = news

    def run(self) -> None:
        try:
            for made in self.planner._solve(self.query, self.watch):
                self.found.put(made)
                self.watch.check()
        except Cancelled:
            self.stopped = True
        except BaseException as error:  # it belongs to whoever asked, in their own thread
            self.found.put(error)
        self.found.put(None)

    def plans(self, caller: Watch) -> Iterator[Plan]:
        """Yield plans as they arrive; meanwhile report news to the caller's watch."""
        told: News | None = None
        while True:
            with suppress(queue.Empty):
                item = self.found.get(timeout=_POLL_S)
                if isinstance(item, Plan):
                    yield item
                elif item is None:
                    return
                else:
                    raise item
            if self.news is not told and self.news.share < 1.0:
                told = self.news
                caller.hear(told)
            if caller.is_over:
                self.watch.cancel()

    def rest(self) -> list[Plan]:
        """Return the plans that nobody took yet; the work is to be over first."""
        self.join()
        left = [self.found.get() for _ in range(self.found.qsize())]
        return [item for item in left if isinstance(item, Plan)]


def _timed(made: Plan, began: float) -> Plan:
    return replace(made, timings={**made.timings, "all": time.perf_counter() - began})


def _ended(last: Plan | None, watch: Watch) -> Plan | None:
    """Return the last word on work that was stopped."""
    if last is not None and last.clip is not None:
        if last.found:
            note = "time was over" if watch.out_of_time else "it was cancelled"
            return replace(last, notes=(*last.notes, f"{note} before all was tried"))
        return None
    if watch.out_of_time:
        return Plan(OUT_OF_TIME, "the time given was over before a motion was found")
    return Plan(CANCELLED, "it was cancelled before a motion was found")
