"""The options that say how to read a file when detection should be overruled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from footfall.files.options import ReadOptions

SourceScale = Annotated[
    float | None,
    typer.Option("--source-scale", help="Metres per unit of the file read (default: detected)."),
]
SourceUp = Annotated[
    str | None, typer.Option("--source-up", help="Up axis of the file read: y, z, x, -y … .")
]
SourceFps = Annotated[
    float | None, typer.Option("--source-fps", help="True frame rate of the file read.")
]
FirstFrame = Annotated[
    str, typer.Option("--first-frame", help="auto drops an inserted T-pose; keep; drop.")
]
Roles = Annotated[
    Path | None, typer.Option("--roles", help="TOML file that names joints by hand ([roles]).")
]
BodyModel = Annotated[
    Path | None, typer.Option("--body-model", help="Your SMPL body model (.npz), for AMASS clips.")
]


def read_options(
    scale: float | None = None,
    up: str | None = None,
    fps: float | None = None,
    first_frame: str = "auto",
    roles: Path | None = None,
    body_model: Path | None = None,
) -> ReadOptions:
    """The options as one checked value."""
    from footfall.errors import InputError, choices
    from footfall.files.options import ReadOptions

    if scale is not None and not 0.0 < scale < 1e6:
        raise InputError(f"--source-scale is {scale}", remedy="metres per unit, above 0")
    if fps is not None and not 0.0 < fps <= 100_000:
        raise InputError(f"--source-fps is {fps}", remedy="frames per second, above 0")
    axes = ("x", "y", "z", "-x", "-y", "-z")
    if up is not None and up.lower() not in axes:
        raise InputError(f"--source-up is {up!r}", remedy=choices(axes))
    frames = ("auto", "keep", "drop")
    if first_frame not in frames:
        raise InputError(f"--first-frame is {first_frame!r}", remedy=choices(frames, first_frame))
    overrides = None
    if roles is not None:
        from footfall.body.roles import load_role_overrides

        overrides = load_role_overrides(roles)
    return ReadOptions(
        unit_m=scale,
        up=up.lower() if up else None,
        fps=fps,
        first_frame=first_frame,
        roles=overrides,
        body_model=str(body_model) if body_model else None,
    )
