"""The options that say how to read a file when detection should be overruled."""

from __future__ import annotations

from dataclasses import dataclass
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

AXES = ("x", "y", "z", "-x", "-y", "-z")
FIRST_FRAMES = ("auto", "keep", "drop")


@dataclass(frozen=True)
class Reading:
    """How clips are read; a group of options (see `footfall.cli.options`)."""

    source_scale: SourceScale = None
    source_up: SourceUp = None
    source_fps: SourceFps = None
    first_frame: FirstFrame = "auto"
    roles: Roles = None
    body_model: BodyModel = None

    def options(self) -> ReadOptions:
        """The options as one checked value."""
        return read_options(
            self.source_scale, self.source_up, self.source_fps, self.first_frame, self.roles,
            self.body_model,
        )  # fmt: skip

    @property
    def files(self) -> tuple[Path | None, ...]:
        """The files that these options name: inputs, not to be overwritten."""
        return (self.roles, self.body_model)


def read_options(
    scale: float | None = None,
    up: str | None = None,
    fps: float | None = None,
    first_frame: str = "auto",
    roles: Path | None = None,
    body_model: Path | None = None,
) -> ReadOptions:
    """The options as one checked value."""
    from footfall.errors import InputError, check_range, choices
    from footfall.files.options import ReadOptions

    if scale is not None:
        check_range("--source-scale", scale, above=0.0, below=1e6, unit="(metres per unit)")
    if fps is not None:
        check_range("--source-fps", fps, above=0.0, most=100_000, unit="(frames per second)")
    if up is not None and up.lower() not in AXES:
        raise InputError(f"--source-up is {up!r}", remedy=choices(AXES))
    if first_frame not in FIRST_FRAMES:
        raise InputError(
            f"--first-frame is {first_frame!r}", remedy=choices(FIRST_FRAMES, first_frame)
        )
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


def clip_files(files: list[Path]) -> list[Path]:
    """The clips that names of clips and of folders of clips mean."""
    from footfall.files.formats import is_folder
    from footfall.verbs.convert import clips_in

    return [clip for file in files for clip in (clips_in(file) if is_folder(file) else [file])]
