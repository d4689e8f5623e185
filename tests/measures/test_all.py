"""All measures together: beside the sources, in every way they can be asked for."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.library.library import library_of
from footfall.maths.quaternions import about_axis, multiply
from footfall.measures.all import Beside, measure, source_clips, values_beside
from footfall.verbs.measure_table import label_and_unit, measure_rows, table_text
from tests.measures.motions import reversed_clip, sliding, walk
from tests.render.clips import snake


@pytest.fixture(scope="module")
def sources():
    return [walk(3.0, speed=v).named(f"walk {v}") for v in (1.1, 1.3, 1.5)]


def test_the_package_and_the_function_have_one_name():
    code = (
        "import footfall.measures.skating\nimport footfall\n"
        "from footfall.measures.skating import skating\n"
        "import footfall.measures.deviation as deviation\n"
        "print(footfall.measure.__name__, callable(footfall.measure))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("measure True\n", "")


def test_a_walk_like_its_sources_is_not_far_off(sources):
    found = footfall.measure(walk(4.0, speed=1.25), sources=sources)
    assert found.far_off() == {}
    assert found.beside["skating.skate_cm_per_frame"].clips == 3


def test_a_walk_that_slides_is_marked_where_it_slides(sources):
    found = measure(sliding(walk(4.0), 0.01), sources=sources)
    off = found.far_off()
    assert off["skating.skate_cm_per_frame"] == "above"
    assert off["skating.drift_max_mm"] == "above"
    assert "ground.penetration_mean_mm" not in off


def test_a_crouch_is_marked_beside_upright_walks(sources):
    crouched = walk(4.0, speed=1.25)
    rotations = np.array(crouched.rotations)
    for side in ("left", "right"):
        for part, degrees in (("hip", -25.0), ("knee", 40.0)):
            joint = crouched.skeleton.role(f"{side}_{part}")
            rotations[:, joint] = multiply(rotations[:, joint], about_axis(0, np.radians(degrees)))
    off = measure(replace(crouched, rotations=rotations), sources=sources).far_off()
    assert off["posture.knee_flexion_deg"] == "above"
    assert off["posture.hip_height_legs"] == "below"
    assert "posture.trunk_lean_deg" not in off


def test_what_stands_beside_is_the_mean_and_the_range(sources):
    beside = values_beside(sources)["smoothness.jerk_m_s3"]
    each = [measure(clip).smoothness.jerk_m_s3 for clip in sources]
    assert beside == Beside(np.mean(each), min(each), max(each), 3)


def test_sources_may_be_clips_or_a_library_or_a_file(sources, tmp_path):
    library = library_of(sources)
    assert [c.name for c in source_clips(library)] == [c.name for c in sources]
    file = footfall.save(sources[0], tmp_path / "one.bvh")
    (clip,) = source_clips(file)
    assert len(clip) == len(sources[0])
    assert len(source_clips(sources * 100)) == 120


def test_only_what_was_asked_for_is_there():
    clip = walk(2.0)
    plain = measure(clip)
    assert (plain.deviation, plain.collisions, plain.against) == (None, None, None)
    full = measure(clip, path=[[0.0, 0.0], [0.0, 4.0]], scene=load_scene("hills"))
    assert full.deviation is not None
    assert full.collisions is not None
    assert "deviation.rms_cm" in full.values()


def test_measures_are_one_json_object_without_nan(sources):
    found = measure(walk(1.0), sources=sources)
    data = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert data["physics"]["flight_error"] is None
    assert data["sources"]["skating.skate_cm_per_frame"]["clips"] == 3


def test_playing_a_clip_backwards_changes_no_measure():
    clip = sliding(walk(4.0), 0.003)
    one, two = measure(clip).values(), measure(reversed_clip(clip)).values()
    assert one.pop("flow.crabwise_share") == 0.0  # played backwards, it goes backward
    for key, value in one.items():
        assert two[key] == pytest.approx(value, rel=0.03, abs=0.05, nan_ok=True), key


def test_against_itself_a_set_of_clips_is_natural(sources):
    found = measure(sources[0], against=sources)
    assert found.against is not None
    assert all(one.ratio < 2.0 for one in found.against.behaviours)


@pytest.mark.parametrize("frames", [1, 2, 3, 5, 9])
def test_clips_of_a_few_frames_are_measured(frames):
    clip = walk(1.0)
    short = replace(
        clip, root=clip.root[:frames], rotations=clip.rotations[:frames],
        **clip.labels_at(slice(frames)),
    )  # fmt: skip
    found = measure(short)
    assert found.frames == frames
    json.dumps(found.as_dict(), allow_nan=False)
    assert table_text(found)


def test_a_skeleton_without_feet_is_wrong_input():
    with pytest.raises(InputError, match="not recognised as a humanoid"):
        measure(snake())


def test_every_measure_has_a_line_and_numbers_have_units(sources):
    found = measure(walk(2.0), sources=sources)
    lines = measure_rows(found)
    assert len(lines) == len(found.values())
    assert label_and_unit("skate_cm_per_frame") == ("skate per frame", "cm/frame", 1.0)
    assert label_and_unit("planted_share") == ("planted share", "%", 100.0)
    assert label_and_unit("curvature_std_per_m") == ("curvature std", "1/m", 1.0)
    assert all(math.isfinite(float(line.value)) for line in lines if line.value != "–")
