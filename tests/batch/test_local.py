"""Batches in processes of this machine: nothing is lost, nothing done twice, and limits hold."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from footfall import load
from footfall.batch.run import BatchNews, BatchSummary, batch
from footfall.batch.store import read_results
from footfall.errors import InputError
from tests.batch.conftest import FORMATS, MIXED, motions, numbered, write_lines
from tests.program import run_program

Sequential = tuple[BatchSummary, Path]


def statuses(folder: Path) -> list[str]:
    return [row["status"] for row in read_results(folder / "results.jsonl")]


def test_every_query_has_a_row_in_order_and_wrong_ones_say_why(sequential: Sequential) -> None:
    done, folder = sequential
    rows = list(read_results(folder / "results.jsonl"))
    assert [row["number"] for row in rows] == list(range(8))
    assert statuses(folder) == [*["found"] * 4, *["wrong input"] * 3, "found"]
    said = [row["reason"] for row in rows[4:7]]
    for reason, words in zip(said, ("no valid JSON", "no key 'too'", "no such"), strict=True):
        assert words in reason
    assert done.planned == 7
    assert len(done.problems) == 3


def test_a_row_tells_what_was_found(sequential: Sequential) -> None:
    _, folder = sequential
    row = next(read_results(folder / "results.jsonl"))
    clip = load(folder / row["files"]["bvh"]["name"])
    assert (row["method"], row["verified"], row["frames"]) == ("graph", True, len(clip))
    assert row["cost"] >= 0.0
    assert row["measures"]["drift_max_mm"] < 10.0
    assert row["timings"]["all"] > 0.0
    origin = json.loads((folder / row["files"]["plan"]["name"]).read_text())
    assert sum(s["stop"] - s["first"] for s in origin["segments"]) == len(clip)
    assert len(origin["footprints"]) == row["footprints"]


def test_queries_that_are_alike_are_planned_once(sequential: Sequential) -> None:
    _, folder = sequential
    rows = list(read_results(folder / "results.jsonl"))
    assert rows[0]["files"] == rows[7]["files"]
    assert (rows[0]["name"], rows[7]["name"]) == ("mixed.jsonl, line 1", "again")
    assert len(motions(folder)) == 3 * len(MIXED)


def test_killed_workers_and_another_number_of_them_change_no_byte(
    mixed: Path, sequential: Sequential, tmp_path: Path
) -> None:
    psutil = pytest.importorskip("psutil")
    killed: list[int] = []

    def kill_one(news: BatchNews) -> None:
        if news.done == 2:
            killed.append(psutil.Process().children()[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    done = batch(mixed, tmp_path, report=False, formats=FORMATS, progress=kill_one)
    assert killed
    assert done.digest == sequential[0].digest
    assert motions(tmp_path) == motions(sequential[1])


def test_a_client_that_is_killed_resumes_and_leaves_nothing_behind(
    mixed: Path, sequential: Sequential, tmp_path: Path
) -> None:
    words = [
        sys.executable,
        "-m",
        "footfall.cli.main",
        "batch",
        mixed,
        "-o",
        tmp_path,
        "--no-report",
        "--formats",
        "bvh,npz",
    ]
    client = subprocess.Popen(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    results = tmp_path / "results.jsonl"
    while client.poll() is None and not (results.exists() and b"found" in results.read_bytes()):
        time.sleep(0.02)
    client.kill()
    client.wait()
    with results.open("ab") as file:
        file.write(b'{"key": "00')  # what a crash may leave of a line
    done = run_program(
        "batch", mixed, "-o", tmp_path, "--json", "--no-report", "--formats", "bvh,npz"
    )
    assert done.returncode == 2  # some lines are wrong
    summary = json.loads(done.stdout)
    assert summary["digest"] == sequential[0].digest
    assert summary["planned"] < sequential[0].planned
    assert sorted(f.name for f in tmp_path.iterdir()) == ["motions", "results.jsonl"]
    assert motions(tmp_path) == motions(sequential[1])


# ---- with workers that answer at once ---------------------------------------------------


@pytest.mark.usefixtures("quick")
def test_a_query_that_kills_its_worker_twice_is_skipped(tmp_path: Path) -> None:
    lines = numbered(4)
    lines[1]["name"] = "dies"
    done = batch(
        write_lines(tmp_path / "q.jsonl", lines), tmp_path / "out", report=False, workers=1
    )
    assert statuses(tmp_path / "out") == ["found", "killed", "found", "found"]
    assert done.problems == ("q.jsonl, line 2: its worker died 2 times (signal 9)",)


@pytest.mark.usefixtures("quick")
def test_limits_end_a_query_and_not_the_batch(tmp_path: Path) -> None:
    lines = numbered(4)
    lines[0]["name"], lines[2]["name"] = "sleeps", "grows"
    file = write_lines(tmp_path / "q.jsonl", lines)
    how = {"time_limit_s": 5.0, "memory_limit_mb": 400.0, "report": False}
    batch(file, tmp_path / "out", workers=2, **how)  # type: ignore[arg-type]
    rows = list(read_results(tmp_path / "out" / "results.jsonl"))
    assert [row["status"] for row in rows] == ["out of time", "found", "killed", "found"]
    assert "time limit of 5 s" in rows[0]["reason"]
    assert "more than 400 MB" in rows[2]["reason"]


@pytest.mark.usefixtures("quick")
def test_a_full_disk_is_one_sentence_and_tried_again(tmp_path: Path) -> None:
    lines = numbered(3)
    lines[1]["name"] = "fills"
    file, out = tmp_path / "q.jsonl", tmp_path / "out"
    batch(write_lines(file, lines), out, workers=1, report=False)
    assert statuses(out) == ["found", "not written", "found"]
    del lines[1]["name"]  # a name is no part of the query
    done = batch(write_lines(file, lines), out, workers=1, report=False)
    assert (done.planned, done.found) == (1, 3)


@pytest.mark.usefixtures("quick")
def test_what_is_there_is_not_planned_again_unless_its_file_is_missing(tmp_path: Path) -> None:
    file, out = write_lines(tmp_path / "q.jsonl", numbered(5)), tmp_path / "out"
    first = batch(file, out, report=False, workers=1)
    assert batch(file, out, report=False, workers=1).planned == 0
    next((out / "motions").rglob("*.bvh")).unlink()
    again = batch(write_lines(file, numbered(6)), out, report=False, workers=1)
    assert (first.planned, again.planned) == (5, 2)


@pytest.mark.usefixtures("quick")
def test_a_results_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    file, out = write_lines(tmp_path / "q.jsonl", numbered(1)), tmp_path / "out"
    out.mkdir()
    (out / "results.jsonl").write_text('{"mine": 1}\n')
    with pytest.raises(InputError, match="no result of a batch"):
        batch(file, out, report=False)
    assert (out / "results.jsonl").read_text() == '{"mine": 1}\n'
    assert batch(file, out, report=False, force=True, workers=1).found == 1


@pytest.mark.usefixtures("quick")
def test_results_that_cannot_be_written_end_the_batch_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    file, out = write_lines(tmp_path / "q.jsonl", numbered(30)), tmp_path / "out"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(news: BatchNews) -> None:
        if news.done == 3:
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))

    try:
        with pytest.raises(InputError, match=r"results.jsonl: cannot be written .* kept"):
            batch(file, out, report=False, progress=fill, workers=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    done = batch(file, out, report=False, workers=1)
    assert (done.found, done.planned < 30) == (30, True)


@pytest.mark.usefixtures("quick")
def test_two_batches_do_not_write_to_one_folder(tmp_path: Path) -> None:
    file, out = write_lines(tmp_path / "q.jsonl", numbered(2)), tmp_path / "out"
    refused = []

    def start_another(news: BatchNews) -> None:
        with pytest.raises(InputError, match="another batch is writing to it") as error:
            batch(file, out, report=False)
        refused.append(error)

    assert batch(file, out, report=False, progress=start_another, workers=1).found == 2
    assert refused


@pytest.mark.usefixtures("quick")
def test_output_goes_to_an_address_and_is_resumed_from_there(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    where = f"memory://batches/{tmp_path.name}"
    file = write_lines(tmp_path / "q.jsonl", numbered(3))
    here = batch(file, tmp_path / "out", report=False, workers=1)
    there = batch(file, where, report=False, workers=1)
    assert there.digest == here.digest
    assert batch(file, where, report=False, workers=1).planned == 0
    system = fsspec.filesystem("memory")
    stored = {Path(name).name: system.cat_file(name) for name in system.find(where)}
    assert stored.pop("results.jsonl")
    assert stored == motions(tmp_path / "out")
