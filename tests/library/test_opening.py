"""Opening a library again is quick, and never gives what is out of date."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from footfall.errors import InputError
from footfall.library import library as opening
from footfall.library.build import build
from footfall.library.build.build import build_library
from footfall.library.library import open_library
from tests.library.folders import folder_of_walks


@pytest.fixture
def opened(walks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plain folder of clips, written an hour ago, that was opened before."""
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    then = time.time() - 3600.0
    for file in walks.iterdir():
        os.utime(file, (then, then))
    assert len(open_library(walks)) == 3
    return walks


def test_a_plain_folder_that_has_not_changed_is_not_built_again(
    opened: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = open_library(opened).entries
    monkeypatch.setattr(build, "build_library", None)
    assert open_library(opened).entries == before
    assert len(open_library(opened).clip("walk0")) > 60


def test_a_change_of_a_plain_folder_is_seen_when_it_is_opened(opened: Path, tmp_path: Path) -> None:
    keys = {e.name: e.key for e in open_library(opened).entries}
    other = folder_of_walks(tmp_path / "other", 1, seconds=2.0)
    (opened / "walk0.bvh").write_bytes((other / "walk0.bvh").read_bytes())
    changed = {e.name: e.key for e in open_library(opened).entries}
    assert {name for name in keys if keys[name] != changed[name]} == {"walk0"}
    (other / "walk0.bvh").rename(opened / "new.bvh")
    assert set(open_library(opened).names) == {"walk0", "walk1", "walk2", "new"}
    (opened / "walk1.glb").unlink()
    assert set(open_library(opened).names) == {"walk0", "walk2", "new"}


def test_other_code_makes_the_clips_of_a_plain_folder_anew(
    opened: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from footfall.library.store import code

    before = {e.key for e in open_library(opened).entries}
    monkeypatch.setattr(code, "code_version", lambda: "other")
    monkeypatch.setattr(build, "code_version", lambda: "other")
    assert not before & {e.key for e in open_library(opened).entries}


def test_a_plain_folder_whose_cache_was_corrected_by_hand_is_brought_up_to_date(
    opened: Path,
) -> None:
    path = opening.cache_folder(opened) / "library.toml"
    path.write_text(path.read_text().replace('[clips."walk1"]\n', '[clips."walk1"]\nskip = true\n'))
    assert open_library(opened).names == ("walk0", "walk2")


def test_opening_loads_nothing_that_only_building_needs(opened: Path) -> None:
    code = (
        "import sys; from footfall import open_library; open_library(sys.argv[1])\n"
        "bad = {'numba', 'scipy', 'safetensors', 'footfall.adapt', 'tempfile', 'tomlkit',"
        " 'subprocess', 'concurrent.futures', 'importlib.metadata'} & set(sys.modules)\n"
        "print(*bad)"
    )
    words = [sys.executable, "-c", code, str(opened)]
    subprocess.run(words, check=True, stdout=subprocess.PIPE)  # notes the version of the code
    assert subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout == b"\n"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: open_library(3), "the library is 3"),  # type: ignore[arg-type]
        (lambda: open_library(None), "the library is None"),  # type: ignore[arg-type]
        (lambda: open_library(""), "the library is ''"),
        (lambda: open_library("nul\0byte"), "there is no such library"),
        (lambda: build_library(None), "the library's folder is None"),  # type: ignore[arg-type]
        (lambda: build_library("", ["x"]), "the library's folder is ''"),
        (lambda: build_library("out/x", 3), "the sources are 3"),  # type: ignore[arg-type]
        (lambda: build_library("out/x", [3]), "a source is 3"),  # type: ignore[list-item]
        (lambda: build_library("out/x", "nowhere"), "nowhere: there is no such file or folder"),
        (lambda: build_library("out/x", ["x"], jobs=0), "jobs is 0"),
        (lambda: build_library("out/x", ["x"], jobs="2"), "jobs is '2'"),  # type: ignore[arg-type]
    ],
)
def test_misuse_is_one_sentence(call, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError) as caught:
        call()
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_wrong_settings_are_refused_before_anything_is_written(walks: Path, tmp_path: Path) -> None:
    for wrong, said in (({"fps": "fast"}, "fps is 'fast'"), ({"speed": 3}, "no setting 'speed'"),
                        ({"character": 3}, "character is 3"), ({"licence": 3}, "licence is 3"),
                        ({"read": {"fsp": 3}}, "read names 'fsp'")):  # fmt: skip
        with pytest.raises(InputError, match=said):
            build_library(tmp_path / "lib", [walks], **wrong)  # type: ignore[arg-type]
        assert not (tmp_path / "lib" / "library.toml").exists()


def test_one_source_may_be_given_by_its_name_alone(walks: Path, tmp_path: Path) -> None:
    assert len(build_library(tmp_path / "lib", walks).library) == 3  # type: ignore[arg-type]
