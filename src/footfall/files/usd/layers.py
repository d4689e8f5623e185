"""Opening USD files: quietly, and only those in the opened file's own folder or below.

A stage may be put together from many files. A file that names others elsewhere is refused,
because opening it would open those too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pxr import Sdf, UsdUtils

from footfall.errors import FileFormatError

MAX_LAYERS = 32
MAX_ARCS = 32
"""References and the like in all layers together: nested ones multiply what they bring."""


@contextmanager
def quiet() -> Iterator[None]:
    """Keep USD's own diagnostics from standard error; what matters is raised."""
    delegate = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        yield
    finally:
        delegate.TakeUncoalescedDiagnostics()
        del delegate


def said_by(error: Exception) -> str:
    """Return USD's error in one short line, without its source lines and namespaces."""
    try:
        text = str(error)
    except UnicodeDecodeError:  # USD quotes the file's bytes as they are
        return "its text is damaged"
    said = re.findall(r" in file \S+ : '(.*?)(?=\n\s*Error in|\Z)", text, re.DOTALL) or [text]
    placed = [re.search(r":(\d+):\d+: (.*)", part, re.DOTALL) for part in said]
    found = next((match for match in placed if match), None)
    message = f"line {found[1]}: {found[2]}" if found else said[0]
    message = re.sub(r"\w+__pxrReserved__::|</[^>]*> ", "", message.partition(" at '")[0])
    return " ".join(message.split()).strip(" '.")[:160]


def safe_layer(path: Path) -> Any:
    """Return the root layer, once all that it would pull in is known to lie in its folder."""
    home = path.parent.resolve()
    root = Sdf.Layer.FindOrOpen(str(path.resolve()))
    if not root:
        raise FileFormatError("it is no USD file, or it is damaged")
    # A layer that is still held elsewhere in this process is not read again by itself.
    root.Reload()
    waiting, seen, arcs = [root], [root], 0
    while waiting:
        layer = waiting.pop()
        arcs += _count_arcs(layer)
        if arcs > MAX_ARCS:
            raise FileFormatError(
                f"it is put together by more than {MAX_ARCS} references", remedy="flatten the stage"
            )
        for name in layer.GetCompositionAssetDependencies():
            plain = Sdf.Layer.SplitIdentifier(name)[0]
            target = (Path(layer.realPath).parent / plain).resolve()
            if ":" in plain or "\0" in plain or not target.is_relative_to(home):
                raise FileFormatError(
                    f"it draws on {plain[:80]!r}, outside its own folder",
                    remedy="flatten the stage, or put the files beside it",
                )
            below = Sdf.Layer.FindOrOpen(str(target)) if target.is_file() else None
            if below and below not in seen:
                waiting.append(below)
                seen.append(below)
            if len(seen) > MAX_LAYERS:
                raise FileFormatError(f"it draws on more than {MAX_LAYERS} files")
    return root


def _count_arcs(layer: Any) -> int:
    """Return how many references a layer holds; nested ones multiply what they load."""
    count, waiting = 0, list(layer.rootPrims)
    while waiting:
        spec = waiting.pop()
        if spec is None:
            raise FileFormatError("its tree of prims is damaged")
        for arcs in (
            spec.referenceList,
            spec.payloadList,
            spec.inheritPathList,
            spec.specializesList,
        ):
            count += len(arcs.GetAddedOrExplicitItems())
        waiting.extend(spec.nameChildren)
    return count
