"""Performers: people who differ as people do, within all limits, the same for the same seed."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from footfall import Performer, draw_performer, draw_performers, make_libraries, make_library
from footfall.body.capsules import body_capsules
from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.generate.actions.catalogue import ACTIONS
from footfall.generate.gait.catalogue import gait_entries
from footfall.generate.limits import beyond
from footfall.generate.performer import MEAN_PERFORMER, RANGES, performer_from, performer_values
from footfall.generate.skeleton import default_skeleton, performer_skeleton
from footfall.library.default import default_library, generate_clip
from footfall.library.library import open_library
from footfall.library.performers import performer_folders, read_performer
from tests.clips import steady
from tests.generate.gait_measures import (
    SIDES,
    body_gaps,
    contact_mismatch,
    drift,
    flight_pull,
    ground_residual,
    sole,
    stride_figures,
)
from tests.generate.solid import collisions
from tests.sweeps import cover, sample

SMALL = "basten_test"
EXTREMES = {
    "old and weary": "age=85,energy=0.1,stiffness=1,mood=-1",
    "elated": "energy=1,mood=1,stiffness=0",
    "stout": "build=35",
    "short legs": "stature_m=1.5,legs=-2,arms=1.5,hips=1.5,shoulders=-1.5",
    "long legs": "stature_m=2,legs=2,arms=-1.5,hips=-1.5,shoulders=1.5",
}
GAITS = ("walk_1.25", "park_walk_1.1_left_0.75", "run_2.8", "back_0.8", "start_left_1",
         "stop_right_1.4", "turn_left_90", "sidestep_left_0.3",
         "turn_in_place_right_90", "stand_1")  # fmt: skip
ACTS = ("jump_0.5", "hurdle_0.3_left", "step_over_0.15_right", "step_onto_0.30_left",
        "stairs_up_left", "stairs_down_right", "pick_0.50_0.35", "sit_0.45", "leap_0.9_right",
        "leap_1.4_left", "turn_sit_0.45_left")  # fmt: skip


def someone(text: str) -> Performer:
    return performer_from(performer_values(text))


@cache
def made(name: str, who: Performer) -> Clip:
    entries = {e.name: (n, e) for n, e in enumerate(gait_entries())}
    return (
        entries[name][1].make(who, entries[name][0]) if name in entries else ACTIONS[name].clip(who)
    )


PEOPLE = {**{name: someone(text) for name, text in EXTREMES.items()},
          **{f"drawn {seed}": draw_performer(seed) for seed in (2, 11)}}  # fmt: skip


def some_of(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return people with what they do, each clip at least once."""
    cases = [(who, name) for who in PEOPLE for name in names]
    return sample(cases, 0.1, name="-".join, kind=lambda case: case[1])


def test_the_mean_performer_is_who_performs_the_default_clips() -> None:
    assert performer_skeleton(MEAN_PERFORMER) == default_skeleton()
    for name in ("walk_1", "run_2.8", "jump_0.5", "sit_0.45"):
        default, mean = generate_clip(name), generate_clip(name, performer=Performer())
        assert default.root.tobytes() == mean.root.tobytes()
        assert default.rotations.tobytes() == mean.rotations.tobytes()


def test_the_same_seed_draws_the_same_people_and_more_begin_with_them() -> None:
    five, eight = draw_performers(5, seed=4), draw_performers(8, seed=4)
    assert five == eight[:5]
    assert len(set(eight)) == 8
    assert not set(five) & set(draw_performers(5, seed=5))
    for who in eight:
        assert performer_from(who.facts()) == who
        assert all(low <= getattr(who, name) <= high for name, (low, high) in RANGES.items())
    assert all(p.age == 70.0 for p in draw_performers(4, age=70.0))


