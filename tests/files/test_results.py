"""What may be overwritten: never an input; of all else only what Footfall itself wrote."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from footfall.errors import InputError
from footfall.files.results import check_results, is_replaceable, replacing


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_result_of_ours_is_replaced_and_one_of_others_is_not(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.bvh", tmp_path / "theirs.bvh"
    theirs.write_text("by hand")
    with replacing([ours]):
        ours.write_text("first")
    with replacing([ours]):
        ours.write_text("second")
    with pytest.raises(InputError, match="--force"), replacing([ours, theirs]):
        pytest.fail("the body must not run")
    assert (ours.read_text(), theirs.read_text()) == ("second", "by hand")


def test_a_result_that_was_changed_since_is_somebodys_work(tmp_path: Path) -> None:
    file = tmp_path / "walk.bvh"
    with replacing([file]):
        file.write_text("ours")
    file.write_text("ours, mended by hand")
    with pytest.raises(InputError, match="not written by footfall"):
        check_results([file])
    check_results([file], force=True)


@pytest.mark.parametrize("alias", ["same", "dots", "link", "hard link"])
def test_an_input_is_never_overwritten_whatever_its_name(tmp_path: Path, alias: str) -> None:
    source = tmp_path / "walk.bvh"
    source.write_text("recorded")
    result = {"same": source, "dots": tmp_path / "." / ".." / tmp_path.name / "walk.bvh"}.get(
        alias, tmp_path / "other.bvh"
    )
    if alias == "link":
        result.symlink_to(source)
    if alias == "hard link":
        os.link(source, result)
    with pytest.raises(InputError, match="overwritten"):
        check_results([result], [None, "hills", source], force=True)


def test_what_was_written_before_a_failure_is_known_too(tmp_path: Path) -> None:
    one, two = tmp_path / "one.bvh", tmp_path / "two.bvh"
    two.write_text("by hand")

    def fail_after_the_first() -> None:
        with replacing([one, two], force=True):
            one.write_text("ours")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_after_the_first()
    assert is_replaceable(one)
    assert not is_replaceable(two)


def test_names_that_are_no_text_and_damaged_records_do_no_harm(tmp_path: Path, cache: Path) -> None:
    file = tmp_path / os.fsdecode(b"bad\xff \n.bvh")
    with replacing([file]):
        file.write_text("ours")
    assert is_replaceable(file)
    (record,) = (cache / "written").iterdir()
    record.write_bytes(b"\xff{]\n[1]\n" + record.read_bytes() + b'["cut')
    assert is_replaceable(file)
    record.write_bytes(b"nonsense")
    assert not is_replaceable(file)


def test_without_a_cache_results_are_written_and_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "file"))
    with replacing([tmp_path / "walk.bvh"]):
        (tmp_path / "walk.bvh").write_text("ours")
    assert not is_replaceable(tmp_path / "walk.bvh")
