"""The options that say how to read a file when detection should be overruled."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footfall.files.options import ReadOptions

AXES = ("x", "y", "z", "-x", "-y", "-z")
FIRST_FRAMES = ("auto", "keep", "drop")


@dataclass(frozen=True)
class Reading:
    """How clips are read; a group of options (see `footfall.cli.options`).

    source_scale  Metres per unit of the file read (default: detected).
    source_up     Up axis of the file read: y, z, x, -y … .
    source_fps    True frame rate of the file read.
    first_frame   auto drops an inserted T-pose; keep; drop.
    roles         TOML file that names joints by hand ([roles]).
    body_model    Your SMPL body model (.npz), for AMASS clips.
    """

    source_scale: float | None = None
    source_up: str | None = None
    source_fps: float | None = None
    first_frame: str = "auto"
    roles: Path | None = None
    body_model: Path | None = None

    def options(self) -> ReadOptions:
        """Return the options as one checked value."""
        from footfall.body.roles import load_role_overrides
        from footfall.errors import InputError, check_range, choices
        from footfall.files.options import ReadOptions

        scale, up, fps = self.source_scale, self.source_up, self.source_fps
        if scale is not None:
            check_range("--source-scale", scale, above=0.0, below=1e6, unit="(metres per unit)")
        if fps is not None:
            check_range("--source-fps", fps, above=0.0, most=100_000, unit="(frames per second)")
        if up is not None and up.lower() not in AXES:
            raise InputError(f"--source-up is {up!r}", remedy=choices(AXES))
        if self.first_frame not in FIRST_FRAMES:
            raise InputError(
                f"--first-frame is {self.first_frame!r}",
                remedy=choices(FIRST_FRAMES, self.first_frame),
            )
        return ReadOptions(
            unit_m=scale, up=up.lower() if up else None, fps=fps, first_frame=self.first_frame,
            roles=None if self.roles is None else load_role_overrides(self.roles),
            body_model=str(self.body_model) if self.body_model else None,
        )  # fmt: skip

    @property
    def files(self) -> tuple[Path | None, ...]:
        """The files that these options name: inputs, not to be overwritten."""
        return (self.roles, self.body_model)


def clip_files(files: list[Path]) -> list[Path]:
    """Return the clips that names of clips and of folders of clips mean."""
    from footfall.files.formats import is_folder
    from footfall.verbs.convert import clips_in

    return [clip for file in files for clip in (clips_in(file) if is_folder(file) else [file])]
