"""The graphs of the optimal search in the user's cache, by the address of what they are made of."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np

from footfall.errors import FileFormatError, InputError
from footfall.library.library import Library
from footfall.library.store.arrays import Arrays, ArrayStore, Facts, address, check_types
from footfall.library.store.code import code_version
from footfall.library.store.index import skeleton_facts, skeleton_from_facts
from footfall.optimal.across import add_steps_across
from footfall.optimal.build import PhaseSettings, build_phase_graph
from footfall.optimal.model import InterpolatedGraph, PhaseGraph
from footfall.optimal.product import ProductSettings, Progress, build_product

_PHASES = ArrayStore("phase-graph", most_kept=8)
_PRODUCTS = ArrayStore("interpolated-graph", most_kept=4)
_INTS = frozenset(
    {"state_before", "state_signature", "edge_from", "edge_to", "edge_first", "frame_clip",
     "frame_source", "node_a", "node_b", "node_before", "node_signature", "edge_start", "edge_a",
     "edge_b"}
)  # fmt: skip
_BOOLS = frozenset({"state_rest", "node_rest"})
_SMALL = frozenset({"edge_discs"})
_AFTERWARDS = (
    "avoid", "draft", "environment", "failures", "goals", "heuristics", "method", "motion",
    "options", "passages", "plan", "problem", "search", "sketch", "starts", "stones", "touching",
    "unrolled", "world",
)  # fmt: skip
"""How the names of modules begin that only use graphs."""
_NOT_ARRAYS = frozenset({"skeleton", "fps", "names", "phases", "rest_cost", "kept"})


def make_graph(
    library: Library,
    phase_settings: PhaseSettings = PhaseSettings(),  # noqa: B008
    settings: ProductSettings = ProductSettings(),  # noqa: B008
    progress: Progress | None = None,
) -> InterpolatedGraph:
    """The interpolated graph of a library: from the cache, or built and kept there."""
    tell = progress or (lambda _: None)
    whole = _address("interpolated", library, phase_settings, settings)
    part = _address("phases", library, phase_settings)
    phases = cached_phases(part) if part else None
    graph = cached_product(whole, phases) if phases is not None else None
    if phases is None:
        phases = build_phase_graph(library, phase_settings, lambda share: tell(0.5 * share))
        phases = add_steps_across(phases, phase_settings) if phase_settings.shifts else phases
        if part:
            keep_phases(part, phases)
    if graph is None:
        graph = build_product(phases, settings, lambda share: tell(0.5 + 0.5 * share))
        if whole:
            keep_product(whole, graph)
    tell(1.0)
    return graph


def cached_phases(key: str) -> PhaseGraph | None:
    """The phase graph under an address; None if there is none that can be trusted."""
    found = _PHASES.load(key)
    if found is not None:
        with suppress(FileFormatError):
            return _phases(*found, _PHASES.path(key))
    return None


def keep_phases(key: str, graph: PhaseGraph) -> None:
    """Keep a phase graph under an address; where the cache cannot be written nothing is kept."""
    facts = {
        "character": skeleton_facts(graph.skeleton), "fps": graph.fps, "names": list(graph.names),
        "rest_cost": graph.rest_cost,
    }  # fmt: skip
    _PHASES.keep(key, _arrays(graph), facts)


def cached_product(key: str, phases: PhaseGraph) -> InterpolatedGraph | None:
    """The interpolated graph of a phase graph under an address; None if there is none to trust."""
    found = _PRODUCTS.load(key)
    if found is not None:
        with suppress(FileFormatError):
            arrays, path = found[0], _PRODUCTS.path(key)
            return InterpolatedGraph(phases=phases, **_checked(InterpolatedGraph, arrays, path))
    return None


def keep_product(key: str, graph: InterpolatedGraph) -> None:
    """Keep an interpolated graph under an address; the phase graph is kept by itself."""
    _PRODUCTS.keep(key, _arrays(graph), {})


def _address(what: str, library: Library, *settings: Any) -> str:
    """The address of what is made of a library; "" for clips that are kept in memory."""
    if not all(entry.key for entry in library.entries):
        return ""
    clips = [(entry.name, entry.key, entry.mirrored, entry.tags) for entry in library.entries]
    character = library.character.fingerprint
    made_by = code_version(), _own_version()
    return address(
        what, made_by, character, library.fps, clips, [asdict(each) for each in settings]
    )


@cache
def _own_version() -> str:
    """A hash of the code that makes graphs: those made by another are made anew."""
    digest = sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if file.stem.startswith(_AFTERWARDS):
            continue
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def _array_names(kind: type[Any]) -> list[str]:
    return [name for name in kind.__dataclass_fields__ if name not in _NOT_ARRAYS]


def _type_of(name: str) -> type[np.generic]:
    if name in _INTS:
        return np.int32
    if name in _BOOLS:
        return np.uint8
    return np.float32 if name in _SMALL else np.float64


def _arrays(graph: PhaseGraph | InterpolatedGraph) -> Arrays:
    names = _array_names(type(graph))
    return {name: np.asarray(getattr(graph, name), _type_of(name)) for name in names}


def _checked(kind: type[Any], arrays: Arrays, path: Path) -> dict[str, Any]:
    types = {name: _type_of(name) for name in _array_names(kind)}
    found = cast("dict[str, Any]", dict(check_types(arrays, types, path)))
    for name in _BOOLS & found.keys():
        found[name] = found[name].astype(np.bool_)
    return found


def _phases(arrays: Arrays, facts: Facts, path: Path) -> PhaseGraph:
    try:
        return PhaseGraph(
            skeleton=skeleton_from_facts(facts["character"]), fps=float(facts["fps"]),
            names=tuple(str(name) for name in facts["names"]), rest_cost=float(facts["rest_cost"]),
            **_checked(PhaseGraph, arrays, path),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, InputError):
        raise FileFormatError("its description is not complete", where=str(path)) from None
