"""The motion graph as one of the planners: clips and options in, something that follows paths out.

Graphs are tried from strict to lax: the first holds the transitions that people do not notice; a
path that it cannot follow is given to one with more of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np

from footfall.errors import InputError
from footfall.graph.build import GraphSettings, build_graph
from footfall.graph.model import MotionGraph
from footfall.graph.plan import GraphOptions, plan_on_graph
from footfall.library.walking import Walkers
from footfall.task import NO_CLIP, Plan, Query

PERCENTILES = (2.0, 5.0, 10.0)
"""How many percent of all pairs of frames are near enough for a transition, from strict to lax."""
_STATED = ("threshold", "percentile", "edges")
_BUILD = ("metric", *_STATED, "window_s", "contact_compatible", "mirror")

Progress = Callable[[float], None]
Follow = Callable[[Query, Progress], Plan]


def option_names() -> tuple[str, ...]:
    """The names of the options that `prepare` knows."""
    return (*_BUILD, *(f.name for f in fields(GraphOptions)))


def prepare(walkers: Walkers, options: Mapping[str, Any], tell: Progress) -> Follow:
    """A planner of these clips: it follows the path of a query, knowing nothing of obstacles.

    Whoever states a threshold, a percentile or a number of edges gets that graph alone.
    """
    options = {k: v.item() if isinstance(v, np.generic) else v for k, v in options.items()}
    _check_kinds(options)
    how = GraphOptions(**{k: v for k, v in options.items() if k not in _BUILD})
    build = {k: v for k, v in options.items() if k in _BUILD}
    # Wrong settings are misuse; clips that no graph can be made of are not.
    GraphSettings(**{k: v for k, v in build.items() if k != "mirror"})
    stated = any(build.get(k) is not None for k in _STATED)
    shares: list[dict[str, Any]] = [{}] if stated else [{"percentile": p} for p in PERCENTILES]
    library = walkers.library
    if library is None:
        return lambda query, told: Plan(NO_CLIP, walkers.reason)

    @cache
    def graph(rung: int) -> MotionGraph | str:
        try:
            return build_graph(library, fps=library.fps, progress=tell, **build, **shares[rung])
        except InputError as error:
            return str(error)

    first = next((n for n in range(len(shares)) if not isinstance(graph(n), str)), None)
    if first is None:
        reason = f"the clips make no motion graph: {graph(len(shares) - 1)}"
        return lambda query, told: Plan(NO_CLIP, reason)
    rungs = list(range(first, len(shares)))

    def follow(query: Query, told: Progress) -> Plan:
        made = Plan(NO_CLIP, "nothing was tried")
        for rung in tuple(rungs):
            with_these = graph(rung)
            if isinstance(with_these, str):
                continue
            made = plan_on_graph(
                query, with_these, how, starts=walkers.starts, stops=walkers.stops, progress=told
            )
            if made.status != NO_CLIP:
                # What fewer transitions could not do, they will not on the next path like it.
                rungs[:] = range(rung, len(shares))
                return _told(made, 0.0 if stated else PERCENTILES[rung])
        return made

    return follow


def _check_kinds(options: Mapping[str, Any]) -> None:
    """Raise an InputError where an option is of another kind than it can be."""
    kinds = {f.name: str(f.type) for kind in (GraphOptions, GraphSettings) for f in fields(kind)}
    python = {"str": str, "bool": bool, "int": int, "float": (int, float), "None": type(None)}
    for name, value in options.items():
        allowed = kinds.get(name, "bool").split(" | ")
        number = isinstance(value, bool) and "bool" not in allowed
        if number or not any(isinstance(value, python[kind]) for kind in allowed):  # type: ignore[arg-type]
            words = {"str": "text", "bool": "true or false", "int": "a whole number",
                     "float": "a number", "None": "nothing"}  # fmt: skip
            remedy = "it takes " + " or ".join(words[kind] for kind in allowed if kind != "None")
            raise InputError(f"the option {name} is {str(value)[:40]!r}", remedy=remedy)


def _told(made: Plan, percentile: float) -> Plan:
    if percentile <= PERCENTILES[0]:
        return made
    note = f"the path asked for more transitions: those nearer than {percentile:g} % of all pairs"
    return replace(made, notes=(*made.notes, note))
