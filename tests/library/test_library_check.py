"""Each fault put into a sound clip is found and named; sound clips have none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.adapt.feet.clean import clean
from footfall.body.clip import Clip
from footfall.gait.contacts import find_contacts
from footfall.library.build.check import KINDS, check_clips, clip_problems
from footfall.library.library import library_of
from footfall.maths import quaternions as quat
from tests.clips import real_clip, steady


def kinds(clip: Clip) -> set[str]:
    contacts = find_contacts(clip)
    return {p.kind for p in clip_problems(clip, contacts, clean(contacts.with_contacts(clip)))}


def with_root(clip: Clip, change: np.ndarray) -> Clip:
    return replace(clip, root=clip.root + change)


def drifting(clip: Clip) -> Clip:
    return with_root(clip, np.outer(0.12 * np.sin(0.8 * clip.times), [0.0, 1.0, 0.0]))


def skating(clip: Clip) -> Clip:
    return with_root(clip, np.outer(0.2 * np.sin(2.5 * clip.times), [1.0, 0.0, 0.0]))


def spiky(clip: Clip) -> Clip:
    rotations = np.array(clip.rotations)
    elbow = clip.skeleton.role("left_elbow")
    rotations[70, elbow] = quat.multiply(
        rotations[70, elbow], quat.from_axis_angle([1.0, 0.0, 0.0], 0.9)
    )
    return replace(clip, rotations=rotations)


def jumping_root(clip: Clip) -> Clip:
    change = np.zeros((len(clip), 3))
    change[60] = [0.0, 0.3, 0.0]
    return with_root(clip, change)


def repeating(clip: Clip) -> Clip:
    frames = np.arange(len(clip))
    frames[50:53] = 50
    return clip[frames]


def doubled(clip: Clip) -> Clip:
    frames = np.repeat(np.arange(len(clip)), 2)
    return replace(clip[frames], fps=2 * clip.fps)


def lacking(clip: Clip) -> Clip:
    frames = np.delete(np.arange(len(clip)), [120, 121])
    return clip[frames]


FAULTS: list[tuple[Callable[[Clip], Clip], str]] = [
    (drifting, "floor drift"),
    (skating, "skating"),
    (spiky, "spikes"),
    (jumping_root, "spikes"),
    (repeating, "dropped frames"),
    (doubled, "dropped frames"),
    (lacking, "dropped frames"),
    (lambda clip: clip[:20], "too short"),
    (lambda clip: clip[:3], "no contacts"),
]


def sound() -> Clip:
    return replace(steady("walk", 1.3, seconds=4.0, fps=60.0), contacts=None)


@pytest.mark.parametrize("speed", [0.9, 1.3, 1.7])
def test_a_sound_walk_has_no_problems(speed: float) -> None:
    assert kinds(replace(steady("walk", speed, seconds=4.0, fps=60.0), contacts=None)) == set()


@pytest.mark.parametrize(("fault", "kind"), FAULTS)
def test_a_fault_is_found_and_named(fault: Callable[[Clip], Clip], kind: str) -> None:
    assert kind in KINDS
    assert kind in kinds(fault(sound()))


@pytest.mark.parametrize("fault", [spiky, jumping_root, repeating, lacking])
def test_a_fault_of_few_frames_is_not_taken_for_another(fault: Callable[[Clip], Clip]) -> None:
    expected = "spikes" if fault in (spiky, jumping_root) else "dropped frames"
    assert kinds(fault(sound())) == {expected}


@pytest.mark.mocap
def test_a_rate_twice_too_high_shows_in_free_fall(mocap: Path) -> None:
    jump = real_clip(mocap / "cmu" / "118_06.bvh")
    assert "wrong rate" not in kinds(jump)
    assert "wrong rate" in kinds(replace(jump, fps=2 * jump.fps))


@pytest.mark.mocap
def test_real_clips_have_no_lost_frames_and_cmu_toes_spike(mocap: Path) -> None:
    for name in ("accad_male1/Male1_C03_Run.bvh", "cmu/69_22.bvh", "cmu/83_21.bvh"):
        assert not kinds(real_clip(mocap / name)) & {"dropped frames", "spikes", "wrong rate"}
    assert "spikes" in kinds(real_clip(mocap / "cmu" / "89_06_cut.bvh"))


def test_clips_without_a_file_are_looked_over_when_asked() -> None:
    good = replace(sound(), name="good")
    bad = replace(spiky(sound()), name="bad")
    library = check_clips(library_of([good, bad]))
    assert [{p.kind for p in e.problems} for e in library.entries] == [set(), {"spikes"}]
