"""Pictures of scenes show what is there."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from footfall.errors import InputError
from footfall.files.scene.read import load_scene, parse_scene
from footfall.plots.scene_map import save_scene_map
from footfall.render import scene_view as scene_view_module
from footfall.render.scene_view import save_scene_view, scene_view
from footfall.world.corridor.corridor_map import CorridorMap
from footfall.world.shapes import scene_shapes

TWO = """
size = [6, 4]
[[obstacle]]
kind = "box"
name = "red"
at = [2, 1]
size = [1, 1, 1]
colour = "#ff0000"
[[obstacle]]
kind = "box"
name = "blue"
at = [-2, -1]
size = [1, 1, 1]
colour = "#0000ff"
[[query]]
name = "go"
from = [0, -1]
to = [0, 1]
"""


def middle_of(image: np.ndarray, channel: int) -> np.ndarray:
    """Row and column of the middle of the pixels of one strong colour."""
    others = [c for c in range(3) if c != channel]
    strong = image[..., channel].astype(int) - image[..., others].max(axis=-1) > 110
    assert strong.sum() > 50
    return np.argwhere(strong).mean(axis=0)


@pytest.mark.parametrize("overlay", ["none", "clearance", "corridors"])
def test_the_map_has_z_up_and_x_to_the_left(tmp_path, overlay):
    file = save_scene_map(parse_scene(TWO), tmp_path / "map.png", overlay)
    image = np.asarray(Image.open(file).convert("RGB"))
    red, blue = middle_of(image, 0), middle_of(image, 2)
    assert red[0] < blue[0]
    assert red[1] < blue[1]


def test_the_view_looks_along_its_yaw():
    scene = parse_scene(TWO)
    ahead = scene_view(scene, (320, 200), yaw_deg=0.0, pitch_deg=50.0)
    back = scene_view(scene, (320, 200), yaw_deg=180.0, pitch_deg=50.0)
    assert middle_of(ahead, 0)[1] < middle_of(ahead, 2)[1]
    assert middle_of(back, 0)[1] > middle_of(back, 2)[1]
    assert (ahead != scene_view(scene, (320, 200), yaw_deg=40.0)).any()


def test_pictures_need_names_that_say_what_they_are(tmp_path):
    scene = parse_scene(TWO)
    with pytest.raises(InputError, match="no picture"):
        save_scene_map(scene, tmp_path / "map.txt")
    with pytest.raises(InputError, match=r"no \.png"):
        save_scene_view(scene, tmp_path / "view.jpg")
    with pytest.raises(InputError, match="did you mean clearance"):
        save_scene_map(scene, tmp_path / "map.png", "clearence")
    with pytest.raises(InputError, match="pitch"):
        scene_view(scene, (64, 64), pitch_deg=1.0)


@pytest.mark.parametrize("name", ["course", "crevice", "island", "room"])
def test_shapes_are_closed_under_their_normals(name):
    for shape in scene_shapes(load_scene(name)):
        a, b, c = (shape.vertices[shape.triangles[:, k]] for k in range(3))
        face = np.cross(b - a, c - a)
        big = np.linalg.norm(face, axis=1) > 1e-6
        inward = np.einsum("fi,fi->f", face[big], shape.normals[shape.triangles[big, 0]]) < 0.0
        assert not inward.any(), shape.name


def test_the_ground_shape_lies_on_the_ground_and_leaves_the_holes_out():
    scene = load_scene("crevice")
    ground = scene_shapes(scene)[0]
    a, b, c = (ground.vertices[ground.triangles[:, k]][:, [0, 2]] for k in range(3))
    area = 0.5 * np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]).sum()
    from shapely.geometry import Polygon

    assert area == pytest.approx(16 * 30 - Polygon(scene.holes[0].polygon).area, rel=1e-6)
    heights = scene.ground.height(ground.vertices[:, [0, 2]])
    assert ground.vertices[:, 1] == pytest.approx(heights)


def test_the_map_marks_queries_that_nobody_can_walk():
    from footfall.plots.scene_map import scene_figure

    words = scene_figure(load_scene("dungeon")).axes[0].get_xlabel()
    assert "5 hurdle (no walking route)" in words
    assert words.count("no walking route") == 3
    assert "no walking route" not in scene_figure(load_scene("room")).axes[0].get_xlabel()


def test_things_that_move_and_meshes_have_colours_of_their_own(tmp_path):
    scene = parse_scene(
        TWO
        + '[[obstacle]]\nkind = "prism"\nat = [0, 0]\npolygon = [[0, 0], [0.5, 0], [0, 0.5]]\n'
        + 'height = 1\ncolour = "#00ff00"\n'
        + '[[obstacle]]\nkind = "box"\nat = [-2, 1]\nsize = [0.5, 1, 0.5]\ncolour = "#808080"\n'
        + "motion = { times = [0.0], positions = [[-2.0, 0.0, 1.0]] }\n"
    )
    file = save_scene_map(scene, tmp_path / "map.png")
    image = np.asarray(Image.open(file).convert("RGB"))
    assert middle_of(image, 0)[1] < middle_of(image, 1)[1] < middle_of(image, 2)[1]


def test_a_huge_scene_is_drawn_with_no_more_lines_and_points_than_a_small_one(
    tmp_path, monkeypatch
):
    work = {"lines": [], "points": []}

    def count_lines(lines, *given):
        work["lines"].append(len(lines))
        return cover(lines, *given)

    def count_points(self, points):
        work["points"].append(len(points))
        return clearances(self, points)

    cover, clearances = scene_view_module.LineCover, CorridorMap.clearances
    monkeypatch.setattr(scene_view_module, "LineCover", count_lines)
    monkeypatch.setattr(CorridorMap, "clearances", count_points)
    for side in (10, 100_000):
        scene = parse_scene(TWO.replace("[6, 4]", f"[{side}, {side}]"))
        save_scene_map(scene, tmp_path / "map.png", "clearance")
        save_scene_view(scene, tmp_path / "view.png")
    (few_lines, lines), (few_points, *_, points) = work["lines"], work["points"]
    assert lines <= 3 * few_lines
    assert points <= 2 * few_points
