"""Ceilings of the package's size: lines, kernels and their arguments. They may only be lowered.

Every kernel is compiled on a user's first day, and every line is read by whoever changes it.
The packages `batch`, `render/player` and `studio` are new and not counted, nor are their commands.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "footfall"
SYSTEMS = ("graph", "blending", "roadmap", "optimal", "task")
NEW_PACKAGES = ("batch", "render/player", "studio")
NEW_COMMANDS = (
    "cli/batch.py", "cli/studio.py", "cli/study.py", "verbs/player.py", "cli/pages.py",
    "cli/doctor.py", "verbs/doctor.py", "cli/completion.py",
)  # fmt: skip
LINES, SYSTEM_LINES, KERNELS, ARGUMENTS = 101_235, 30_345, 374, 12


def _lines(folder: Path) -> int:
    return sum(len(file.read_text().splitlines()) for file in folder.rglob("*.py"))


def _kernels() -> Iterator[tuple[str, int]]:
    """Yield the name and the number of arguments of every compiled function."""
    for file in PACKAGE.rglob("*kernels.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(d, ast.Name) and d.id.endswith("kernel") for d in node.decorator_list
            ):
                yield f"{file.stem}.{node.name}", len(node.args.args)


def test_the_package_does_not_grow() -> None:
    new = sum(_lines(PACKAGE / name) for name in NEW_PACKAGES)
    commands = [PACKAGE / name for name in NEW_COMMANDS]
    new += sum(len(f.read_text().splitlines()) for f in commands if f.is_file())
    assert _lines(PACKAGE) - new <= LINES


def test_the_four_systems_do_not_grow() -> None:
    assert sum(_lines(PACKAGE / name) for name in SYSTEMS) <= SYSTEM_LINES


def test_kernels_do_not_become_more() -> None:
    assert len(list(_kernels())) <= KERNELS


def test_kernels_do_not_take_more_arguments() -> None:
    too_many = [name for name, count in _kernels() if count > ARGUMENTS]
    assert not too_many
