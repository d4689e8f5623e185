"""What a file says, before Footfall makes sense of it.

Every reader gives a `RawMotion`; `footfall.files.intake.clip` turns it into a `Clip`. Readers know
syntax; only the intake knows about bodies, units, axes and rest poses.
"""

from __future__ import annotations

from dataclasses import dataclass

from footfall.maths.arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class RawMotion:
    """A tree of joints and their local transforms, in the file's own units and axes.

    A joint's local transform at frame t is: translate by `translations[t]` if it has any (they
    replace `offsets`), else by `offsets`; then rotate by `rotations[t]`.

    names            J joint names as in the file
    parents          (J,) -1 for joint 0, parents first
    offsets          (J, 3) static translations in the parent's frame
    end_joints       (E,) and end_offsets (E, 3): end sites
    rotations        (T, J, 4) local rotations, w x y z, unit
    translations     joint index -> (T, 3) local translations, for joints whose translation moves
    rest_rotations   (J, 4) local rotations of the rest (bind) pose; None means identity
    fps              frames per second as stated (after snapping 0.0333333 s to 30 fps)
    unit_m           metres per unit if the format states it, else None
    up               "x", "y", "z", "-x"… if the format states it, else None
    contacts         (T, 4) if the format carries them;  touches (T, 3) likewise
    tags             what the clip shows, if the format carries that
    notes            what the reader recognised or repaired, one sentence each
    """

    format: str
    names: tuple[str, ...]
    parents: Ints
    offsets: Floats
    end_joints: Ints
    end_offsets: Floats
    rotations: Floats
    translations: dict[int, Floats]
    fps: float
    rest_rotations: Floats | None = None
    unit_m: float | None = None
    up: str | None = None
    contacts: Bools | None = None
    touches: Bools | None = None
    tags: tuple[str, ...] = ()
    name: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
