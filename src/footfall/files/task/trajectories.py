"""Read trajectories of many people from a CSV file.

    id,t,x,z
    1,0.0,2.5,3.0

Columns are found by their headings: `id` (agent, ped, person, track), `t` (time, seconds) or
`frame` (with a line `# framerate: 8`, or the rate given), `x`, and `z` or `y` for the other
direction on the ground; units like `x [cm]` are understood. Commas, semicolons, tabs or blanks part
them. Without a heading the columns are id, t, x, z. A heading may stand in a comment, as JuPedSim
writes it (`# ID FR X Y Z`). Where there are both y and z, the one that changes more lies on the
ground.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.errors import FileFormatError, check_range
from footfall.files.text import quote_word, read_text
from footfall.maths.arrays import Floats

_MOST_BYTES = 512 << 20
MOST_ROWS = 20_000_000
MOST_PEOPLE = 20_000
FURTHEST_M = 1e5
_NAMES = {
    "id": ("id", "agent", "ped", "person", "track", "pid", "agent_id", "ped_id", "track_id"),
    "t": ("t", "time", "seconds", "s", "sec", "timestamp"),
    "frame": ("frame", "fr", "frame_id", "frameid"),
    "x": ("x", "px", "pos_x", "x_pos"),
    "z": ("z", "pz", "pos_z"),
    "y": ("y", "py", "pos_y", "y_pos"),
}
_UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "s": 1.0, "ms": 0.001}
_HEADING = re.compile(r"([a-z_]+?)[\s/_]*[\[(/]?\s*(m|cm|mm|s|ms)?\s*[\])]?", re.I)
_RATE = re.compile(r"frame\s*_?rate\s*[:=]?\s*([0-9.]+)", re.I)


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Where one person is: times (N,) in seconds, rising, and points (N, 2), x and z."""

    name: str
    times: Floats
    points: Floats


def load_trajectories(path: str | Path, fps: float | None = None) -> tuple[Trajectory, ...]:
    """Return the trajectories of a CSV file; `fps` is the rate if it has frames, not times."""
    path = Path(path)
    return parse_trajectories(read_text(path, _MOST_BYTES), path.name, fps)


def parse_trajectories(text: str, file: str, fps: float | None = None) -> tuple[Trajectory, ...]:
    """Trajectories from the text of a CSV file."""
    if fps is not None:
        check_range("the frame rate", fps, above=0.0, most=1e5)
    rate, heading = fps, ""
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line.startswith("#") or line.startswith("//"):
            found = _RATE.search(line)
            if found and fps is None:
                rate = float(found.group(1))
            if not lines and _is_heading(line.lstrip("#/ \t")):
                heading = line.lstrip("#/ \t")
        elif line:
            lines.append((number, line))
    if not lines:
        raise FileFormatError("it holds no rows", where=file, remedy="rows of id, t, x, z")
    if len(lines) > MOST_ROWS:
        raise FileFormatError(f"it holds {len(lines):,} rows", where=file, remedy="in parts")
    columns, scales, first = _columns(lines[0][1], file)
    if first == 0 and heading:  # numbers alone: the comment above says what they are
        columns, scales, _ = _columns(heading, file)
    return _gather(lines[first:], columns, scales, rate, file)


def _split(line: str) -> list[str]:
    for mark in (",", ";", "\t"):
        if mark in line:
            return [word.strip() for word in line.split(mark)]
    return line.split()


def _is_heading(line: str) -> bool:
    """Return whether the words of a comment name the columns of places."""
    known = [_HEADING.fullmatch(word.strip('"').lower()) for word in _split(line)]
    names = {found.group(1).rstrip("_") for found in known if found}
    return bool(names & set(_NAMES["x"])) and bool(names & {*_NAMES["t"], *_NAMES["frame"]})


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _columns(line: str, file: str) -> tuple[dict[str, int], dict[str, float], int]:
    """Return which column is what, what its unit is worth, and the first row of data."""
    words = _split(line)
    if all(_is_number(word) for word in words):
        if len(words) < 4:
            raise FileFormatError(
                f"a row has {len(words)} numbers", where=file, remedy="id, t, x, z, or a heading"
            )
        return {"id": 0, "t": 1, "x": 2, "z": 3}, {}, 0
    columns: dict[str, int] = {}
    scales: dict[str, float] = {}
    for n, word in enumerate(words):
        found = _HEADING.fullmatch(word.strip().strip('"').lower())
        if not found:
            continue
        for name, known in _NAMES.items():
            if found.group(1).rstrip("_") in known and name not in columns:
                columns[name] = n
                scales[name] = _UNITS.get(found.group(2) or "", 1.0)
    if "z" not in columns and "y" in columns:
        columns["z"], scales["z"] = columns.pop("y"), scales.pop("y")
    if "t" not in columns and "frame" not in columns:
        raise FileFormatError("no column is a time", where=file, remedy="call one t, or frame")
    for name in ("x", "z"):
        if name not in columns:
            raise FileFormatError(
                f"no column is called {name}", where=file, remedy="columns id, t, x, z"
            )
    return columns, scales, 1


def _gather(
    lines: list[tuple[int, str]], columns: dict[str, int], scales: dict[str, float],
    rate: float | None, file: str,
) -> tuple[Trajectory, ...]:  # fmt: skip
    when = "t" if "t" in columns else "frame"
    if when == "frame" and not rate:
        raise FileFormatError(
            "it counts frames but has no frame rate", where=file,
            remedy="a line '# framerate: 25', or say the rate",
        )  # fmt: skip
    ground = [name for name in ("z", "y") if name in columns]
    wanted = [columns[name] for name in (when, "x", *ground)]
    unit = scales.get("t", 1.0) if when == "t" else 1.0 / float(rate or 1.0)
    factor = np.array([unit, *(scales.get(name, 1.0) for name in ("x", *ground))])
    rows: dict[str, list[tuple[float, ...]]] = {}
    for number, line in lines:
        words = _split(line)
        try:
            values = tuple(float(words[n]) for n in wanted)
            name = words[columns["id"]] if "id" in columns else "1"
        except (ValueError, IndexError):
            raise FileFormatError(
                f"row {quote_word(line, 60)} is not as the heading says", where=f"{file}:{number}",
                remedy="a number for every column",
            ) from None  # fmt: skip
        rows.setdefault(name, []).append(values)
    if len(rows) > MOST_PEOPLE:
        raise FileFormatError(
            f"it holds {len(rows):,} people", where=file, remedy=f"at most {MOST_PEOPLE:,}"
        )
    tables = {name: np.array(own) * factor for name, own in rows.items()}
    column = 2
    if len(ground) > 1:
        spread = np.ptp(np.concatenate([*tables.values()])[:, 2:], axis=0)
        column = 3 if spread[1] > spread[0] else 2
    return tuple(_trajectory(name, own[:, [0, 1, column]], file) for name, own in tables.items())


def _trajectory(name: str, values: Floats, file: str) -> Trajectory:
    if not np.isfinite(values).all() or np.abs(values[:, 1:]).max() > FURTHEST_M:
        raise FileFormatError(
            f"person {quote_word(name, 20)} is somewhere that is not finite or too far away",
            where=file, remedy=f"places within {FURTHEST_M:g} m",
        )  # fmt: skip
    order = np.argsort(values[:, 0], kind="stable")
    values = values[order]
    keep = np.concatenate([[True], np.diff(values[:, 0]) > 1e-9])
    values = values[keep]
    return Trajectory(name, values[:, 0].copy(), values[:, 1:].copy())
