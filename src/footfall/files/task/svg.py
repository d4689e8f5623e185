"""Paths drawn in an SVG file: `path`, `polyline`, `polygon` and `line`, their transforms applied.

Every command of path data is read (M L H V C S Q T A Z, upper and lower case), curves become
points. Nothing but geometry is looked at; definitions, clip paths and markers are left out.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from footfall.errors import FileFormatError, InputError, choices
from footfall.files.text import LARGEST_NUMBER, quote_word, to_number
from footfall.maths.arrays import Floats

DRAWN = ("path", "polyline", "polygon", "line")
MOST_POINTS, MOST_CURVES = 200_000, 20_000
_HIDDEN = ("defs", "clipPath", "mask", "marker", "pattern", "symbol", "metadata", "title", "desc")
_SCALES = ("data-metres-per-unit", "data-meters-per-unit")
_DEEPEST = 1000
_MOST_DRAWN = 10_000
_TOLERANCE = 1e-4
"""How far a curve's points may stray from it, in sizes of the curve."""
_MOST_PER_CURVE = 128

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_NUMBER_BEGINS = tuple("+-.0123456789")
_GAP = re.compile(r"[\s,]*")
_COUNTS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
_FUNCTION = re.compile(r"\s*,?\s*([A-Za-z]+)\s*\(([^()]*)\)")


@dataclass(frozen=True, eq=False)
class Drawing:
    """One path of an SVG file.

    name    its id; empty if it has none
    points  (N, 2) in the coordinates of the file's outermost `svg`, y down
    closed  whether it ends where it began, by Z or as a polygon
    middle  (2,) the middle of the page, or 0 if the file does not say how large that is
    scale   metres per unit, if the file says so
    """

    name: str
    points: Floats
    closed: bool
    middle: Floats
    scale: float | None


@dataclass(frozen=True)
class _DrawnElement:
    kind: str
    attributes: dict[str, str]
    matrix: Any


def read_svg(text: str, file: str, name: str = "") -> Drawing:
    """Return the path called `name` of an SVG file, or the only one it holds.

    A file with several paths asks for a name; a path in several strokes is refused, since nobody
    can walk from one to the next.
    """
    found = _shapes(text, file)
    shape = _choose_element(found.shapes, name, file)
    label = shape.attributes.get("id", "")
    where = f"{file}: {shape.kind} {label!r}" if label else f"{file}: {shape.kind}"
    strokes = _strokes(shape, where)
    if not strokes:
        raise FileFormatError("the path draws nothing", where=where)
    if len(strokes) > 1:
        raise FileFormatError(
            f"the path has {len(strokes)} separate strokes", where=where,
            remedy="join them or keep one",
        )  # fmt: skip
    points, closed = strokes[0]
    points = points @ shape.matrix[:, :2].T + shape.matrix[:, 2]
    if not (np.abs(points) <= LARGEST_NUMBER).all():
        raise FileFormatError("the path reaches too far", where=where, remedy="check its transform")
    scale = _scale(shape.attributes, where)
    return Drawing(
        label, points, closed, found.middle, _scale(found.page, file) if scale is None else scale
    )


