"""Plans made again while they are played go on without a jump, and keep clear of what came."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.roadmap.replan import Replanner, fade_over
from footfall.task import GoTo, Place
from footfall.world.scene import Scene
from footfall.world.scene_edit import add_obstacle, move_obstacle, remove_obstacle
from tests.roadmap.small_world import carried, named_box, yard, yard_roadmap
from tests.roadmap.test_spacetime import bone_points
from tests.verifying import scene_failures

START, GOAL = Place(0.0, -3.0, 0.0), GoTo(0.0, 3.0, 0.0)


def _walker(scene: Scene | None = None, interval_s: float = 0.5) -> Replanner:
    own, roadmap = yard_roadmap()
    made = Replanner(roadmap, scene or own, START, GOAL, interval_s)
    assert made.plan.found, made.plan.reason
    return made


def _fastest(clip: Clip, first: int = 0) -> float:
    """The fastest that any joint gets from a frame on, metres a second."""
    at = clip.positions[first:]
    return float(np.linalg.norm(np.diff(at, axis=0), axis=-1).max() * clip.fps)


def _most_acceleration(clip: Clip) -> float:
    at = clip.positions
    return float(np.linalg.norm(np.diff(at, 2, axis=0), axis=-1).max() * clip.fps**2)


def _drift(clip: Clip) -> float:
    """How far an ankle that was planted strays while it is planted, metres."""
    worst = 0.0
    at = clip.positions
    assert clip.contacts is not None
    for side, column in (("left", 0), ("right", 2)):
        ankle = at[:, clip.skeleton.role(f"{side}_ankle")]
        down = clip.contacts[:, column] & clip.contacts[:, column + 1]
        first = None
        for t, is_down in enumerate(down):
            first = (t if first is None else first) if is_down else None
            if first is not None:
                worst = max(worst, float(np.linalg.norm(ankle[t] - ankle[first])))
    return worst


@pytest.mark.parametrize("when", [0.4, 1.0, 1.5, 2.1, 2.6, 3.2])
def test_an_obstacle_moved_onto_the_path_is_gone_around_without_a_jump(when: float) -> None:
    scene, _ = yard_roadmap()
    walker = _walker()
    before = walker.plan.clip
    assert before is not None
    now = move_obstacle(scene, "crate", [0.0, 0.0, 1.7], 0.3)
    assert scene_failures(walker.plan, now) != ()
    made = walker.step(when, now)
    clip = made.clip
    assert clip is not None
    assert not any("it stops" in note or "goes on" in note for note in made.notes)
    assert scene_failures(made, now) == ()
    frame = int(when * clip.fps)
    np.testing.assert_array_equal(clip.root[: frame + 1], before.root[: frame + 1])
    at, then = clip.positions, before.positions
    np.testing.assert_allclose(at[: frame + 1], then[: frame + 1], atol=1e-12)
    assert np.hypot(*(clip.root[-1, [0, 2]] - [0.0, 3.0])) < 0.1
    _, roadmap = yard_roadmap()
    sources = {x.clip for s in made.segments for x in s.sources}
    fastest = max(_fastest(c) for c in roadmap.moves.clips if c.name in sources)
    assert _fastest(clip) < 1.5 * fastest
    assert _drift(clip) < max(_drift(before), 0.02) + 0.02
    assert [s.first for s in made.segments] == sorted(s.first for s in made.segments)
    assert made.segments[-1].stop == len(clip)


def test_who_finds_no_way_any_more_comes_to_rest_and_goes_on_when_there_is_one() -> None:
    scene, _ = yard_roadmap()
    walker = _walker()
    plugged = add_obstacle(scene, named_box("plug", 0.0, 0.0, (1.4, 2.0, 0.3)))
    made = walker.step(0.7, plugged)
    assert made.clip is not None
    assert "it stops on its way" in made.notes[0]
    assert scene_failures(made, plugged) == ()
    assert made.clip.root[-1, 2] < -0.3
    at = made.clip.positions
    assert np.linalg.norm(at[-1] - at[-3], axis=-1).max() * made.clip.fps < 0.5
    rested = made.clip
    still = walker.step(8.0, plugged)
    assert still.clip is not None
    assert "it stays where it is" in still.notes[0]
    freed = remove_obstacle(plugged, "plug")
    later = walker.step(10.0, freed)
    assert later.clip is not None
    assert not any("it stops" in note or "stays" in note for note in later.notes)
    frame = int(10.0 * later.clip.fps)
    # It stood until then, and goes on only now.
    stood = later.clip.root[len(rested) : frame]
    assert np.abs(stood - rested.root[-1]).max() < 1e-12
    assert np.hypot(*(later.clip.root[-1, [0, 2]] - [0.0, 3.0])) < 0.1
    assert scene_failures(later, freed) == ()


def test_nothing_changed_means_the_same_plan() -> None:
    walker = _walker()
    first = walker.plan
    for now in (0.2, 0.6, 1.4, 3.0, 7.0, 20.0):
        assert walker.step(now) is first


def test_the_same_story_gives_the_same_motion() -> None:
    scene, _ = yard_roadmap()
    now = move_obstacle(scene, "crate", [0.0, 0.0, 1.7], 0.3)
    clips = []
    for _ in range(2):
        made = _walker().step(1.0, now)
        assert made.clip is not None
        clips.append(made.clip)
    np.testing.assert_array_equal(clips[0].root, clips[1].root)


def test_other_people_who_turn_up_are_kept_clear_of() -> None:
    walker = _walker()
    other = _walker().plan.clip
    assert other is not None
    back = Clip(other.skeleton, other.fps, other.root[::-1], other.rotations[::-1])
    made = walker.step(0.6, others=[(back, 0.0)])
    assert made.clip is not None
    if not made.notes:  # there was room to let them pass
        a, b = bone_points(made.clip), bone_points(back)
        count = max(len(a), len(b))
        least = min(
            float(np.linalg.norm(a[min(t, len(a) - 1)][:, None] - b[min(t, len(b) - 1)][None],
                                 axis=-1).min()) for t in range(18, count))  # fmt: skip
        assert least > 0.05


def test_a_cart_with_a_known_motion_needs_no_new_plan() -> None:
    cart = carried(named_box("cart", 0, 0, (1.0, 1.2, 1.0)), [0.0, 6.0, 9.0],
                   [[0.0, 0.0], [0.0, 0.0], [2.8, 1.6]])  # fmt: skip
    walker = _walker(yard(cart))
    first = walker.plan
    for now in np.arange(0.5, 12.0, 0.5):
        assert walker.step(float(now)) is first


def test_an_interval_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="the interval is 0"):
        _walker(interval_s=0.0)


def test_fading_begins_exactly_where_the_old_clip_is_and_ends_on_the_new_one() -> None:
    clip = _walker().plan.clip
    assert clip is not None
    other = Clip(clip.skeleton, clip.fps, clip.root + np.array([0.05, 0.0, 0.0]), clip.rotations,
                 contacts=clip.contacts)  # fmt: skip
    mixed = fade_over(clip, other, 50, 50)
    np.testing.assert_array_equal(mixed.root[:51], clip.root[:51])
    np.testing.assert_allclose(mixed.root[70:], other.root[70:])
    assert _most_acceleration(mixed) < 1.3 * _most_acceleration(clip) + 5.0
