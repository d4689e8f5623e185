"""`footfall library …`: what is printed, for people and for programs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.library.folders import folder_of_walks
from tests.program import run_program

LONG_NUMBER = re.compile(r"\d\.\d{5,}")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of three walks; ten files cannot be used for one reason, and one for another."""
    home = tmp_path_factory.mktemp("verbs")
    takes = folder_of_walks(home / "takes", 3, seconds=1.9)
    for number in range(10):
        (takes / f"bad{number}.bvh").write_text("no motion")
    (takes / "empty.bvh").write_text("")
    return home


def run(library: Path, *words: str) -> CompletedProcess[str]:
    done = run_program("library", *words, cwd=library)
    assert done.returncode == 0, done.stderr
    return done


def test_a_reason_that_ten_files_share_is_stated_once_with_their_number(library: Path) -> None:
    built = run(library, "build", "takes", "-o", "lib", "--mirror")
    lines = built.stderr.strip().splitlines()
    assert len(lines) == 2
    assert "skipped 10 files (bad0.bvh, bad1.bvh, bad2.bvh and 7 more), line 1: " in lines[0]
    assert "skipped empty.bvh: the file is empty" in lines[1]
    assert "11 skipped" in built.stdout
    checked = run(library, "check", "lib")
    assert checked.stdout.count("not used: ") == 2
    said = json.loads(run(library, "check", "lib", "--json").stdout)
    assert len(said["skipped"]) == 11, "programs get them all"


@pytest.mark.parametrize("how", [(), ("--json",)])
@pytest.mark.parametrize("words", [("list",), ("check",), ("show",), ("show", "walk1"), ("build",)])
def test_no_number_has_more_digits_than_anybody_reads(
    words: tuple[str, ...], how: tuple[str, ...], library: Path
) -> None:
    run(library, "build", "takes", "-o", "lib", "--mirror", "-q")
    out = run(library, words[0], "lib", *words[1:], *how).stdout
    assert out
    assert not LONG_NUMBER.search(out), out
