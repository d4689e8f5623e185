"""The layers of the design: a module imports only from lower rows, and never sideways."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "footfall"
MODULES = sorted(PACKAGE.rglob("*.py"))

ROWS: tuple[tuple[str, ...], ...] = (
    ("errors", "folders", "processes"),
    ("regular",),
    ("maths",),
    ("search",),
    ("body", "world"),
    ("files", "gait", "pose"),
    ("adapt",),
    ("library",),
    ("task",),
    ("route",),
    ("graph", "blending", "roadmap", "optimal", "measures"),
    ("planning", "conversion", "report"),
    ("batch", "studio"),
    ("cli",),
)
ROW_OF = {room: row for row, rooms in enumerate(ROWS) for room in rooms}
FIRST_ROW_THAT_SPEAKS = ROW_OF["planning"]


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported_modules(path: Path) -> set[str]:
    """Every footfall or third-party module a file imports, at its top or inside a function."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            found.add(node.module or "")
            if node.module == "footfall":
                found |= {f"footfall.{alias.name}" for alias in node.names}
    return found


def imported_rooms(path: Path) -> set[str]:
    return {
        name.split(".")[1]
        for name in imported_modules(path)
        if name.startswith("footfall.") and name.split(".")[1] in ROW_OF
    }


def test_every_room_has_a_row() -> None:
    rooms = {room_of(p) for p in MODULES} - {"__init__", "scenes"}
    assert rooms <= set(ROW_OF), f"no row for {rooms - set(ROW_OF)}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_module_imports_only_from_lower_rows(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":
        return
    for other in imported_rooms(path) - {room}:
        same_front_door = ROW_OF[other] == ROW_OF[room] == FIRST_ROW_THAT_SPEAKS
        assert ROW_OF[other] < ROW_OF[room] or same_front_door, f"{room} imports {other}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_the_top_rows_print_plot_or_open_sockets(path: Path) -> None:
    room = room_of(path)
    if room == "__init__" or ROW_OF[room] >= FIRST_ROW_THAT_SPEAKS:
        return
    loud = {"matplotlib", "typer", "rich", "socket", "argparse", "starlette", "uvicorn", "logging"}
    assert not {m.split(".")[0] for m in imported_modules(path)} & loud
    calls = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
    assert not [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "print"]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_numba_is_imported_only_by_kernel_modules(path: Path) -> None:
    if "numba" in {m.split(".")[0] for m in imported_modules(path)}:
        assert path.stem.endswith("kernels")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_nothing_is_unpickled(path: Path) -> None:
    assert not {m.split(".")[0] for m in imported_modules(path)} & {"pickle", "shelve", "dill"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            assert isinstance(node.value, ast.Constant)
            assert node.value.value is False
