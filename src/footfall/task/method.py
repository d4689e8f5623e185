"""The contract of planners, and the registry of methods.

A system is one package with a module `method` that holds a `METHOD`; nothing else has to know of
it. Planners from elsewhere are made known by `register_method`, or by an entry point of the group
`footfall.methods`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from footfall.errors import InputError, choices
from footfall.task.options import Options
from footfall.task.plan import NO_CLIP, NO_METHOD, Plan
from footfall.task.query import Query
from footfall.task.stages import Stage
from footfall.task.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from footfall.library.library import Library
    from footfall.task.draft import Draft
    from footfall.task.problem import Problem
    from footfall.world.scene import Scene

AUTO = "auto"
SYSTEMS = ("graph", "blending", "roadmap", "optimal")
"""The packages of Footfall that hold planners; those that are there are found."""
ENTRY_POINTS = "footfall.methods"
_FIT = 0.2
"""Methods that suit a query less are not tried after another one."""


@dataclass(frozen=True)
class Refusal:
    """Why a method cannot do something: the status and the reason of a plan."""

    reason: str
    status: str = NO_CLIP

    def plan(self) -> Plan:
        """Return the plan that says so."""
        return Plan(self.status, self.reason)


@dataclass(frozen=True)
class Selection:
    """The clips of a library that a method wants for a query, and what is worth knowing of it."""

    library: Library
    notes: tuple[str, ...] = ()


@runtime_checkable
class Method(Protocol):
    """A planner.

    name     the word for it on the command line
    summary  one phrase on what it is for
    stages   the kinds of stages that it can do
    Options  its options
    default_clips  the part of the default library that it wants, like "default:locomotion"
    ignores  optional: the wishes of a query that it ignores, of `task.wishes.WISHES`
    """

    name: str
    summary: str
    default_clips: str

    @property
    def stages(self) -> tuple[type[Stage], ...]: ...

    @property
    def Options(self) -> type[Options]: ...

    def suits(self, query: Query, library: Library | None) -> tuple[float, str]:
        """Return how well it suits a query, 0 (not at all) to 1, and why, in a sentence.

        library  the clips there are; None if it will have its own part of the default clips
        """
        ...

    def select(self, library: Library, query: Query) -> Selection | Refusal:
        """Return the clips that it wants for such a query; or why there are none."""
        ...

    def prepare(self, library: Library, scene: Scene | None, options: Any, watch: Watch) -> Any:
        """Build what does not depend on a query, off-line; or return a `Refusal`."""
        ...

    def search(self, model: Any, problem: Problem, watch: Watch) -> Iterator[Draft | Refusal]:
        """Yield drafts, each at least as good as the one before; or why there are none.

        When it continues after a draft, `problem.rejection_of(draft)` returns where that draft
        failed. The next drafts avoid those spans.
        """
        ...


_registered: dict[str, Method] = {}


def register_method(method: Method) -> None:
    """Make a planner known under its name."""
    if not isinstance(method, Method):
        raise InputError(
            f"{str(method)[:60]!r} is no method",
            remedy="it needs name, summary, stages, Options, suits, select, prepare and search",
        )
    if not method.name or method.name == AUTO or method.name in SYSTEMS:
        raise InputError(f"a method cannot be called {method.name!r}", remedy="choose another name")
    _registered[method.name] = method


def forget_method(name: str) -> None:
    """Take back what `register_method` did."""
    _registered.pop(name, None)


def method_names() -> tuple[str, ...]:
    """Return the names of all planners there are."""
    return (*(name for name in SYSTEMS if _system(name) is not None), *_registered, *_installed())


def find_method(name: str) -> Method:
    """Return the planner of this name."""
    method = _system(name) or _registered.get(name) if isinstance(name, str) else None
    if method is None and isinstance(name, str) and name in _installed():
        method = _installed()[name].load()
    if method is None:
        raise InputError(
            f"there is no method {str(name)[:40]!r}",
            remedy=choices((AUTO, *method_names()), str(name)),
        )
    return method


def _system(name: str) -> Method | None:
    if name not in SYSTEMS:
        return None
    module = f"footfall.{name}.method"
    try:
        method: Method = import_module(module).METHOD
    except ModuleNotFoundError as error:
        if error.name in (module, module.rpartition(".")[0]):
            return None
        raise
    return method


@cache
def _installed() -> dict[str, Any]:
    """Planners that other installed packages offer, by name, not loaded yet."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def rank_methods(query: Query, library: Library | None) -> list[tuple[Method, str]] | Refusal:
    """Return the methods that suit a query, the best first, and why; or why none can do it."""
    ranked: list[tuple[float, Method, str]] = []
    refusals = []
    for name in method_names():
        method = find_method(name)
        refusal = refuse_stages(method, query)
        if refusal is not None:
            refusals.append(refusal.reason)
            continue
        share, why = method.suits(query, library)
        if share <= 0.0:
            refusals.append(f"{name}: {why}")
        else:
            ranked.append((share, method, why))
    if not ranked:
        return Refusal("; ".join(refusals), NO_METHOD)
    ranked.sort(key=lambda row: -row[0])
    return [(method, why) for share, method, why in ranked if share >= min(_FIT, ranked[0][0])]


def refuse_stages(method: Method, query: Query) -> Refusal | None:
    """Return why a method cannot do a stage of a query, and which method could."""
    for number, stage in enumerate(query.stages):
        if isinstance(stage, method.stages):
            continue
        able = [name for name in method_names() if isinstance(stage, find_method(name).stages)]
        who = f"{' or '.join(able)} can" if able else "no method can yet"
        return Refusal(
            f"{method.name} cannot do stage {number + 1}, {stage.kind!r}; {who}", NO_METHOD
        )
    return None
