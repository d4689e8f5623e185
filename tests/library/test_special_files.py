"""Pipes, sockets and devices where files are expected: nothing waits for them."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.files.task.paths import load_path
from footfall.library.build.build import build_library
from footfall.library.library import open_library
from footfall.safe_open import MissingFileError, open_regular, read_regular
from footfall.task.file import load_task
from tests.library.folders import cache_files
from tests.program import run_program
from tests.sweeps import THOROUGH

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="special files are POSIX's")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(path.parent)  # the name of a socket may not be long
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def link_to_a_pipe(path: Path) -> None:
    os.mkfifo(path.parent / "pipe")
    path.symlink_to(path.parent / "pipe")


SPECIAL = [pipe, listening, device, link_to_a_pipe]
each_kind = pytest.mark.parametrize("make", SPECIAL, ids=lambda f: f.__name__)


@pytest.mark.parametrize("make", SPECIAL if THOROUGH else SPECIAL[2:], ids=lambda f: f.__name__)
def test_special_files_among_clips_are_skipped_with_a_reason(
    make: Callable[[Path], None], walks: Path, tmp_path: Path
) -> None:
    make(walks / "take.bvh")
    make((walks / "inner").mkdir() or walks / "inner" / "take.npz")
    built = build_library(tmp_path / "lib", [walks])
    assert len(built.library) == 3
    assert [s.source for s in built.skipped] == ["../takes/inner/take.npz", "../takes/take.bvh"]
    assert all("not a regular file" in s.problem for s in built.skipped)
    assert len(open_library(walks)) == 3


@pytest.mark.parametrize("make", SPECIAL if THOROUGH else SPECIAL[:2], ids=lambda f: f.__name__)
def test_special_files_as_parts_of_a_library_hold_nobody_up(
    make: Callable[[Path], None], walks: Path, tmp_path: Path
) -> None:
    lib = tmp_path / "lib"
    before = build_library(lib, [walks]).library
    for name in (".footfall/index.json", f".footfall/clips/{before.entries[0].key}.safetensors"):
        (lib / name).unlink()
        (lib / ".footfall" / "pipe").unlink(missing_ok=True)
        make(lib / name)
    assert open_library(lib).entries == before.entries
    assert len(cache_files(lib)) == 3
    assert len(open_library(lib).clip(before.entries[0].name)) > 60
    (lib / "library.toml").unlink()
    make(lib / "library.toml")
    with pytest.raises(InputError, match="not a regular file"):
        build_library(lib, [walks])


@each_kind
@pytest.mark.parametrize(
    ("read", "name"),
    [
        (open_library, "take.bvh"), (load_task, "task.toml"), (load_path, "path.csv"),
        (load_path, "path.svg"), (load_path, "path.toml"), (load_scene, "scene.toml"),
        (load_scene, "scene.glb"), (open_regular, "any"), (read_regular, "any"),
    ],
)  # fmt: skip
def test_special_files_are_refused_at_once_by_every_reader(
    read: Callable[[Path], object], name: str, make: Callable[[Path], None], tmp_path: Path
) -> None:
    make(tmp_path / name)
    with pytest.raises(InputError):
        read(tmp_path / name)


def test_the_verbs_that_take_folders_do_not_wait_for_a_pipe(walks: Path, tmp_path: Path) -> None:
    pipe(walks / "take.bvh")
    device(walks / "other.bvh")
    clip = walks / "walk0.bvh"
    for words in (["library", "build", str(walks), "-o", str(tmp_path / "lib")],
                  ["library", "check", str(walks)],
                  ["measure", str(clip), "--sources", str(walks)]):  # fmt: skip
        done = run_program(*words)
        assert done.returncode == 0, done.stderr


def test_a_file_is_told_from_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert read_regular(tmp_path / "file") == b"12345"
    assert read_regular(tmp_path / "file", 5) == b"12345"
    with pytest.raises(InputError, match="larger than"):
        read_regular(tmp_path / "file", 4)
    with pytest.raises(MissingFileError):
        read_regular(tmp_path / "none")
    with pytest.raises(InputError, match="this is a folder"):
        read_regular(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_regular("nul\0byte")