class _Collector:
    """What expat calls while it reads: keeps drawn shapes, each with its place on the page."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.shapes: list[_DrawnElement] = []
        self.page: dict[str, str] = {}
        self.matrices = [np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])]
        self.hidden = 0
        self.depth = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rsplit(":", 1)[-1]
        if self.depth == 0:
            if kind != "svg":
                raise FileFormatError(
                    f"this is no SVG file but {quote_word(kind)}", where=self.file
                )
            self.page = attributes
        self.depth += 1
        if self.depth > _DEEPEST:
            raise FileFormatError("the file is nested too deeply", where=self.file)
        self.matrices.append(self._matrix(attributes.get("transform", "")))
        if self.hidden or kind in _HIDDEN:
            self.hidden += 1
        elif kind in DRAWN:
            if len(self.shapes) >= _MOST_DRAWN:
                raise FileFormatError(f"holds over {_MOST_DRAWN} paths", where=self.file)
            self.shapes.append(_DrawnElement(kind, attributes, self.matrices[-1]))

    def end(self, tag: str) -> None:
        self.depth -= 1
        self.matrices.pop()
        self.hidden = max(self.hidden - 1, 0)

    def entity(self, *_: object) -> None:
        raise FileFormatError("declares entities", where=self.file, remedy="save it as plain SVG")

    def _matrix(self, text: str) -> Any:
        outer = self.matrices[-1]
        if not text.strip():
            return outer
        inner = _transform(text, f"{self.file}: transform")
        return np.column_stack([outer[:, :2] @ inner[:, :2], outer[:, :2] @ inner[:, 2]]) + (
            np.column_stack([np.zeros((2, 2)), outer[:, 2]])
        )

    @property
    def middle(self) -> Floats:
        """(2,) the middle of the page: of the viewBox, else of width and height."""
        box = self.page.get("viewBox", "").replace(",", " ").split()
        if len(box) == 4:
            x, y, width, height = (to_number(w, "viewBox", self.file) for w in box)
            return np.array([x + 0.5 * width, y + 0.5 * height])
        size = [self.page.get(k, "").removesuffix("px") for k in ("width", "height")]
        if all(_NUMBER.fullmatch(word) for word in size):
            return 0.5 * np.array([to_number(word, "size", self.file) for word in size])
        return np.zeros(2)


def _shapes(text: str, file: str) -> _Collector:
    from xml.parsers import expat

    # The text is decoded already, so what the file says of its encoding no longer holds.
    parser = expat.ParserCreate("utf-8")
    found = _Collector(file)
    parser.StartElementHandler = found.start
    parser.EndElementHandler = found.end
    parser.EntityDeclHandler = found.entity
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        problem = expat.ErrorString(error.code)
        raise FileFormatError(
            f"this is not valid SVG ({problem})", where=f"{file}, line {error.lineno}"
        ) from None
    return found


def _choose_element(shapes: list[_DrawnElement], name: str, file: str) -> _DrawnElement:
    if not shapes:
        raise FileFormatError("holds no path", where=file, remedy="draw one: " + ", ".join(DRAWN))
    names = [shape.attributes.get("id", "") for shape in shapes]
    known = [n for n in names if n][:12]
    if name:
        if name not in names:
            remedy = choices(known, name) if known else "none has an id"
            raise FileFormatError(
                f"holds no path called {quote_word(name)}", where=file, remedy=remedy
            )
        return shapes[names.index(name)]
    if len(shapes) > 1:
        remedy = f"name one, like {file}#{known[0]}" if known else "keep one, or give it an id"
        if len(known) > 1:
            remedy += f" ({', '.join(known)})"
        raise FileFormatError(f"holds {len(shapes)} paths", where=file, remedy=remedy)
    return shapes[0]


def _scale(attributes: dict[str, str], where: str) -> float | None:
    for key in _SCALES:
        if key in attributes:
            value = to_number(attributes[key].strip(), key, where)
            if value <= 0.0:
                raise FileFormatError(f"{key} is {value:g}", where=where, remedy="it must be > 0")
            return value
    return None


# ---- transforms -------------------------------------------------------------------------


def _transform(text: str, where: str) -> Any:
    """Return (2, 3) the matrix of a transform attribute."""
    whole = np.eye(3)
    at = 0
    while at < len(text):
        match = _FUNCTION.match(text, at)
        if match is None:
            if text[at:].strip():
                raise FileFormatError(f"cannot read {quote_word(text[at:])}", where=where)
            break
        values = [to_number(w, match[1], where) for w in re.split(r"[\s,]+", match[2]) if w]
        whole = whole @ _one_transform(match[1], values, where)
        at = match.end()
    if not (np.abs(whole) <= LARGEST_NUMBER).all():
        raise FileFormatError("it moves too far", where=where)
    return whole[:2]


def _one_transform(kind: str, v: list[float], where: str) -> Any:
    counts = {"matrix": (6,), "translate": (1, 2), "scale": (1, 2), "rotate": (1, 3),
              "skewX": (1,), "skewY": (1,)}  # fmt: skip
    if kind not in counts:
        raise FileFormatError(
            f"it names {quote_word(kind)}", where=where, remedy=choices(counts, kind)
        )
    if len(v) not in counts[kind]:
        raise FileFormatError(f"{kind} has {len(v)} numbers", where=where)
    if kind == "matrix":
        return np.array([[v[0], v[2], v[4]], [v[1], v[3], v[5]], [0.0, 0.0, 1.0]])
    if kind == "translate":
        return np.array([[1.0, 0.0, v[0]], [0.0, 1.0, v[1] if len(v) > 1 else 0.0], [0, 0, 1.0]])
    if kind == "scale":
        return np.diag([v[0], v[-1], 1.0])
    angle = math.radians(v[0])
    if kind == "skewX":
        return np.array([[1.0, math.tan(angle), 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    if kind == "skewY":
        return np.array([[1.0, 0.0, 0.0], [math.tan(angle), 1.0, 0.0], [0.0, 0.0, 1.0]])
    c, s = math.cos(angle), math.sin(angle)
    x, y = (v[1], v[2]) if len(v) == 3 else (0.0, 0.0)
    return np.array([[c, -s, x - c * x + s * y], [s, c, y - s * x - c * y], [0.0, 0.0, 1.0]])


# ---- shapes -----------------------------------------------------------------------------


def _strokes(shape: _DrawnElement, where: str) -> list[tuple[Floats, bool]]:
    """Return the strokes of a shape: points (N, 2) and whether it is closed."""
    a = shape.attributes
    if shape.kind == "path":
        return path_data(a.get("d", ""), where)
    if shape.kind == "line":
        ends = [
            [to_number(a.get(k, "0"), k, where) for k in p] for p in (("x1", "y1"), ("x2", "y2"))
        ]
        return [(np.array(ends), False)]
    words = [w for w in re.split(r"[\s,]+", a.get("points", "")) if w]
    if len(words) > 2 * MOST_POINTS:
        raise FileFormatError(f"it has {len(words) // 2} points", where=where, remedy=_too_many())
    if len(words) % 2:
        raise FileFormatError(f"points has {len(words)} numbers", where=where, remedy="two each")
    points = np.array([to_number(w, "a point", where) for w in words]).reshape(-1, 2)
    closed = shape.kind == "polygon" and len(points) > 2
    return [(points, closed)] if len(points) > 1 else []


def _too_many() -> str:
    return f"at most {MOST_POINTS} are allowed"


def path_data(text: str, where: str = "path") -> list[tuple[Floats, bool]]:
    """Return the strokes that path data draws: points (N, 2) and whether each is closed."""
    return _Pen(text, where).strokes()


class _Pen:
    """Reads path data from left to right, as the commands of a pen."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where, self.at = text, where, 0
        self.here = self.begin = 0j
        self.control: complex | None = None
        self.before = ""
        self.points: list[complex] = []
        self.done: list[tuple[Floats, bool]] = []
        self.count = self.curves = 0

    def strokes(self) -> list[tuple[Floats, bool]]:
        self._skip()
        while self.at < len(self.text):
            command = self.text[self.at]
            if command.upper() not in _COUNTS:
                raise self._error(f"{quote_word(self.text[self.at :], 12)} is no command")
            if not self.before and command.upper() != "M":
                raise self._error("path data must begin with M")
            self.at += 1
            self._repeat(command)
        self._lift(closed=False)
        return self.done

    def _repeat(self, command: str) -> None:
        """Read a command and its repetitions: numbers that follow without a new letter."""
        if command in "Zz":
            self._lift(closed=True)
            self.here = self.begin
            self.before = "Z"
            self._skip()
            return
        while True:
            values = self._values(command)
            self._do(command.upper(), values, self.here if command.islower() else 0j)
            self.before = command.upper()
            command = {"M": "L", "m": "l"}.get(command, command)
            self._skip()
            if self.text[self.at : self.at + 1] not in _NUMBER_BEGINS:
                return

    def _do(self, command: str, v: list[float], base: complex) -> None:
        pairs = [complex(x, y) + base for x, y in zip(v[::2], v[1::2], strict=False)]
        control, here = None, self.here
        if command == "M":
            self._lift(closed=False)
            self.here = self.begin = pairs[0]
            self.control = None
            return
        if command not in "HVL":
            self._count_curve()
        if command == "H":
            self._draw([complex(v[0] + base.real, here.imag)])
        elif command == "V":
            self._draw([complex(here.real, v[0] + base.imag)])
        elif command == "L":
            self._draw(pairs)
        elif command == "A":
            self._draw(_arc(here, v[:5], complex(v[5], v[6]) + base))
        else:
            mirrored = 2.0 * here - self.control if self.control is not None else here
            same = self.before in ("CS" if command in "CS" else "QT")
            if command in "ST":
                pairs = [mirrored if same else here, *pairs]
            control = pairs[-2]
            self._draw(_bezier(np.array([here, *pairs])))
        self.control = control

    def _draw(self, points: list[complex]) -> None:
        if not self.points:
            self.points = [self.here]
        self.points += points
        self.here = points[-1]
        self.count += len(points)
        if self.count > MOST_POINTS:
            raise FileFormatError("it has too many points", where=self.where, remedy=_too_many())

    def _count_curve(self) -> None:
        self.curves += 1
        if self.curves > MOST_CURVES:
            raise FileFormatError(
                f"it has more than {MOST_CURVES} curves", where=self.where,
                remedy="draw it with fewer, or with straight lines",
            )  # fmt: skip

    def _lift(self, closed: bool) -> None:
        if self.points:
            line = np.array(self.points)
            self.done.append((np.stack([line.real, line.imag], axis=1), closed))
        self.points = []

    def _values(self, command: str) -> list[float]:
        values = []
        for n in range(_COUNTS[command.upper()]):
            self._skip()
            # The two flags of an arc are one digit each and may stand without a gap.
            flag = command in "Aa" and n in (3, 4)
            match = re.compile("[01]").match(self.text, self.at) if flag else None
            match = match if flag else _NUMBER.match(self.text, self.at)
            if match is None:
                raise self._error(f"{command} lacks a {'flag 0 or 1' if flag else 'number'}")
            value = float(match[0])
            if not abs(value) <= LARGEST_NUMBER:
                raise self._error(f"{quote_word(match[0])} is too large")
            values.append(value)
            self.at = match.end()
        return values

    def _skip(self) -> None:
        gap = _GAP.match(self.text, self.at)
        self.at = gap.end() if gap else self.at

    def _error(self, problem: str) -> InputError:
        return FileFormatError(problem, where=f"{self.where}, character {self.at + 1}")


