"""`warmup` leaves no kernel uncompiled."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from footfall.report.warmup import kernel_modules, kernels_of, warmup

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "footfall"


def names_used_from_python() -> set[tuple[str, str]]:
    """(module, name) of whatever modules that hold no kernels take from those that do."""
    used = set()
    for path in PACKAGE.rglob("*.py"):
        if path.stem.endswith("kernels"):
            continue
        tree = ast.parse(path.read_text())
        modules: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    if node.module.endswith("kernels"):
                        used.add((node.module, alias.name))
                    elif alias.name.endswith("kernels"):
                        full = f"{node.module}.{alias.name}"
                        modules[alias.asname or alias.name] = full
        for node in ast.walk(tree):
            owner = node.value if isinstance(node, ast.Attribute) else None
            if isinstance(owner, ast.Name) and owner.id in modules:
                used.add((modules[owner.id], node.attr))
    return used


def callees(kernel: Any) -> list[Any]:
    """The kernels that a kernel calls."""
    function = kernel.py_func
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    return [value for value in named if hasattr(value, "signatures")]


@pytest.fixture(scope="module")
def warmed() -> dict[tuple[str, str], Any]:
    """Every kernel, by module and name, after `warmup`."""
    warmup()
    modules = list(kernel_modules())
    return {(m.__name__, name): k for m in modules for name, k in kernels_of(m).items()}


def test_every_kernel_that_python_calls_is_compiled(warmed: dict[tuple[str, str], Any]) -> None:
    entries = names_used_from_python() & set(warmed)
    assert len(entries) > 20
    assert [key for key in sorted(entries) if not warmed[key].signatures] == []


def test_every_other_kernel_is_part_of_a_compiled_one(warmed: dict[tuple[str, str], Any]) -> None:
    # A kernel loaded from disk brings along what it calls without compiling that by itself.
    todo = [kernel for kernel in warmed.values() if kernel.signatures]
    reached = set(map(id, todo))
    while todo:
        for other in callees(todo.pop()):
            if id(other) not in reached:
                reached.add(id(other))
                todo.append(other)
    assert [key for key, kernel in sorted(warmed.items()) if id(kernel) not in reached] == []


def test_a_second_warmup_compiles_nothing(warmed: dict[tuple[str, str], Any]) -> None:
    shares: list[float] = []
    again = warmup(shares.append)
    assert again.compiled == 0
    assert again.modules == len(list(kernel_modules()))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
