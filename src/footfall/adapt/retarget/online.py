"""On-line retargeting: motion put on another character frame by frame, feet held on any ground.

Importance-based, after Shin, Lee, Gleicher & Shin 2001 as Park, Shin & Shin 2002, §5.4, use it:
the nearer a foot is to the ground, or a hand to its object, the more its place counts; far away
the joint angles count. The root follows what counts, then is brought within reach of the feet
that stand. It is causal: a step sees the present frame and what it remembers of the past.

Where we differ: a foot's place is blended, and the limb then solved exactly, instead of blending
joint angles after solving, so a foot that comes down is already where it will stay; the source's
heel and toe contacts say which point of the sole stays put; what jumps (a hold that ends, a foot
that lies down) is carried over and fades.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from footfall.adapt.feet.holds import GroundSurface
from footfall.adapt.feet.lock import with_contacts
from footfall.adapt.retarget.state import blank_bodies, blank_feet, blank_poses, figures_of
from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints

_MOST_CHARACTERS = 1_000_000
_SAMPLES = 3
"""Ground is asked for below heel and ball, and ahead of the ball."""


class OnlineRetargeter:
    """Puts the motion of one kind of source on N rigs of one character, frame by frame.

    Give one frame of each character to every `step`. The rigs remember their feet; `reset`
    makes them forget. `slips` (N,) counts the holds given up because no leg could reach them.

    exact_steps  footprints are where the source's are; else the way scales with the legs
    """

    def __init__(
        self,
        source: Skeleton,
        character: Skeleton,
        fps: float,
        rigs: int = 1,
        ground: GroundSurface | None = None,
        exact_steps: bool = False,
    ) -> None:
        if not (np.isfinite(fps) and 0.0 < fps <= 100_000.0):
            raise InputError(f"the frame rate is {fps}", remedy="it must be a positive number")
        if not 1 <= rigs <= _MOST_CHARACTERS:
            raise InputError(f"{rigs} rigs", remedy=f"1 to {_MOST_CHARACTERS:,}")
        self.source, self.character, self.ground = source, character, ground
        self._rigs = figures_of(source, character, exact_steps)
        self._rigs.fixed["dt"] = 1.0 / fps
        self._feet, self._bodies = blank_feet(rigs), blank_bodies(rigs)
        self._poses = blank_poses(source, character, rigs)
        self._root = np.zeros((rigs, 3))
        self._rotations = np.zeros((rigs, len(source), 4))

    def __len__(self) -> int:
        return len(self._bodies)

    @property
    def phases(self) -> Ints:
        """(N, 2) how the left and right foot are held: 0 not at all, else HEEL, FLAT or BALL."""
        return np.asarray(self._feet["phase"])

    @property
    def slips(self) -> Ints:
        """(N,) how many holds were given up."""
        return np.asarray(self._bodies["slips"])

    def reset(self, which: ArrayLike | None = None) -> None:
        """Forget the past of the rigs `which` (indices or a mask), or of all."""
        chosen = slice(None) if which is None else np.asarray(which)
        self._feet[chosen] = blank_feet(len(self))[chosen]
        self._bodies[chosen] = blank_bodies(len(self))[chosen]

    def step(
        self,
        root: ArrayLike,
        rotations: ArrayLike,
        contacts: ArrayLike,
        source_objects: ArrayLike | None = None,
        objects: ArrayLike | None = None,
    ) -> tuple[Floats, Floats]:
        """Return one frame of every character: root (N, 3) and rotations (N, J, 4).

        root       (N, 3), rotations (N, S, 4): the source's poses, on flat ground at height 0
        contacts   (N, 4) which points of its feet touch (`CONTACT_POINTS`)
        objects    (N, 2, 3) what the left and right hand reach for, in the character's world, and
                   source_objects in the source's; NaN for none
        The arrays that come back are overwritten by the next step.
        """
        from footfall.adapt.retarget.step_kernels import step

        _take(self._root, root, "root")
        _take(self._rotations, rotations, "rotations")
        touches = np.asarray(contacts, np.bool_)
        if touches.shape != (len(self), 4):
            raise InputError(
                f"contacts of shape {touches.shape}", remedy=f"({len(self)}, 4) is right"
            )
        self._feet["touches"] = touches.reshape(-1, 2, 2)
        for name, given in (("source_objects", source_objects), ("objects", objects)):
            _take(self._bodies[name], np.nan if given is None else given)
        memory = (
            self._rigs, self._feet, self._bodies, self._root, self._rotations,
            self._poses,
        )  # fmt: skip
        if self.ground is None:
            step(True, True, *memory)
        else:
            step(True, False, *memory)
            self._ask_ground(self.ground)
            step(False, True, *memory)
        return self._poses.root, self._poses.rotations

    def _ask_ground(self, ground: GroundSurface) -> None:
        """Fill heights and normals at the samples; where there is no ground the last ones stay."""
        samples = np.ascontiguousarray(self._feet["samples"][:, :, :_SAMPLES])
        heights = ground.height(samples.reshape(-1, 2)).reshape(samples.shape[:3])
        np.copyto(self._feet["heights"][:, :, :_SAMPLES], heights, where=np.isfinite(heights))
        normals = ground.normal(np.ascontiguousarray(samples[:, :, 1]).reshape(-1, 2))
        normals = normals.reshape(-1, 2, 3)
        np.copyto(self._feet["normal"], normals, where=np.isfinite(normals))


def retarget_online(
    clip: Clip, character: Skeleton, ground: GroundSurface | None = None, exact_steps: bool = False
) -> Clip:
    """Return a whole clip through an `OnlineRetargeter`, one frame after the other."""
    clip = with_contacts(clip)
    assert clip.contacts is not None
    live = OnlineRetargeter(clip.skeleton, character, clip.fps, 1, ground, exact_steps)
    root, rotations = np.empty((len(clip), 3)), np.empty((len(clip), len(character), 4))
    for t in range(len(clip)):
        now = slice(t, t + 1)
        root[now], rotations[now] = live.step(
            clip.root[now], clip.rotations[now], clip.contacts[now]
        )
    return clip.derive(skeleton=character, root=root, rotations=quat.continuous(rotations))


def _take(room: Floats | Bools, values: ArrayLike, name: str = "") -> None:
    """Copy `values` to `room`; with a name, the shape must be the same and all finite."""
    array = np.asarray(values, dtype=room.dtype)
    if array.shape != room.shape and (name or array.ndim > 0):
        raise InputError(
            f"{name or 'objects'} of shape {array.shape}", remedy=f"{room.shape} is right"
        )
    if name and room.dtype == np.float64 and not np.isfinite(array).all():
        raise InputError(f"{name} holds a number that is not finite", remedy="all must be finite")
    room[...] = array