def _bezier(control: Any) -> list[complex]:
    """Points of a Bézier curve of three or four complex control points, without the first."""
    size = float(np.abs(control - control[0]).max())
    if size == 0.0:
        return [complex(control[-1])]
    bend = float(np.abs(np.diff(control, 2)).max()) * (len(control) - 1) * (len(control) - 2)
    pieces = int(
        np.clip(math.ceil(math.sqrt(bend / (8.0 * _TOLERANCE * size))), 1, _MOST_PER_CURVE)
    )
    t = np.linspace(0.0, 1.0, pieces + 1)[1:]
    rows = [np.full(len(t), c) for c in control]
    while len(rows) > 1:  # de Casteljau
        rows = [(1.0 - t) * a + t * b for a, b in pairwise(rows)]
    return [*rows[0][:-1].tolist(), complex(control[-1])]


def _arc(start: complex, values: list[float], end: complex) -> list[complex]:
    """Points of an elliptical arc, without the first (SVG 1.1, appendix F.6)."""
    rx, ry, degrees, large, sweep = abs(values[0]), abs(values[1]), *values[2:]
    if start == end:
        return [end]
    if rx == 0.0 or ry == 0.0:
        return [end]
    turn = complex(math.cos(math.radians(degrees)), math.sin(math.radians(degrees)))
    half = 0.5 * (start - end) / turn
    u = complex(half.real / rx, half.imag / ry)
    reach = abs(u)
    if reach > 1.0:  # too small to reach: grown until it just does
        rx, ry, u = rx * reach, ry * reach, u / reach
    side = -1.0 if large == sweep else 1.0
    # In the unit circle the ends are u and -u from the middle of the chord.
    middle = (
        side * math.sqrt(max(1.0 / max(abs(u) ** 2, 1e-300) - 1.0, 0.0)) * complex(u.imag, -u.real)
    )
    first, last = u - middle, -u - middle
    angle = math.atan2((last * first.conjugate()).imag, (last * first.conjugate()).real)
    if sweep and angle <= 0.0:
        angle += 2.0 * math.pi
    elif not sweep and angle >= 0.0:
        angle -= 2.0 * math.pi
    pieces = int(np.clip(math.ceil(abs(angle) / 0.028), 1, 4 * _MOST_PER_CURVE))
    round_ = first * np.exp(1j * angle * np.linspace(0.0, 1.0, pieces + 1)[1:]) + middle
    line = complex(0.5 * (start + end)) + turn * (rx * round_.real + 1j * ry * round_.imag)
    return [*line[:-1].tolist(), end]
