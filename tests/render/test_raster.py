"""The renderer against analytic shapes and brute-force ray casting."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.render.camera import Camera, look_at, orthographic
from footfall.render.raster import DrawItem, DrawnLine, Style, draw, srgb
from footfall.render.stage import blur
from footfall.render.surfaces import find_visible
from tests.sweeps import examples

BLANK = Style(ground=None, background=(0.0, 0.0, 0.0), horizon=(0.0, 0.0, 0.0))
FLOOR = Style(grid=0.0, stage=((0.0, 0.0), (0.0, 0.0)), stage_radius=50.0)
FRONT = orthographic((0.0, 0.0, 5.0), (0.0, 0.0, -1.0), height=4.0)


def ball(radius: float = 1.0, centre=(0.0, 0.0, 0.0), **how) -> DrawItem:
    mesh = trimesh.creation.icosphere(subdivisions=4, radius=radius)
    how = {"colours": (1.0, 1.0, 1.0), **how}
    return DrawItem(mesh.vertices + np.asarray(centre), mesh.faces, mesh.vertex_normals, **how)


def square(side: float, z: float = 0.0, centre=(0.0, 0.0), **how) -> DrawItem:
    x, y = centre
    h = side / 2
    corners = [[x - h, y - h, z], [x + h, y - h, z], [x + h, y + h, z], [x - h, y + h, z]]
    how = {"colours": (1.0, 1.0, 1.0), "lit": False, **how}
    return DrawItem(np.array(corners), np.array([[0, 1, 2], [0, 2, 3]]), **how)


def buffers(points: np.ndarray, triangles: np.ndarray, camera: Camera, size):
    near = camera.near if camera.perspective else -1e30
    flat = camera.homogeneous(points, size)
    return find_visible(flat, np.asarray(triangles, np.int32), near, size)


def cast(points: np.ndarray, triangles: np.ndarray, camera: Camera, size):
    """First hit and its depth for the centre of every pixel (Moeller & Trumbore), by hand."""
    o, ox, oy, s, sx, sy = camera.rays(size)
    v, u = np.meshgrid(np.arange(size[1]) + 0.5, np.arange(size[0]) + 0.5, indexing="ij")
    origin = o + u[..., None] * ox + v[..., None] * oy
    slope = s + u[..., None] * sx + v[..., None] * sy
    best = np.full(u.shape, np.inf)
    face = np.full(u.shape, -1)
    margin = np.full(u.shape, np.inf)
    near = camera.near if camera.perspective else -1e30
    for f, (a, b, c) in enumerate(points[triangles]):
        p = np.cross(slope, c - a)
        det = p @ (b - a)
        with np.errstate(all="ignore"):
            i = np.einsum("...i,...i", origin - a, p) / det
            q = np.cross(origin - a, b - a)
            j = np.einsum("...i,...i", slope, q) / det
            t = q @ (c - a) / det
        edge = np.minimum(np.minimum(i, j), 1 - i - j)
        hit = (edge >= 0) & (t > near) & (np.abs(det) > 1e-12)
        margin = np.minimum(margin, np.where(np.isfinite(edge), np.abs(edge), np.inf))
        # Two surfaces that nearly touch, or a hit near an edge, may go either way.
        margin = np.where(hit & (np.abs(t - best) < 1e-4), 0.0, margin)
        face = np.where(hit & (t < best), f, face)
        best = np.where(hit & (t < best), t, best)
    return face, best, margin > 1e-6


@examples(40)
@given(seed=st.integers(0, 10_000), perspective=st.booleans())
def test_the_nearest_triangle_is_seen_as_ray_casting_says(seed: int, perspective: bool) -> None:
    rng = np.random.default_rng(seed)
    # Some triangles surround the eye, so that corners lie behind it.
    points = rng.uniform(-3.0, 3.0, (24, 3))
    triangles = rng.permutation(24).reshape(8, 3)
    eye, target = rng.uniform(-2.0, 2.0, 3), rng.uniform(-1.0, 1.0, 3)
    camera = (
        look_at(eye, target, field_of_view=1.1)
        if perspective
        else orthographic(eye, target - eye, height=4.0)
    )
    depth, faces, _ = buffers(points, triangles, camera, (48, 36))
    wanted, distance, sure = cast(points, triangles, camera, (48, 36))
    seen = np.where(faces < -1, -2 - faces, faces)
    assert (seen == wanted)[sure].all()
    hit = sure & (wanted >= 0)
    assert depth[hit] == pytest.approx(distance[hit], rel=1e-5, abs=1e-5)


def test_a_sphere_without_perspective_covers_a_disc() -> None:
    picture = draw([ball(lit=False)], FRONT, (400, 400), replace(BLANK, supersample=3))
    area = (picture[..., 0] > 0).mean() * 16.0
    covered = (picture[..., 0] / 255.0 > 0.5).mean() * 16.0
    assert covered == pytest.approx(math.pi, rel=0.005)
    assert area == pytest.approx(math.pi, rel=0.02)


def test_a_sphere_in_perspective_covers_the_disc_of_its_tangent_cone() -> None:
    camera = look_at((0.0, 0.0, 3.0), (0.0, 0.0, 0.0), field_of_view=1.2)
    picture = draw([ball(lit=False)], camera, (300, 300), replace(BLANK, supersample=3))
    radius = 1.0 / math.sqrt(3.0**2 - 1.0) / math.tan(0.6) * 150.0
    covered = (picture[..., 0] / 255.0 > 0.5).sum()
    assert covered == pytest.approx(math.pi * radius**2, rel=0.01)


def test_a_sphere_has_the_depth_of_its_surface() -> None:
    item = ball()
    depth, _, _ = buffers(item.vertices, item.triangles, FRONT, (200, 200))
    v, u = np.indices((200, 200)) + 0.5
    x, y = (u - 100) / 50, (100 - v) / 50
    inside = x**2 + y**2 < 0.95
    wanted = 5.0 - np.sqrt(np.maximum(1.0 - x**2 - y**2, 0.0))
    assert np.abs(depth - wanted)[inside].max() < 0.01
    assert np.isinf(depth[x**2 + y**2 > 1.001]).all()


def test_outsides_and_insides_are_told_apart() -> None:
    item = ball()
    _, faces, _ = buffers(item.vertices, item.triangles, FRONT, (60, 60))
    assert (faces[faces != -1] >= 0).all()
    _, faces, _ = buffers(item.vertices, item.triangles[:, ::-1], FRONT, (60, 60))
    assert (faces[faces != -1] < -1).all()


def test_neighbouring_triangles_leave_no_cracks(rng: np.random.Generator) -> None:
    grid = np.stack(np.meshgrid(np.linspace(-3, 3, 30), np.linspace(-3, 3, 30)), -1)
    grid[1:-1, 1:-1] += rng.uniform(-0.08, 0.08, grid[1:-1, 1:-1].shape)
    points = np.column_stack([grid.reshape(-1, 2), rng.uniform(-0.2, 0.2, 900)])
    corner = (np.arange(29)[:, None] * 30 + np.arange(29)).ravel()
    triangles = np.concatenate(
        [np.stack([corner, corner + 1, corner + 31], 1),
         np.stack([corner, corner + 31, corner + 30], 1)]
    )  # fmt: skip
    _, faces, _ = buffers(points, triangles, FRONT, (331, 257))
    assert (faces != -1).all()


def test_the_order_of_items_does_not_matter(rng: np.random.Generator) -> None:
    items = [
        ball(rng.uniform(0.2, 0.7), rng.uniform(-1.2, 1.2, 3), colours=rng.uniform(0, 1, 3), fade=f)
        for f in (0.0, 0.0, 0.3, 0.0, 0.6)
    ]
    style = replace(FLOOR, floor=-1.5)
    camera = look_at((0.0, 1.0, 6.0), (0.0, -0.3, 0.0), field_of_view=0.7)
    forward = draw(items, camera, (160, 120), style).astype(int)
    backward = draw(items[::-1], camera, (160, 120), style).astype(int)
    assert np.abs(forward - backward).max() <= 1


def test_equal_input_gives_equal_pixels_with_any_number_of_threads() -> None:
    items = [ball(0.7, (0.0, 0.0, 0.0), colours=(0.7, 0.4, 0.2)), ball(0.3, (0.6, 0.5, 0.6))]
    camera = look_at((0.0, 1.0, 6.0), (0.0, 0.0, 0.0), field_of_view=0.7)
    pictures = [
        draw(items, camera, (150, 101), replace(FLOOR, floor=-0.7), threads=n) for n in (1, 1, 2, 3)
    ]
    for other in pictures[1:]:
        assert (other == pictures[0]).all()


@given(code=st.integers(0, 0xFFFFFF).map(lambda n: f"#{n:06x}"))
@examples(30)
def test_an_unlit_surface_has_exactly_its_colour(code: str) -> None:
    picture = draw([square(9.0, colours=srgb(code))], FRONT, (4, 4), BLANK)
    wanted = [int(code[i : i + 2], 16) for i in (1, 3, 5)]
    assert (np.abs(picture.astype(int) - wanted) <= 1).all()


def test_edges_are_averaged_in_linear_light() -> None:
    # The white square's left edge runs through the middle of a column of pixels.
    camera = orthographic((0.0, 0.0, 5.0), (0.0, 0.0, -1.0), height=8.0)
    picture = draw([square(20.0, centre=(10.5, 0.0))], camera, (8, 8), BLANK)
    assert (picture[:, :4] == 0).all()
    assert (picture[:, 5:] == 255).all()
    assert np.abs(picture[:, 4].astype(int) - 188).max() <= 1  # sRGB of one half


def test_colours_run_smoothly_between_vertices_in_perspective() -> None:
    # A floor-like quad seen at a slant: the colour follows position on it, not on the screen.
    points = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, -1.0, -8.0], [-1.0, -1.0, -8.0]])
    values = np.array([[0.0] * 3, [0.0] * 3, [1.0] * 3, [1.0] * 3])
    item = DrawItem(
        points, np.array([[0, 1, 2], [0, 2, 3]]), vertex_colours=values, lit=False
    )  # fmt: skip
    camera = look_at((0.0, 0.0, 2.0), (0.0, -0.4, -2.0), field_of_view=0.9)
    picture = draw([item], camera, (201, 201), replace(BLANK, supersample=1))
    for z in (-1.0, -3.0, -6.0):
        x, y, _ = camera.project([[0.0, -1.0, z]], (201, 201))[0]
        linear = srgb("#{:02x}{:02x}{:02x}".format(*picture[int(y), int(x)]))[0]
        assert linear == pytest.approx(-z / 8.0, abs=0.02)


def test_fading_leads_into_the_background_and_takes_the_shadow_along() -> None:
    camera = look_at((0.0, 1.5, 6.0), (0.0, 0.3, 0.0), field_of_view=0.7)
    empty = draw([], camera, (120, 90), FLOOR)
    gone = draw([ball(0.5, (0.0, 0.5, 0.0), fade=1.0)], camera, (120, 90), FLOOR)
    half = draw([ball(0.5, (0.0, 0.5, 0.0), fade=0.5)], camera, (120, 90), FLOOR).astype(int)
    full = draw([ball(0.5, (0.0, 0.5, 0.0))], camera, (120, 90), FLOOR).astype(int)
    assert (gone == empty).all()
    assert np.abs(half - empty).sum() < np.abs(full - empty).sum()


def _at(picture: np.ndarray, camera: Camera, where) -> float:
    x, y, _ = camera.project([where], picture.shape[1::-1])[0]
    return float(picture[int(y), int(x)].mean())


def test_a_shadow_falls_away_from_the_light_and_nowhere_else() -> None:
    camera = orthographic((0.0, 4.0, 0.0), (0.0, -1.0, -1e-6), height=6.0, up=(0.0, 0.0, -1.0))
    style = replace(FLOOR, light=(-1.0, 1.0, 0.0), contact=0.0)
    item = ball(0.3, (0.0, 1.0, 0.0))
    clear = draw([replace(item, casts_shadow=False)], camera, (200, 200), style)
    dark = draw([item], camera, (200, 200), style)
    # Light from the left and above at 45 degrees: a ball one metre up shades one metre right.
    assert _at(dark, camera, (1.0, 0.0, 0.0)) < _at(clear, camera, (1.0, 0.0, 0.0)) - 20
    assert _at(dark, camera, (-1.0, 0.0, 0.0)) == _at(clear, camera, (-1.0, 0.0, 0.0))
    assert _at(dark, camera, (1.0, 0.0, 1.2)) == _at(clear, camera, (1.0, 0.0, 1.2))


def test_shadows_are_sharper_where_the_blocking_thing_is_nearer() -> None:
    def softness(height: float) -> float:
        camera = orthographic((0.0, 4.0, 0.0), (0.0, -1.0, -1e-6), height=3.0, up=(0.0, 0.0, -1.0))
        style = replace(FLOOR, light=(-1.0, 1.0, 0.0), contact=0.0)
        item = ball(0.25, (-height, height, 0.0))
        row = draw([item], camera, (300, 300), style)[150, 150:].mean(axis=1)
        return float(np.abs(np.diff(row)).max())

    assert softness(0.4) > 1.5 * softness(1.4)


def test_one_body_shades_another() -> None:
    camera = orthographic((0.0, 0.0, 5.0), (0.0, 0.0, -1.0), height=4.0)
    style = replace(BLANK, light=(0.0, 1.0, 0.02))
    under = ball(0.4, (0.0, -0.6, 0.0))
    alone = draw([under], camera, (100, 100), style)
    shaded = draw([under, ball(0.6, (0.0, 0.9, 0.0))], camera, (100, 100), style)
    assert _at(shaded, camera, (0.0, -0.35, 0.3)) < _at(alone, camera, (0.0, -0.35, 0.3)) - 30


def test_the_floor_hides_what_lies_deeper_than_may_show() -> None:
    camera = look_at((0.0, 2.0, 5.0), (0.0, 0.0, 0.0), field_of_view=0.6)
    buried = ball(0.2, (0.0, -0.3, 0.0), casts_shadow=False)
    empty = draw([], camera, (80, 60), FLOOR)
    assert (draw([buried], camera, (80, 60), FLOOR) == empty).all()
    assert (draw([buried], camera, (80, 60), replace(FLOOR, sink=1.0)) != empty).any()


def test_lines_are_hidden_by_what_is_nearer_unless_on_top() -> None:
    line = DrawnLine(np.array([[-1.5, 0.0, -1.0], [1.5, 0.0, -1.0]]), (1.0, 0.0, 0.0), width=3.0)
    item = square(1.0, z=0.5, colours=(0.0, 0.0, 1.0))
    behind = draw([item], FRONT, (100, 100), BLANK, lines=[line])
    over = draw([item], FRONT, (100, 100), BLANK, lines=[replace(line, on_top=True)])
    assert tuple(behind[50, 50]) == (0, 0, 255)
    assert tuple(behind[50, 20]) == (255, 0, 0)
    assert tuple(over[50, 50]) == (255, 0, 0)


def test_a_line_is_as_wide_as_it_says() -> None:
    line = DrawnLine(np.array([[-3.0, 0.0, 0.0], [3.0, 0.0, 0.0]]), (1.0, 1.0, 1.0), width=7.0)
    picture = draw([], FRONT, (60, 61), BLANK, lines=[line])
    linear = ((picture[:, 30, 0] / 255.0 + 0.055) / 1.055) ** 2.4
    assert linear.sum() == pytest.approx(7.0, abs=0.2)


def test_lines_of_the_grid_are_a_metre_apart_and_turn_with_it() -> None:
    camera = orthographic((0.0, 4.0, 0.0), (0.0, -1.0, 0.0), height=4.0, up=(0.0, 0.0, -1.0))
    style = replace(FLOOR, grid=1.0, grid_at=(0.3, 0.0), grid_along=(1.0, 0.0))
    row = draw([], camera, (400, 400), style)[150].mean(axis=1)
    dips = np.flatnonzero(row < row.max() - 4)
    lines = [np.mean(g) for g in np.split(dips, np.flatnonzero(np.diff(dips) > 2) + 1)]
    assert np.diff(lines) == pytest.approx(100.0, abs=1.5)
    assert (lines[0] + 0.5 - 200) / 100 % 1.0 == pytest.approx(0.3, abs=0.02)
    turned = draw([], camera, (400, 400), replace(style, grid_along=(1.0, 1.0)))[150].mean(axis=1)
    dips = np.flatnonzero(turned < turned.max() - 4)
    lines = [np.mean(g) for g in np.split(dips, np.flatnonzero(np.diff(dips) > 2) + 1)]
    assert len(lines) >= 4


def test_blurring_keeps_the_sum_and_matches_three_box_filters(rng: np.random.Generator) -> None:
    from scipy.ndimage import uniform_filter

    image = np.zeros((80, 90), dtype=np.float32)
    image[30:50, 30:60] = rng.uniform(0, 1, (20, 30))
    wanted = image.astype(float)
    for _ in range(3):
        wanted = uniform_filter(wanted, 2 * 4 + 1, mode="constant")
    out = image.copy()
    out = blur(out, 4)
    assert out.sum() == pytest.approx(image.sum(), rel=1e-5)
    assert out == pytest.approx(wanted, abs=1e-5)


def test_an_empty_scene_is_the_background() -> None:
    assert (draw([], FRONT, (7, 5), BLANK) == 0).all()


def test_a_huge_scene_and_a_camera_inside_it_are_drawn() -> None:
    picture = draw(
        [ball(5000.0, lit=True)], look_at((0, 0, 0), (1, 0, 0), field_of_view=1.0), (40, 30), BLANK
    )
    assert picture.shape == (30, 40, 3)
    assert (picture > 0).all()


@pytest.mark.parametrize("size", [(0, 10), (10, -1), (20_000, 10)])
def test_impossible_sizes_are_refused(size) -> None:
    with pytest.raises(InputError, match="pixels"):
        draw([], FRONT, size, BLANK)


@pytest.mark.parametrize(
    "wrong",
    [
        {"triangles": np.array([[0, 1, 9]])},
        {"vertices": np.full((4, 3), np.nan)},
        {"normals": np.zeros((3, 3))},
        {"colours": np.zeros((5, 3))},
        {"vertex_colours": np.zeros((2, 3))},
        {"fade": 1.5},
    ],
)
def test_a_wrong_item_is_refused(wrong) -> None:
    right = {"vertices": np.eye(4, 3), "triangles": np.array([[0, 1, 2]])}
    with pytest.raises(InputError):
        DrawItem(**{**right, **wrong})
