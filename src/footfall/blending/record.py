"""A live character's motion as a clip: driven to the end, frame by frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from footfall.blending.control import Crowd
from footfall.blending.drive import Driver
from footfall.body.clip import Clip
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats

_SETTLES_S = 0.5
"""How long somebody stands on uneven ground before the motion begins."""


@dataclass(frozen=True, eq=False)
class Recording:
    """A motion and what was blended.

    clip      the motion        path     (T, 3) x, z and heading of the path it went along
    weights   (T, E) of the examples     achieved (T, P) speed, turn, style, …
    standing  (T,) whether it stood
    """

    clip: Clip
    path: Floats
    weights: Floats
    achieved: Floats
    standing: Bools


def record(
    walker: Crowd, driver: Driver, fps: float, most_s: float, *, stand_s: float = 0.3,
    style: float | None = None, own: Mapping[str, float] = {}, substeps: int = 2,
    stop: object = None,
) -> Recording:  # fmt: skip
    """Drive the first character until it stands at the end, or for `most_s` seconds.

    stand_s   how long it stands at the end       substeps  steps a frame
    own       values of the users' own parameters
    stop      an object with `check()`, asked now and then, that raises to stop
    """
    rows: list[tuple[Floats, ...]] = []
    stood, dt = 0.0, 1.0 / fps
    frames = int(most_s * fps)
    began = False
    for _ in range(0 if walker.scene is None else round(_SETTLES_S * fps)):
        walker.step(dt, 0.0, 0.0, style, **own)
    for n in range(frames):
        if stop is not None and n % 64 == 0:
            stop.check()  # type: ignore[attr-defined]
        rows.append((
            walker.root[0].copy(), walker.rotations[0].copy(), walker.places[0].copy(),
            walker.state.weights[0].copy(), walker.achieved[0].copy(), np.array(walker.resting[0]),
            walker.contacts[0].copy(),
        ))  # fmt: skip
        for _ in range(substeps):
            speed, turn = driver.steer(walker.places[0], walker.achieved[0], dt / substeps)
            began = began or speed > 0.0 or turn != 0.0
            walker.step(dt / substeps, speed, turn, style, **own)
        if walker.resting[0] and (began or n > fps) and speed == 0.0 and turn == 0.0:
            stood += dt
            if stood >= stand_s + 0.4:
                break
        else:
            stood = 0.0
    root, rotations, path, weights, achieved, standing, contacts = (
        np.array(column) for column in zip(*rows, strict=True)
    )
    clip = Clip(
        walker.character, fps, root, quat.continuous(rotations), name="blend", contacts=contacts
    )
    return Recording(clip, path, weights, achieved, standing)
