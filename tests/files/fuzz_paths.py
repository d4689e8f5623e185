"""Fuzz targets for path and task files: valid ones made here, damaged as text and as bytes."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np

from footfall.files.task.paths import PathData, load_path
from footfall.task.file import Task, load_task
from tests.fuzz import Target, check_outcome, damaged

_WORDS = (
    "nan", "-inf", "1e999", "1e-320", "-1", "0", "99999999999", "M", "z", "A1 1 0 0 1", "C", "[",
    "]", '"', "'", "<g>", "</g>", "<svg>", "&amp;", "transform", "rotate(", "matrix(1)", "viewBox",
    "{", "}", "true", "points", "closed", ",", ";", "\t", "\x00", "é", "#", "=", "[[", "1" * 400,
    "path", "from",
)  # fmt: skip


def _number(rng: random.Random) -> str:
    return f"{rng.uniform(-30, 30):.{rng.randint(0, 4)}f}"


def _toml(rng: random.Random) -> str:
    points = ", ".join(f"[{_number(rng)}, {_number(rng)}]" for _ in range(rng.randint(2, 9)))
    curve = rng.choice(("straight", "round", "spline"))
    closed = rng.choice(("true", "false"))
    return f'name = "a"\npoints = [{points}]\ncurve = "{curve}"\nradius = 0.01\nclosed = {closed}\n'


def _csv(rng: random.Random) -> str:
    mark = rng.choice((",", ";", "\t", " "))
    heading = rng.choice(("", f"x{mark}z\n", f"x_cm{mark}z_cm\n"))
    rows = (f"{_number(rng)}{mark}{_number(rng)}" for _ in range(rng.randint(2, 12)))
    return heading + "\n".join(rows)


def _svg(rng: random.Random) -> str:
    counts = {"L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2}
    data = f"M{_number(rng)} {_number(rng)}"
    for _ in range(rng.randint(1, 9)):
        command = rng.choice("LHVCSQTAlhvcsqta")
        if command in "Aa":
            data += f"{command}{rng.uniform(0, 9):.2f} 3 {_number(rng)} 01{_number(rng)} 5"
        else:
            data += command + " ".join(_number(rng) for _ in range(counts[command.upper()]))
    turn = rng.choice(("", f'transform="rotate({_number(rng)}) translate(1,2)"'))
    return (
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 30">'
        f'<g {turn}><path id="way" d="{data}"/></g></svg>'
    )


def _task(rng: random.Random) -> str:
    ends = f"from = [{_number(rng)}, {_number(rng)}]\nto = [{_number(rng)}, {_number(rng)}, 90]\n"
    whole = f'scene = "room"\nspeed = 1.2\nmethod = "graph"\nseed = 3\n{ends}'
    if rng.random() < 0.5:
        whole += f"[options]\nmetric = 'points'\n[path]\n{_toml(rng)}"
    return whole


def _check_path(path: object) -> None:
    assert isinstance(path, PathData)
    assert len(path.points) >= 2
    assert np.isfinite(path.points).all()
    assert path.length > 0.0


def _check_task(task: object) -> None:
    assert isinstance(task, Task)
    assert task.query.stages


def _target(make: Callable[[random.Random], str], suffix: str) -> Target:
    def target(rng: random.Random, folder: Path) -> None:
        text = make(rng)
        for _ in range(rng.choice((0, 1, 1, 2, 5))):
            at = rng.randrange(len(text) + 1)
            cut = rng.choice((0, 0, 1, 5))
            text = text[:at] + rng.choice(_WORDS) + text[at + cut :]
        data = text.encode()
        if rng.random() < 0.4:
            data = damaged(data, rng)
        path = folder / f"damaged{suffix}"
        path.write_bytes(data)
        if make is _task:
            check_outcome(lambda: load_task(path), _check_task)
        else:
            check_outcome(lambda: load_path(path), _check_path)

    return target


TARGETS: dict[str, Target] = {
    "path_toml": _target(_toml, ".toml"),
    "path_csv": _target(_csv, ".csv"),
    "path_svg": _target(_svg, ".svg"),
    "task": _target(_task, ".toml"),
}