@pytest.mark.parametrize(("who", "name"), some_of(GAITS))
def test_everybody_goes_within_the_limits_of_the_default_clips(who: str, name: str) -> None:
    clip = made(name, PEOPLE[who])
    poses = clip.world
    assert drift(clip, poses) < 1e-4
    assert min(float(sole(clip, side, poses)[..., 1].min()) for side in SIDES) > -1e-4
    assert {joint: by for joint, by in beyond(clip).items() if by > 0.0} == {}
    assert {parts: gap for parts, gap in body_gaps(clip).items() if gap < 0.0} == {}
    pulled = flight_pull(clip)
    assert np.abs(pulled + np.array([0.0, 9.81, 0.0])).max(initial=0.0) < 0.02 * 9.81
    assert np.sqrt((ground_residual(clip) ** 2).mean()) < 0.1


@pytest.mark.parametrize(("who", "name"), some_of(ACTS))
def test_everybody_acts_within_the_limits_of_the_default_clips(who: str, name: str) -> None:
    clip = made(name, PEOPLE[who])
    poses = clip.world
    assert min(float(sole(clip, side, poses)[..., 1].min()) for side in SIDES) > -1e-4
    assert clip.end_positions[..., 1].min() > -0.004
    assert {joint: by for joint, by in beyond(clip).items() if by > 0.05} == {}
    assert [(a, b, f"{1000.0 * deep:.0f} mm") for a, b, deep, _ in collisions(clip)] == []
    pulled = flight_pull(clip)
    assert np.abs(pulled + np.array([0.0, 9.81, 0.0])).max(initial=0.0) < 0.02 * 9.81


def test_bodies_have_the_stature_and_proportions_that_are_asked_for() -> None:
    for who in draw_performers(6):
        skeleton = performer_skeleton(who)
        rest = skeleton.rest_positions
        crown = float(skeleton.rest_end_positions[:, 1].max())
        assert crown == pytest.approx(0.984 * who.stature_m, rel=0.01)
        leg = rest[[skeleton.role(f"left_{part}") for part in ("hip", "knee", "ankle")]]
        legs = np.linalg.norm(np.diff(leg, axis=0), axis=1)
        assert legs.sum() == pytest.approx(who.leg_m)
    slim, stout = (body_capsules(performer_skeleton(Performer(build=b))) for b in (18.0, 34.0))
    assert stout.radii.sum() > 1.2 * slim.radii.sum()


def walk_of(who: Performer) -> dict[str, float]:
    clip = made("walk_1.25", who)
    rows = stride_figures(clip)
    found = {key: float(np.median([row[key] for row in rows])) for key in rows[0]}
    poses = clip.world
    neck, hips = (poses.positions[:, clip.skeleton.role(r)] for r in ("neck", "hips"))
    trunk = neck - hips
    found["lean"] = float(np.degrees(np.arctan2(trunk[:, 2], trunk[:, 1]).mean()))
    wrist, shoulder = (poses.positions[:, clip.skeleton.role(f"left_{r}")]
                       for r in ("wrist", "shoulder"))  # fmt: skip
    found["arms"] = float(np.ptp(wrist[:, 2] - shoulder[:, 2]))
    return found


def test_age_energy_and_mood_show_in_a_walk() -> None:
    young, old = walk_of(Performer()), walk_of(Performer(age=80))
    assert old["speed"] < 0.9 * young["speed"]
    assert old["width"] > young["width"] + 0.015
    assert old["duty"] > young["duty"]
    assert old["lean"] > young["lean"] + 4.0
    same_pace = [steady(speed_m_s=1.2, who=Performer(age=a), seconds=5.0) for a in (30, 80)]
    steps = [np.median([r["step length"] for r in stride_figures(c)]) for c in same_pace]
    assert steps[1] < 0.96 * steps[0]
    weary, brisk = walk_of(Performer(energy=0.1)), walk_of(Performer(energy=0.9))
    assert brisk["speed"] > 1.1 * weary["speed"]
    assert brisk["arms"] > 1.2 * weary["arms"]
    sad, glad = walk_of(Performer(mood=-1)), walk_of(Performer(mood=1))
    assert sad["lean"] > glad["lean"] + 4.0
    assert sad["pelvis rise"] < glad["pelvis rise"]


