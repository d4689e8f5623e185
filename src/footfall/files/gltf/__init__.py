"""glTF 2.0, binary (`.glb`) and text (`.gltf`): metres, Y up."""

from __future__ import annotations

from pathlib import Path

from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.files.gltf.writer import write_glb
from footfall.files.intake.raw import RawMotion
from footfall.files.options import ReadOptions, WriteOptions

__all__ = ["read", "write", "write_glb"]


def read(path: Path, options: ReadOptions) -> RawMotion:
    """Return the motion of the skin, or of the animated nodes, that an animation moves most of."""
    from footfall.files.gltf.reader import read_gltf  # brings in pydantic, which writing needs not

    return read_gltf(path, options)


def write(clip: Clip, path: Path, options: WriteOptions) -> None:
    """Write a clip, with the mannequin as its body unless `options.mesh` is off.

    glTF states no unit and no axis: it is always metres and Y up, so asking for others is an
    error rather than a file that every tool would read wrongly.
    """
    if options.up != "y":
        raise InputError(f"glTF is always Y up, not {options.up!r} up", remedy="leave the axis out")
    if options.unit_m not in (None, 1.0):
        raise InputError("glTF is always in metres", remedy="leave the scale out")
    body = None
    if options.mesh and clip.skeleton.roles:
        from footfall.body.mannequin import mannequin

        body = mannequin(clip.skeleton)
    write_glb(clip, path, body)
