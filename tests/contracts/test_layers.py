"""The layers of the design: a module imports only from lower rows, and never sideways."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tools import layers
from tools.layers import ROWS

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "footfall"

ROW_OF = {room: row for row, rooms in enumerate(ROWS) for room in rooms}
FIRST_ROW_THAT_SPEAKS = ROW_OF["render"]


FREE_ROOMS = {"__init__", "scenes"}
LOUD = {"matplotlib", "typer", "rich", "socket", "argparse", "starlette", "uvicorn", "logging"}


class Module:
    """A source file of the package, parsed once for all checks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = str(path.relative_to(PACKAGE))
        self.room = path.relative_to(PACKAGE).with_suffix("").parts[0]
        self.tree = ast.parse(path.read_text())
        self.imports = imported_modules(self.tree)
        self.packages = {name.split(".")[0] for name in self.imports}

    def imported_rooms(self) -> set[str]:
        """Return the other rooms of the package that this module imports from."""
        own = [name.split(".")[1] for name in self.imports if name.startswith("footfall.")]
        return (set(own) & set(ROW_OF)) - {self.room}


def imported_modules(tree: ast.Module) -> set[str]:
    """Return every module that a file imports, at its top or inside a function."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." * node.level + (node.module or ""))
            if node.module == "footfall":
                found |= {f"footfall.{alias.name}" for alias in node.names}
    return found


@pytest.fixture(scope="module")
def modules() -> list[Module]:
    return [Module(path) for path in sorted(PACKAGE.rglob("*.py"))]


def test_the_table_of_the_docs_is_that_of_the_rows() -> None:
    assert layers.PAGE.read_text("utf-8") == layers.page(), "run: python -m tools.layers"


def test_every_room_has_a_row(modules: list[Module]) -> None:
    assert {m.room for m in modules} - FREE_ROOMS - set(ROW_OF) == set()


def test_a_module_imports_only_from_lower_rows(modules: list[Module]) -> None:
    offenders = [f"{m.name} imports relatively" for m in modules if "" in m.packages]
    for module in modules:
        if module.room in FREE_ROOMS:
            continue
        row = ROW_OF[module.room]
        for other in module.imported_rooms():
            if ROW_OF[other] >= row:
                offenders.append(f"{module.name} imports {other}")
    assert offenders == []


def test_only_the_top_rows_print_plot_or_open_sockets(modules: list[Module]) -> None:
    offenders = []
    for module in modules:
        if module.room in FREE_ROOMS or ROW_OF[module.room] >= FIRST_ROW_THAT_SPEAKS:
            continue
        offenders += [f"{module.name} imports {name}" for name in module.packages & LOUD]
        calls = [node.func for node in ast.walk(module.tree) if isinstance(node, ast.Call)]
        prints = [c for c in calls if isinstance(c, ast.Name) and c.id == "print"]
        offenders += [f"{module.name}:{call.lineno} prints" for call in prints]
    assert offenders == []


def test_numba_is_imported_only_by_kernel_modules(modules: list[Module]) -> None:
    importers = [m for m in modules if "numba" in m.packages]
    assert [m.name for m in importers if not m.path.stem.endswith("kernels")] == []


def test_nothing_is_unpickled(modules: list[Module]) -> None:
    offenders = []
    for module in modules:
        if module.packages & {"pickle", "shelve", "dill"}:
            offenders.append(f"{module.name} imports a pickler")
        for node in ast.walk(module.tree):
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                value = node.value
                if not isinstance(value, ast.Constant) or value.value is not False:
                    offenders.append(f"{module.name}:{value.lineno} allows pickles")
    assert offenders == []
