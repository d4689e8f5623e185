"""Output that nobody reads, or that cannot be written: the work is done, or one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="streams are closed the way of POSIX")

PROGRAM = [sys.executable, "-c", "from footfall.cli.main import main; main()"]


def run(*words: str, **streams: Any) -> subprocess.CompletedProcess[str]:
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run([*PROGRAM, *words], text=True, timeout=300, check=False, **given)


@pytest.mark.parametrize("words", [["scene", "list", "--json"], ["--help"]])
def test_a_reader_that_has_left_is_no_error(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run(*words, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_work_is_done_although_the_reader_has_left(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run("scene", "export", "paths", "-o", str(tmp_path / "paths.glb"), stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "paths.glb").is_file()


def test_an_error_keeps_its_exit_code_although_the_reader_has_left() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run("scene", "show", "nowhere", "--json", stdout=writer)
    os.close(writer)
    assert done.returncode == 2
    assert done.stderr.startswith("footfall: ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("words", [["scene", "list"], ["--version"]])
def test_a_full_output_is_one_sentence(words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = run(*words, stdout=full)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "standard output cannot be written" in done.stderr


def test_a_closed_output_is_one_sentence() -> None:
    done = run("scene", "list", "--json", stdout=None, preexec_fn=lambda: os.close(1))
    assert done.returncode == 2
    assert done.stderr == "footfall: standard output cannot be written (it is closed)\n"


def test_nothing_is_missed_where_nothing_is_printed() -> None:
    done = run("scene", "list", "--quiet", stdout=None, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_closed_error_stream_changes_nothing() -> None:
    done = run("scene", "list", "--json", stderr=None, preexec_fn=lambda: os.close(2))
    assert done.returncode == 0
    assert json.loads(done.stdout)["scenes"]
