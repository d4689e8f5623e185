"""Pictures of bodies in a scene that stays: drawn in part, they are as if drawn as a whole."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import trimesh

from footfall.render.camera import look_at
from footfall.render.raster import DrawItem, Style
from footfall.render.still import StillScene

SIZE = (96, 64)
STYLE = Style(ground=None, grid=0.0, occlusion=0.0)
CAMERA = look_at((3.0, 5.0, 6.0), (0.0, 0.0, 0.0), field_of_view=0.8)


def mesh_item(mesh: trimesh.Trimesh, at: tuple[float, float, float], **how) -> DrawItem:
    return DrawItem(mesh.vertices + np.asarray(at), mesh.faces, **how)


def scene() -> StillScene:
    ground = mesh_item(trimesh.creation.box((6.0, 0.1, 6.0)), (0.0, -0.05, 0.0), casts_shadow=False)
    wall = mesh_item(
        trimesh.creation.box((0.2, 0.8, 3.0)), (1.0, 0.4, 0.0), colours=(0.5, 0.2, 0.1)
    )
    return StillScene([ground, wall], CAMERA, SIZE, STYLE)


@pytest.mark.parametrize("place", [(-1.0, 0.5, 0.5), (0.7, 0.9, 0.2), (1.5, 1.6, -2.5)])
def test_what_is_not_drawn_anew_would_not_have_changed(place: tuple[float, float, float]) -> None:
    still = scene()
    ball = mesh_item(trimesh.creation.icosphere(subdivisions=3, radius=0.35), place)
    quick = still.picture([ball])
    with mock.patch.object(still, "_reach_of", lambda changed: np.ones_like(changed)):
        whole = still.picture([ball])
    assert np.array_equal(quick, whole)
    empty = still.picture([])
    changed = np.any(quick != empty, axis=2).mean()
    assert 0.005 < changed < 0.5


def test_a_body_leaves_no_trace_in_the_next_picture() -> None:
    still = scene()
    before = still.picture([])
    still.picture([mesh_item(trimesh.creation.icosphere(radius=0.5), (0.0, 0.6, 0.0))])
    assert np.array_equal(still.picture([]), before)
