"""USD (UsdSkel), text (`.usda`) and binary (`.usd`, `.usdc`); needs the extra `usd`.

The two halves import OpenUSD, so they are imported only when a file is read or written.
"""

from __future__ import annotations

from pathlib import Path

from footfall.body.clip import Clip
from footfall.errors import MissingDependencyError
from footfall.files.intake.raw import RawMotion
from footfall.files.options import ReadOptions, WriteOptions

__all__ = ["read", "write"]


def read(path: Path, options: ReadOptions) -> RawMotion:
    """Return the motion of the skeleton with most animated joints on the stage."""
    _need_usd("reading USD")
    from footfall.files.usd.reader import read_usd

    return read_usd(path)


def write(clip: Clip, path: Path, options: WriteOptions) -> None:
    """Write a clip, with the mannequin as its body unless `options.mesh` is off.

    `options.up` and `options.unit_m` become the stage's upAxis and metersPerUnit (1 by default).
    """
    _need_usd("writing USD")
    from footfall.files.usd.writer import write_usd

    body = None
    if options.mesh and clip.skeleton.roles:
        from footfall.body.mannequin import mannequin

        body = mannequin(clip.skeleton)
    write_usd(clip, path, body, unit_m=options.unit_m or 1.0, up=options.up)


def _need_usd(purpose: str) -> None:
    try:
        from pxr import Usd  # noqa: F401
    except ImportError:
        raise MissingDependencyError("usd-core", "usd", purpose) from None
