"""Paths to follow: by name, or from TOML, SVG and CSV files.

    path = load_path("zigzag")                 # a built-in path
    path = load_path("route.toml")             # points, straight, rounded or as a spline
    path = load_path("plan.svg#way", 0.02)     # a drawn one, 2 cm for each unit of the drawing
    path = load_path("points.csv")             # rows of x and z

A drawing lies on the ground as it lies on the desk: up the page is +z, and since +x is the left
of somebody who faces +z, it is to the left on the page. The middle of the page is the middle of
the world.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FileFormatError, InputError, check_range, choices
from footfall.files.scene.paths import curve_points
from footfall.files.text import quote_word, read_text, to_number
from footfall.maths.arrays import Floats, first_not_finite
from footfall.toml import toml_table

SUFFIXES = (".toml", ".svg", ".csv")
SVG_METRES_PER_UNIT = 0.01
"""What a drawing that says nothing about its scale is taken for."""
LONGEST_M = 20_000.0
FURTHEST_M = 1e5
SAME_POINT_M = 1e-6
_MOST_BYTES = 8 << 20
_MOST_ROWS = 200_000
_UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "km": 1000.0, "ft": 0.3048, "in": 0.0254}
_HEADING = re.compile(r"([a-z]+)[\s_]*[\[(]?\s*(m|cm|mm|km|ft|in)?\s*[\])]?", re.I)
_IN_SCENES = {
    "straight": ("paths", "straight"),
    "low": ("paths", "low"),
    "high": ("paths", "high"),
    "zigzag": ("zigzag", "round"),
    "zigzag_sharp": ("zigzag", "sharp"),
}
"""Built-in paths that are drawn in a built-in scene: name -> (scene, path)."""


@dataclass(frozen=True, eq=False)
class PathData:
    """A path on the ground.

    name    what it is called
    points  (N, 2) x and z, metres, no two in a row the same; a closed one ends where it begins
    closed  whether it does
    notes   one sentence for each thing that was assumed or repaired
    """

    name: str
    points: Floats
    closed: bool = False
    notes: tuple[str, ...] = ()

    @property
    def length(self) -> float:
        """Metres along the path."""
        return float(np.linalg.norm(np.diff(self.points, axis=0), axis=1).sum())


def builtin_paths() -> tuple[str, ...]:
    """Return the names of the built-in paths."""
    return (*_IN_SCENES, *_DRAWN)


def load_path(source: str | Path, scale: float | None = None) -> PathData:
    """Return a path by its built-in name, or from a .toml, .svg or .csv file.

    scale  metres per unit of the file; None: what the file says, else metres (SVG: centimetres)

    `drawing.svg#name` is the path with that id, needed where a drawing has several.
    """
    if scale is not None:
        check_range("the scale", scale, above=0.0, most=1e6, unit="(metres per unit)")
    text, _, name = str(source).partition("#")
    if Path(text).suffix.lower() != ".svg":
        text, name = str(source), ""
    path = Path(text)
    suffix = path.suffix.lower()
    if text in builtin_paths() and suffix not in SUFFIXES:
        if scale is not None:
            raise InputError(
                f"the path {text} has a size of its own", remedy="a scale is for path files"
            )
        return _builtin(text)
    if suffix == ".svg":
        return _from_svg(path, name, scale)
    if suffix == ".csv":
        return parse_csv(read_text(path, _MOST_BYTES), path.name, path.stem, scale)
    if suffix == ".toml":
        return parse_path(read_text(path, _MOST_BYTES), path.name, path.stem, scale)
    if path.is_file():
        kind = path.suffix or "no suffix"
        raise FileFormatError(
            f"this is no path ({kind})", where=path.name, remedy=choices(SUFFIXES)
        )
    remedy = choices(builtin_paths(), text) + ", or give a .toml, .svg or .csv file"
    raise InputError(f"there is no path {quote_word(text, 80)}", remedy=remedy)


def parse_path(text: str, file: str, name: str = "", scale: float | None = None) -> PathData:
    """Return a path from the text of a path file in TOML."""
    return path_of_table(toml_table(text, file), file, name, scale)


def path_of_table(
    data: dict[str, Any], where: str, name: str = "", scale: float | None = None
) -> PathData:
    """Return a path from a table of keys, as a path file or a task file holds it."""
    from pydantic import ValidationError

    from footfall.files.scene.errors import scene_error
    from footfall.files.task.schema import PathFile

    try:
        spec = PathFile.model_validate(data)
    except ValidationError as error:
        raise scene_error(error, data, where, PathFile) from None
    metres = _UNITS[spec.unit] if scale is None else scale
    points = metres * np.array(spec.points)
    try:
        return make_path(
            points, spec.name or name, spec.closed, where=where, curve=spec.curve,
            radius=spec.radius,
        )  # fmt: skip
    except InputError as error:
        if error.where:
            raise
        raise FileFormatError(error.problem, where=where, remedy=error.remedy) from None


def make_path(
    points: Floats, name: str, closed: bool = False, *, where: str = "", curve: str = "straight",
    radius: float = 0.0, notes: tuple[str, ...] = (),
) -> PathData:  # fmt: skip
    """Return a path through points (N, 2) in metres, checked and without repetitions."""
    wrong = partial(FileFormatError, where=where)
    if len(points) < 2:
        raise wrong(f"the path has {len(points)} points", remedy="it needs two")
    bad = first_not_finite(points)
    if bad is not None:
        raise wrong(f"point {bad[0] + 1} of the path is {points[bad[0]].tolist()}",
                    remedy="points are finite numbers x, z")  # fmt: skip
    far = np.abs(points).max(axis=1) > FURTHEST_M
    if far.any():
        first = int(np.argmax(far))
        raise wrong(f"point {first + 1} of the path is {points[first].tolist()} m",
                    remedy=f"at most {FURTHEST_M:g} m; check the scale")  # fmt: skip
    kept = points[np.concatenate([[True], _steps(points) > SAME_POINT_M])]
    repeated = len(points) - len(kept)
    if closed and len(kept) > 1 and np.linalg.norm(kept[-1] - kept[0]) <= SAME_POINT_M:
        kept = kept[:-1]
    if len(kept) < 2:
        raise wrong("the path has no length", remedy="its points must lie apart")
    if closed and len(kept) < 3:
        raise wrong("the closed path has two points", remedy="it needs three, or closed = false")
    line = curve_points(kept, curve, radius, closed)
    length = float(_steps(line).sum())
    if length > LONGEST_M:
        raise wrong(f"the path is {length:.0f} m long", remedy=f"at most {LONGEST_M:g} m")
    if repeated:
        what = "point that repeats" if repeated == 1 else "points that repeat"
        be = "is" if repeated == 1 else "are"
        notes = (*notes, f"{repeated} {what} the one before {be} left out")
    line.setflags(write=False)
    return PathData(name, line, closed, notes)


def _steps(points: Floats) -> Floats:
    return np.asarray(np.linalg.norm(np.diff(points, axis=0), axis=1))


# ---- built-in ---------------------------------------------------------------------------


def _builtin(name: str) -> PathData:
    if name in _DRAWN:
        return make_path(_DRAWN[name](), name, closed=True)
    from footfall.files.scene.read import load_scene

    scene, path = _IN_SCENES[name]
    return PathData(name, load_scene(scene).path(path).points)


def _circle() -> Floats:
    """Once around to the left, 2 m from the middle."""
    turn = np.linspace(0.0, 2.0 * np.pi, 361)[:-1]
    return np.stack([-2.0 * np.cos(turn), 2.0 * np.sin(turn)], axis=1)


def _figure_eight() -> Floats:
    """Return a circle to the left, then one to the right, each of 2 m radius."""
    turn = np.linspace(0.0, 2.0 * np.pi, 361)[:-1]
    left = np.stack([2.0 - 2.0 * np.cos(turn), 2.0 * np.sin(turn)], axis=1)
    return np.concatenate([left, left * [-1.0, 1.0]])


_DRAWN = {"circle": _circle, "figure_eight": _figure_eight}


# ---- SVG --------------------------------------------------------------------------------


def _from_svg(path: Path, name: str, scale: float | None) -> PathData:
    from footfall.files.task.svg import read_svg

    drawing = read_svg(read_text(path, _MOST_BYTES), path.name, name)
    notes: tuple[str, ...] = ()
    metres = drawing.scale if scale is None else scale
    if metres is None:
        metres = SVG_METRES_PER_UNIT
        notes = ("the drawing does not say its scale: a unit was taken for 1 cm",)
    points = -metres * (drawing.points - drawing.middle)
    label = drawing.name or path.stem
    return make_path(points, label, drawing.closed, where=path.name, notes=notes)


# ---- CSV --------------------------------------------------------------------------------


def parse_csv(text: str, file: str, name: str = "", scale: float | None = None) -> PathData:
    """Return a path from rows of x and z, with a heading or without.

    Fields are parted by commas, semicolons, tabs or blanks. A heading names the columns: x and z,
    or x and y if there is no z; it may state a unit, like x_cm or "x (cm)".
    """
    lines = [
        (n, line) for n, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]  # fmt: skip
    if len(lines) > _MOST_ROWS:
        raise FileFormatError(
            f"has {len(lines)} rows", where=file, remedy=f"at most {_MOST_ROWS} are allowed"
        )
    if not lines:
        raise FileFormatError("holds no points", where=file, remedy="rows of x and z")
    split = _splitter(lines[0][1])
    heading = split(lines[0][1], f"{file}, line {lines[0][0]}")
    columns, metres = [0, 1], 1.0
    if _is_heading(heading):
        columns, metres = _columns(heading, f"{file}, line {lines[0][0]}")
        lines = lines[1:]
    elif len(heading) != 2:
        raise FileFormatError(
            f"has {len(heading)} columns and no heading", where=f"{file}, line {lines[0][0]}",
            remedy="give two columns x and z, or a heading that names them",
        )  # fmt: skip
    points = np.empty((len(lines), 2))
    for row, (number, line) in enumerate(lines):
        where = f"{file}, line {number}"
        fields = split(line, where)
        if len(fields) != len(heading):
            raise FileFormatError(
                f"has {len(fields)} columns, the first has {len(heading)}", where=where
            )
        for k, column in enumerate(columns):
            points[row, k] = to_number(fields[column], "xz"[k], where)
    return make_path(points * (metres if scale is None else scale), name, where=file)


def _splitter(line: str) -> Any:
    """Return the field separator of a line; decimal commas need semicolons between fields."""
    parting = next((c for c in ";\t," if c in line), None)

    def split(line: str, where: str) -> list[str]:
        if parting is None:
            return line.split()
        if len(line) > 10_000:
            raise FileFormatError(f"has {len(line)} characters", where=where)
        fields = next(csv.reader([line], delimiter=parting), [])
        fields = [field.strip() for field in fields]
        return [f.replace(",", ".") for f in fields] if parting == ";" else fields

    return split


def _is_heading(fields: list[str]) -> bool:
    words = [f for f in fields if _HEADING.fullmatch(f)]
    return bool(words) and not any(f.lower() in ("nan", "inf", "infinity") for f in words)


def _columns(heading: list[str], where: str) -> tuple[list[int], float]:
    """Return the columns of x and z, and metres per unit."""
    names, units = [], set()
    for field in heading:
        match = _HEADING.fullmatch(field)
        names.append(match[1].lower() if match else "")
        if match and match[2] and names[-1] in "xyz":
            units.add(match[2].lower())
    second = "z" if "z" in names else "y"
    if "x" not in names or second not in names:
        raise FileFormatError(
            f"the heading is {quote_word(', '.join(heading), 60)}", where=where,
            remedy="name the columns x and z",
        )  # fmt: skip
    if len(units) > 1:
        raise FileFormatError(f"the heading has units {', '.join(sorted(units))}", where=where)
    return [names.index("x"), names.index(second)], _UNITS[units.pop()] if units else 1.0