SPREADS = {"step length": 0.058, "width": 0.0397, "pelvis rise": 0.00996, "head rise": 0.00967,
           "ankle lift": 0.0155, "knee most": 2.73}  # fmt: skip
"""How much people differ at one speed: standard deviations of the gait model (`scalars`)."""


def test_people_differ_about_as_much_as_those_of_the_gait_model() -> None:
    rows = []
    for who in draw_performers(20):
        speed = 0.42 * np.sqrt(9.81 * who.leg_m)
        strides = stride_figures(steady(speed_m_s=speed, who=who, seconds=4.0, fps=60.0))
        rows.append([np.median([s[name] for s in strides]) for name in SPREADS])
    found = np.std(rows, axis=0, ddof=1) / list(SPREADS.values())
    assert (found > 0.6).all(), found
    assert (found < 1.4).all(), found


@pytest.mark.parametrize("first", [0, 4, 12, 256])
def test_four_people_in_a_row_are_of_the_four_quarters_of_the_population(first: int) -> None:
    """In whatever is everybody's own; the middle of N(0, 1) ends at 0.6745."""
    styles = [Performer(manner=first + n + 1).style for n in range(4)]
    spread = np.array([np.r_[s.walk, s.run, s.sides, s.step, s.lean, s.nod] for s in styles])
    sizes = np.r_[[0.75] * 6, [0.7] * 3, [1.0] * 4, 0.03, np.radians([5.5, 3.5])]
    quarters = np.searchsorted([-0.6745, 0.0, 0.6745], spread / sizes)
    assert (np.sort(quarters, axis=0) == np.arange(4)[:, None]).all()


def test_libraries_of_performers_are_libraries_and_the_same_bytes_again(tmp_path: Path) -> None:
    people = draw_performers(2, seed=1)
    first = make_libraries(tmp_path / "a", people, group=SMALL)
    assert [p.name for p in performer_folders(tmp_path / "a")] == ["01", "02"]
    for one, who in zip(first, people, strict=True):
        assert read_performer(one.folder or "").performer == who
        opened = open_library(str(one.folder))
        assert opened.names == one.names == default_library(SMALL).names
    assert first[0].character != first[1].character
    with pytest.raises(InputError, match="another performer"):
        make_library(tmp_path / "a" / "01", people[1], group=SMALL)
    again = make_library(tmp_path / "a" / "01", people[1], group=SMALL, force=True)
    for name in again.names:
        assert first[1].clip(name).rotations.tobytes() == again.clip(name).rotations.tobytes()
    with pytest.raises(InputError, match="2 performers"):
        open_library(tmp_path / "a")


def test_a_performer_who_is_edited_is_made_anew(tmp_path: Path) -> None:
    library = make_library(tmp_path, Performer(age=60), group=SMALL)
    before = library.clip(library.names[0])
    file = tmp_path / "performer.toml"
    file.write_text(file.read_text().replace("energy = 0.5", "energy = 0.9"))
    after = open_library(tmp_path)
    assert after.entries[0].travel_m > 1.05 * library.entries[0].travel_m
    assert before.rotations.tobytes() != after.clip(after.names[0]).rotations.tobytes()
    assert len(list((tmp_path / ".footfall" / "clips").iterdir())) == len(after)
    file.write_text(file.read_text().replace("energy", "enrgy"))
    with pytest.raises(InputError, match="enrgy"):
        open_library(tmp_path)


@pytest.mark.parametrize("text", ["age=17", "agee=3", "age", "mood=2", "manner=-1", "age=old"])
def test_what_nobody_is_is_refused_by_name(text: str) -> None:
    with pytest.raises(InputError):
        performer_values(text)


@pytest.mark.parametrize(
    ("who", "name"),
    cover(list(EXTREMES), ("walk_1.25", "run_2.8", "start_left_1", "turn_in_place_right_90")),
)
def test_contacts_are_found_within_two_frames_at_30_hz_whoever_it_is(who: str, name: str) -> None:
    found = contact_mismatch(made(name, PEOPLE[who]))
    assert (found.missed, found.invented) == (0, 0)
    assert found.off <= 2.0
