"""Path files: points as drawn, in metres, or one sentence."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import FileFormatError, InputError
from footfall.files.task import svg as svg_reader
from footfall.files.task.paths import builtin_paths, load_path, make_path, parse_csv, parse_path
from footfall.files.task.svg import path_data, read_svg
from tests.files import fuzz_paths
from tests.fuzz import check_outcome

numbers = st.floats(-50.0, 50.0).map(lambda v: round(v, 4))
places = st.tuples(numbers, numbers)


def drawn(data: str) -> np.ndarray:
    ((points, _),) = path_data(data)
    return points


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# ---- built-in ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", builtin_paths())
def test_every_built_in_path_loads(name):
    path = load_path(name)
    assert path.length > 10.0
    assert path.closed == bool(np.allclose(path.points[0], path.points[-1]))


def test_the_zigzag_is_33_m_long_with_round_corners_or_sharp_ones():
    assert load_path("zigzag").length == pytest.approx(33.0, abs=0.01)
    assert load_path("zigzag_sharp").length == pytest.approx(33.0, abs=1e-6)
    assert len(load_path("zigzag_sharp").points) == 7


def test_the_circle_turns_left():
    points = load_path("circle").points
    yaw = np.unwrap(np.arctan2(*np.diff(points, axis=0).T))
    assert yaw[-1] - yaw[0] == pytest.approx(2.0 * math.pi, abs=0.05)
    assert np.allclose(np.linalg.norm(points, axis=1), 2.0)


# ---- SVG path data ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "points"),
    [
        ("M1 2 L3 4", [(1, 2), (3, 4)]),
        ("M1 2 3 4 5 6", [(1, 2), (3, 4), (5, 6)]),
        ("m1 2 3 4 5 6", [(1, 2), (4, 6), (9, 12)]),
        ("M0,0H5V-3h-2v1", [(0, 0), (5, 0), (5, -3), (3, -3), (3, -2)]),
        ("M1-2l.5.5-1e1,0", [(1, -2), (1.5, -1.5), (-8.5, -1.5)]),
    ],
)
def test_straight_commands_go_where_they_say(data, points):
    assert np.allclose(drawn(data), points)


def test_closing_returns_to_the_begin_and_a_relative_move_counts_from_there():
    strokes = path_data("M1 1 H3 V3 z m1 1 h1")
    assert [closed for _, closed in strokes] == [True, False]
    assert np.allclose(strokes[1][0], [(2, 2), (3, 2)])


@given(st.lists(places, min_size=4, max_size=4))
def test_a_cubic_stays_on_its_bernstein_polynomial(control):
    a, b, c, d = (np.array(p) for p in control)
    points = drawn(f"M{a[0]} {a[1]} C{b[0]} {b[1]} {c[0]} {c[1]} {d[0]} {d[1]}")
    t = np.linspace(0, 1, len(points))[:, None]
    exact = (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
    assert np.allclose(points, exact, atol=1e-9)
    middle = (t[:-1] + t[1:]) / 2
    curve = (1 - middle) ** 3 * a + 3 * middle * (1 - middle) ** 2 * b
    curve += 3 * middle**2 * (1 - middle) * c + middle**3 * d
    size = max(np.abs(np.array(control) - a).max(), 1e-9)
    assert np.abs(curve - 0.5 * (points[:-1] + points[1:])).max() <= 3e-4 * size


@given(st.lists(places, min_size=3, max_size=3), places)
def test_a_smooth_quadratic_goes_on_in_the_direction_it_had(control, last):
    (ax, ay), (bx, by), (cx, cy) = control
    short = drawn(f"M{ax} {ay} Q{bx} {by} {cx} {cy} T{last[0]} {last[1]}")
    mx, my = 2 * cx - bx, 2 * cy - by
    long = drawn(f"M{ax} {ay} Q{bx} {by} {cx} {cy} Q{mx!r} {my!r} {last[0]} {last[1]}")
    assert np.allclose(short, long)


def test_a_smooth_cubic_after_a_line_has_no_first_handle():
    assert np.allclose(drawn("M0 0 L1 0 S2 1 3 0"), drawn("M0 0 L1 0 C1 0 2 1 3 0"))


@given(
    places, places, st.floats(0.5, 60), st.floats(0.5, 60), st.floats(-180, 180),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_an_arc_lies_on_one_ellipse_and_sweeps_as_told(a, b, rx, ry, turn, large, sweep):
    start, end = np.array(a), np.array(b)
    if np.linalg.norm(end - start) < 0.1:
        return
    points = drawn(f"M{a[0]} {a[1]}A{rx!r} {ry!r} {turn!r} {large:d}{sweep:d}{b[0]} {b[1]}")
    assert np.allclose(points[[0, -1]], [start, end])
    angle = math.radians(turn)
    back = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    flat = points @ back.T / [rx, ry]
    # On the circle of some radius, one where the ellipse reaches: three points say where it is.
    i, j, k = flat[0], flat[len(flat) // 2], flat[-1]
    rows = 2.0 * np.array([j - i, k - i])
    if abs(np.linalg.det(rows)) < 1e-3:
        return
    middle = np.linalg.solve(rows, [j @ j - i @ i, k @ k - i @ i])
    radii = np.linalg.norm(flat - middle, axis=1)
    assert np.ptp(radii) < 1e-5
    assert radii[0] >= 1.0 - 1e-6
    turned = np.unwrap(np.arctan2(*(flat - middle)[:, ::-1].T))
    total = turned[-1] - turned[0]
    assert (total > 0) == sweep
    if radii[0] < 1.0 + 1e-6 and abs(abs(total) - math.pi) > 1e-3:
        assert (abs(total) > math.pi) == large


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("L1 1", "must begin with M"),
        ("M1", "M lacks a number"),
        ("M0 0 X1", "is no command"),
        ("M0 0 A1 1 0 2 0 3 3", "flag 0 or 1"),
        ("M0 0 L1e999 0", "too large"),
        ("M0 0 nan 0", "is no command"),
        ("M0 0 L nan 0", "L lacks a number"),
    ],
)
def test_wrong_path_data_is_told_with_its_place(data, says):
    with pytest.raises(FileFormatError, match=says) as caught:
        path_data(data)
    assert "character" in str(caught.value)


# ---- SVG files --------------------------------------------------------------------------


def svg(body: str, attributes: str = "") -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}>{body}</svg>'


def test_transforms_of_all_parents_apply_from_the_inside_out():
    body = (
        '<g transform="translate(10,20)"><g transform="rotate(90) scale(2)">'
        '<path d="M0 0 L1 0" transform="matrix(1 0 0 1 3 0)"/></g></g>'
    )
    points = read_svg(svg(body), "x.svg").points
    assert np.allclose(points, [(10, 26), (10, 28)])


def test_a_turn_about_a_point_leaves_the_point_where_it_is():
    points = read_svg(svg('<path transform="rotate(77 3 4)" d="M3 4 L4 4"/>'), "x.svg").points
    assert np.allclose(points[0], (3, 4))
    assert np.linalg.norm(points[1] - points[0]) == pytest.approx(1.0)


def test_up_the_page_is_forward_and_left_on_the_page_is_left(tmp_path):
    body = '<polyline points="50,50 50,40 40,40"/>'
    file = written(tmp_path, "a.svg", svg(body, 'viewBox="0 0 100 100"'))
    assert np.allclose(load_path(file, 0.1).points, [(0, 0), (0, 1), (1, 1)])


def test_the_scale_is_the_callers_then_the_files_then_a_centimetre(tmp_path):
    line = '<line id="way" x1="0" y1="0" x2="100" y2="0" {}/>'
    own = written(tmp_path, "a.svg", svg(line.format('data-metres-per-unit="0.05"')))
    page = written(tmp_path, "b.svg", svg(line.format(""), 'data-metres-per-unit="0.2"'))
    none = written(tmp_path, "c.svg", svg(line.format("")))
    assert load_path(own).length == pytest.approx(5.0)
    assert load_path(own, 0.5).length == pytest.approx(50.0)
    assert load_path(page).length == pytest.approx(20.0)
    assert load_path(none).length == pytest.approx(1.0)
    assert "scale" in load_path(none).notes[0]


def test_a_drawing_of_several_paths_asks_which(tmp_path):
    body = (
        '<path id="a" d="M0 0H1"/><defs><path id="c" d="M0 0H9"/></defs><path id="b" d="M0 0H2"/>'
    )
    file = written(tmp_path, "two.svg", svg(body))
    with pytest.raises(FileFormatError, match=r"holds 2 paths; name one, like two.svg#a"):
        load_path(file)
    assert load_path(f"{file}#b").name == "b"
    with pytest.raises(FileFormatError, match="choose one of a, b"):
        load_path(f"{file}#c")


def test_a_polygon_and_a_closed_path_end_where_they_begin(tmp_path):
    for body in ('<polygon points="0 0 9 0 9 9"/>', '<path d="M0 0h9v9z"/>'):
        path = load_path(written(tmp_path, "a.svg", svg(body)))
        assert path.closed
        assert np.allclose(path.points[0], path.points[-1])
        assert len(path.points) == 4


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (svg(""), "holds no path"),
        (svg('<path d="M0 0 1 1 M2 2 3 3"/>'), "2 separate strokes"),
        (svg('<path d="M0 0"/>'), "draws nothing"),
        (svg('<path d="M0 0 0 0"/>'), "no length"),
        (svg('<path d="M0 0 9 9" transform="spin(3)"/>'), "choose one of matrix"),
        (svg('<path d="M0 0 9 9" transform="scale(1,2,3)"/>'), "scale has 3 numbers"),
        (svg('<path d="M0 0 9 9" data-metres-per-unit="-1"/>'), "it must be > 0"),
        (svg('<polyline points="1 2 3"/>'), "two each"),
        ("<html></html>", "no SVG file"),
        ("<svg><path", "line 1: this is not valid SVG"),
        ('<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>', "declares entities"),
        ("<g>" * 2000, "no SVG file"),
        (svg("<g>" * 2000 + "</g>" * 2000), "nested too deeply"),
    ],
)
def test_a_wrong_drawing_is_one_sentence(tmp_path, text, says):
    with pytest.raises(InputError) as caught:
        load_path(written(tmp_path, "x.svg", text))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


# ---- CSV --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "0,0\n1.5,2\n",
        "x,z\n0,0\n1.5,2\n",
        "0;0\n1,5;2\n",
        "x\tz\n0\t0\n1.5\t2",
        "0 0\n  1.5   2\n\n",
        "# a remark\r\nx (cm), z (cm)\r\n0,0\r\n150,200\r\n",
        "frame,x_mm,y_mm,z_mm\n1,0,900,0\n2,1500,905,2000\n",
        "X,Y\n0,0\n1.5,2\n",
        '"x","z"\n"0","0"\n"1.5","2"\n',
    ],
)
def test_points_are_read_whatever_parts_and_heads_them(text):
    assert np.allclose(parse_csv(text, "p.csv").points, [(0, 0), (1.5, 2)])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no points"),
        ("1,2\n", "has 1 points"),
        ("1,2\n1,2\n1,2", "no length"),
        ("1,2\nnan,3\n", "line 2: x is 'nan'; it must be a finite number"),
        ("nan,nan\n1,1", "finite"),
        ("1,2\n3\n", "line 2: has 1 columns"),
        ("1,2,3\n4,5,6\n", "no heading"),
        ("a,b\n1,2\n3,4\n", "name the columns x and z"),
        ("x_m,z_cm\n1,2\n3,4\n", "units cm, m"),
        ("1,2\nhere,3\n", "it must be a number"),
        ("1,2\n1e8,3\n", "check the scale"),
    ],
)
def test_wrong_points_are_one_sentence_with_the_line(text, says):
    with pytest.raises(InputError) as caught:
        parse_csv(text, "p.csv")
    assert says in str(caught.value)


# ---- TOML -------------------------------------------------------------------------------


def test_a_spline_passes_through_its_points_and_a_closed_one_has_no_corner():
    text = "points = [[0,0],[4,0],[4,4],[0,4]]\ncurve = 'spline'\nclosed = true"
    path = parse_path(text, "p.toml")
    for point in ((0, 0), (4, 0), (4, 4), (0, 4)):
        assert np.linalg.norm(path.points - point, axis=1).min() < 0.02
    heads = np.diff(np.concatenate([path.points, path.points[1:3]]), axis=0)
    turns = np.diff(np.unwrap(np.arctan2(heads[:, 0], heads[:, 1])))
    assert np.abs(turns).max() < 0.1


def test_round_corners_of_a_closed_path_are_all_round():
    text = "points = [[0,0],[4,0],[4,4],[0,4]]\ncurve = 'round'\nradius = 1.0\nclosed = true"
    path = parse_path(text, "p.toml")
    assert path.length == pytest.approx(16.0 - 8.0 + 2.0 * math.pi, abs=1e-3)
    assert np.allclose(path.points[0], path.points[-1])


def test_the_unit_is_said_in_the_file_and_overruled_by_the_caller():
    text = 'points = [[0,0],[300,400]]\nunit = "cm"'
    assert parse_path(text, "p.toml").length == pytest.approx(5.0)
    assert parse_path(text, "p.toml", scale=1.0).length == pytest.approx(500.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("points = [[0,0]]", "the path has 1 points; it needs two"),
        ("points = []", "it needs at least 1"),
        ("points = [[0,0],[0,0]]", "no length"),
        ("points = [[0,0],[nan,0]]", "points[1][0] is nan; it must be a finite number"),
        ("points = [[0,0],[1,1]]\nclosed = true", "it needs three"),
        ("points = [[0,0],[1,1],[2]]", "points[2] has 1 entries"),
        ("points = [[0,0],[1,1]]\ncurv = 'x'", "did you mean curve?"),
        ("points = [[0,0],[1,1]]\ncurve = 'wavy'", "choose one of straight, round, spline"),
        ("points = [[0,0],[1,0],[1,1]]\ncurve = 'round'\nradius = 3", "too large for the corner"),
        ("points = [[0,0],[50000,0]]", "at most 20"),
        ("points = [[", "this is not valid TOML"),
        ("", "the key 'points' is missing"),
    ],
)
def test_a_wrong_path_file_is_one_sentence(text, says):
    with pytest.raises(FileFormatError) as caught:
        parse_path(text, "p.toml")
    assert says in str(caught.value)
    assert str(caught.value).startswith("p.toml")


def test_repeated_points_are_left_out_and_said():
    path = make_path(np.array([[0.0, 0], [0, 0], [1, 0], [1, 0], [2, 0]]), "x")
    assert len(path.points) == 3
    assert path.notes == ("2 points that repeat the one before are left out",)


def test_corners_and_crossings_stay_as_drawn():
    eight = np.array([[0.0, 0], [2, 2], [2, 0], [0, 2]])
    assert np.array_equal(make_path(eight, "x").points, eight)


def test_an_unknown_name_is_told_with_the_names_there_are():
    with pytest.raises(InputError, match=r"did you mean zigzag\?"):
        load_path("zigzak")
    with pytest.raises(InputError, match="there is no such file"):
        load_path("nowhere.svg")


def test_another_kind_of_file_is_no_path(tmp_path):
    with pytest.raises(FileFormatError, match=r"this is no path \(.bvh\)"):
        load_path(written(tmp_path, "walk.bvh", "x"))


@pytest.mark.parametrize("name", list(fuzz_paths.TARGETS))
def test_damaged_files_give_a_path_or_one_sentence(tmp_path, name):
    for case in range(250):
        fuzz_paths.TARGETS[name](random.Random(f"{name}:{case}"), tmp_path)


@given(st.text(alphabet="MmLlHhVvCcSsQqTtAaZz0123456789.,+-eE ", max_size=80))
def test_any_path_data_is_strokes_or_one_sentence(data):
    def check(strokes: object) -> None:
        assert isinstance(strokes, list)
        assert all(len(points) > 1 and np.isfinite(points).all() for points, _ in strokes)

    check_outcome(lambda: path_data("M0 0" + data), check)


@pytest.mark.parametrize("command", ["A 1 1 0 0 1 {x} 0", "q {x} 0 1 0", "C {x} 0 1 1 {x} 1"])
def test_curves_without_end_are_refused_before_all_are_computed(command, monkeypatch):
    computed = []
    for name in ("_arc", "_bezier"):
        real = getattr(svg_reader, name)
        monkeypatch.setattr(
            svg_reader, name, lambda *a, real=real: (computed.append(1), real(*a))[1]
        )
    monkeypatch.setattr(svg_reader, "MOST_CURVES", 200)
    data = "M 0 0 " + " ".join(command.format(x=n * 1e-5) for n in range(1000))
    with pytest.raises(FileFormatError, match="it has more than 200 curves"):
        path_data(data)
    assert len(computed) <= 200


def test_a_drawing_of_many_curves_is_read():
    assert svg_reader.MOST_CURVES >= 10_000
