"""How tall somebody is does not depend on the clip, the rest pose or where the bones end."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.body.size import stature
from footfall.generate.skeleton import default_skeleton
from tests.adapt.feet.test_posture_kept import bowing, read_again
from tests.body.skeletons import FAMILIES
from tests.body.test_rest import rooted
from tests.clips import real_clip


@pytest.mark.parametrize("family", FAMILIES)
def test_a_person_of_175_cm_is_about_that_tall_in_every_family(family: str) -> None:
    skeleton = rooted(family)
    assert stature(skeleton) == pytest.approx(1.75, rel=0.03)
    bare = replace(skeleton, end_joints=np.zeros(0, np.int32), end_offsets=np.zeros((0, 3)))
    assert stature(bare) == stature(skeleton)


@pytest.mark.parametrize("family", ["bandai", "mixamo", "cmu_bvh"])
def test_a_rest_pose_made_from_a_motion_changes_no_stature(family: str) -> None:
    before = bowing(rooted(family))
    for seed in (1, 2, 3):
        after = read_again(before, seed).skeleton
        assert stature(after) == pytest.approx(stature(before.skeleton), rel=1e-6)


def test_a_body_scales_and_its_parts_may_be_missing() -> None:
    skeleton = default_skeleton()
    assert stature(skeleton.scaled(1.3)) == pytest.approx(1.3 * stature(skeleton))
    roles = {r: j for r, j in skeleton.roles.items() if r not in ("head", "neck")}
    for fewer in (roles, roles | {"neck": skeleton.roles["neck"]}):
        assert stature(skeleton.with_roles(fewer)) == pytest.approx(stature(skeleton), rel=0.03)


@pytest.mark.mocap
def test_a_performer_is_as_tall_in_every_clip_and_format(mocap: Path) -> None:
    found: dict[str, list[float]] = defaultdict(list)
    for file in sorted(mocap.glob("*/*.bvh"))[::2] + sorted(mocap.glob("*/*.amc")):
        found[file.stem.split("_")[0]].append(stature(real_clip(file).skeleton))
    assert max(len(all_clips) for all_clips in found.values()) > 5
    for performer, metres in found.items():
        assert max(metres) < 1.03 * min(metres), performer
        assert 1.4 < min(metres) < 2.0, performer
