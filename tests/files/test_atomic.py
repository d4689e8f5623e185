"""Files appear whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from footfall.errors import InputError
from footfall.files.atomic import atomic_file, write_bytes_atomically


def test_a_file_is_written_and_its_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file.bin"
    write_bytes_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert [p.name for p in path.parent.iterdir()] == ["file.bin"]


def test_an_error_keeps_the_old_file_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "file.bin"
    path.write_bytes(b"old")

    def stop_half_way() -> None:
        with atomic_file(path) as temporary:
            temporary.write_bytes(b"half")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        stop_half_way()
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file.bin"]


def test_a_written_file_has_the_rights_of_any_new_file(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.touch()
    write_bytes_atomically(tmp_path / "ours", b"")
    assert stat.S_IMODE((tmp_path / "ours").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_the_temporary_file_keeps_the_suffix_and_the_folder(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "clip.glb") as temporary:
        assert temporary.suffix == ".glb"
        assert temporary.parent == tmp_path
        temporary.write_bytes(b"x")


def test_a_folder_or_a_file_as_folder_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="folder"):
        write_bytes_atomically(tmp_path, b"")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        write_bytes_atomically(tmp_path / "file" / "inside", b"")
