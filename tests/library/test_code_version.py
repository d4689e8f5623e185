"""Caches know by the version of the code that they are out of date."""

from __future__ import annotations

import ast
import os
import shutil
import time
from pathlib import Path

import pytest

from footfall.library.store import code
from footfall.library.store.code import ROOMS, code_version, content_version

PACKAGE = Path(code.__file__).resolve().parents[2]
BEYOND = {
    "footfall.errors", "footfall.cache_paths", "footfall.processes", "footfall.safe_open",
    "footfall.library.library",
    "footfall.library.store", "footfall.library.store.folder", "footfall.library.store.index",
    "footfall.library.store.manifest", "footfall.library.store.code",
    "footfall.library.build.build", "footfall.library.build.sources",
    "footfall.library.build.workers", "footfall.library.build",
}  # fmt: skip
"""Imported by what makes clips, but nothing that they are made by."""


def file_of(module: str) -> Path | None:
    if not module.startswith("footfall."):
        return None
    stem = PACKAGE.joinpath(*module.split(".")[1:])
    return next((f for f in (stem.with_suffix(".py"), stem / "__init__.py") if f.is_file()), None)


def reachable(*modules: str) -> set[str]:
    """The modules that these import, at their tops or inside functions, and so on."""
    found: set[str] = set()
    left = list(modules)
    while left:
        module = left.pop()
        file = file_of(module)
        if module in found or module in BEYOND or file is None:
            continue
        found.add(module)
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                left += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


def test_all_code_that_makes_clips_counts() -> None:
    modules = reachable(
        "footfall.library.build.make", "footfall.library.store.clips", "footfall.library.default"
    )
    assert len(modules) > 60
    for module in modules:
        file = file_of(module)
        assert file is not None
        path = file.relative_to(PACKAGE).as_posix()
        assert path.startswith(tuple(f"{room}/" for room in ROOMS)) or path in ROOMS, path


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package, written an hour ago, whose version is asked for."""
    copy = tmp_path / "footfall"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    then = time.time() - 3600.0
    for file in copy.rglob("*.*"):
        os.utime(file, (then, then))
    monkeypatch.setattr(code, "_PACKAGE", copy)
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    return copy


def version() -> str:
    code_version.cache_clear()
    return code_version()


@pytest.mark.parametrize(
    "name", ["maths/quaternions.py", "generate/gait/gait_model.json", "library/entry.py"]
)
def test_a_change_of_any_file_that_counts_is_another_version(name: str, package: Path) -> None:
    before = version()
    assert version() == before == content_version(package)
    file = package / name
    content = file.read_bytes()
    file.write_bytes(content[:-1] + b" ")  # as long as before, and just now
    assert version() != before
    assert version() == content_version(package)
    file.write_bytes(content)
    assert version() == before


def test_a_new_file_is_another_version_and_one_that_does_not_count_is_not(package: Path) -> None:
    before = version()
    (package / "render" / "new.py").write_text("x = 1")
    assert version() == before
    (package / "adapt" / "new.py").write_text("x = 1")
    assert version() != before


def test_nothing_is_read_while_no_file_has_changed(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = version()
    monkeypatch.setattr(code, "content_version", None)
    assert version() == before


@pytest.mark.parametrize("damage", [b"", b"{}", b"[1]", b"nonsense"])
def test_a_damaged_note_is_written_again(
    damage: bytes, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = version()
    (note,) = (package.parent / "cache" / "code").iterdir()
    good = note.read_bytes()
    note.write_bytes(damage)
    assert version() == before
    assert note.read_bytes() == good
