"""A small library of walks that start, stop and turn, and a yard to walk in."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.body.edit import resample
from footfall.generate.gait.journeys import start, stop, tight_turn
from footfall.generate.gait.steady import steady
from footfall.library.library import Library, library_of
from footfall.library.store.arrays import address
from footfall.library.store.code import rooms_version
from footfall.world.scene import Hole, Scene, Water, rectangle
from tests.world.scenes import upright_box

FPS = 30.0
ROOMS = ("graph", "blending", "roadmap", "optimal", "task", "pose", "search", "world")


def _clips():
    for name, turn in (("straight", 0.0), ("left", 0.35), ("right", -0.35)):
        side = () if not turn else (f"curve_{name}",)
        clip = steady("walk", 1.1, turn_rad_s=turn, seconds=4.0, fps=FPS)
        yield clip.named(name).tagged(("walk", *side))
    for name, turn in (("hard_left", 0.9), ("hard_right", -0.9)):
        clip = steady("walk", 1.0, turn_rad_s=turn, seconds=4.0, fps=FPS)
        yield clip.named(name).tagged(("walk", f"curve_{name[5:]}"))
    for angle in (90.0, -90.0):
        side = "left" if angle > 0 else "right"
        clip = tight_turn(angle_deg=angle, fps=FPS)
        yield clip.named(f"turn_{side}").tagged(("walk", f"turn_{side}"))
    yield start(speed_m_s=1.1, fps=FPS).named("start").tagged(("stand", "start", "walk"))
    yield stop(speed_m_s=1.1, fps=FPS).named("stop").tagged(("walk", "stop", "stand"))


@pytest.fixture(scope="session")
def walks() -> Library:
    made = library_of([c if c.fps == FPS else resample(c, FPS) for c in _clips()])
    # With addresses, models of these clips are made once for all tests and kept in the cache.
    entries = [replace(e, key=_content_key(made.clip(e.name))) for e in made.entries]
    return replace(made, entries=tuple(entries))


def _content_key(clip: Clip) -> str:
    """Return an address of a clip that changes with the code that makes models of clips."""
    parts = (clip.root, clip.rotations, clip.contacts, clip.skeleton.offsets)
    sums = [hashlib.sha256(np.ascontiguousarray(part).tobytes()).hexdigest() for part in parts]
    return address(rooms_version(*ROOMS), *sums)


@pytest.fixture(scope="session")
def takes(walks: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same walks as a folder of files."""
    from footfall import save

    folder = tmp_path_factory.mktemp("plan") / "takes"
    for clip in walks:
        save(clip, folder / f"{clip.name}.npz")
    return folder


@pytest.fixture(scope="session")
def few_takes(takes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the walks that one needs to go straight ahead: models of them are soon made."""
    folder = tmp_path_factory.mktemp("few")
    for name in ("start", "straight", "stop"):
        shutil.copy(takes / f"{name}.npz", folder)
    return folder


@pytest.fixture(scope="session")
def yard() -> Scene:
    """Ten metres square, a block in the middle, a pond, a pit, and a closed-off corner."""
    return Scene(
        "yard", rectangle([-5.0, -5.0], [5.0, 5.0]),
        obstacles=(
            upright_box(0.0, 0.0, (1.5, 1.0, 1.5)),
            upright_box(4.0, 3.0, (2.0, 1.0, 0.2)), upright_box(3.0, 4.0, (0.2, 1.0, 2.2)),
        ),
        holes=(Hole(rectangle([-5.0, 3.0], [-3.0, 5.0])),),
        waters=(Water(0.1, rectangle([-5.0, -5.0], [-3.5, -3.5])),),
    )  # fmt: skip
