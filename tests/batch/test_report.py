"""What is shown of a batch: a page, a sheet of pictures, a summary, and words."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from footfall.batch.run import BatchSummary
from tests.program import run_program

Sequential = tuple[BatchSummary, Path]


def test_the_command_shows_how_queries_ended_and_writes_a_page(
    mixed: Path, sequential: Sequential, tmp_path: Path
) -> None:
    from PIL import Image

    out = shutil.copytree(sequential[1], tmp_path / "out")
    done = run_program("batch", mixed, "-o", out)
    assert done.returncode == 2
    assert "5 of 8 queries found a motion" in done.stdout
    assert "graph, medians" in done.stdout
    assert len(done.stderr.strip().splitlines()) == 3
    page = (out / "report.html").read_text()
    assert "wrong input: the line is no valid JSON" in page
    assert page.count("data:image/png;base64") == 2
    with Image.open(out / "sheet.png") as sheet:
        assert sheet.width == 3 * 560
    summary = json.loads((out / "summary.json").read_text())
    assert summary["statuses"] == {"found": 5, "wrong input": 3}
    assert summary["digest"] == sequential[0].digest


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere.jsonl",), "there is no such file"),
        (("queries.csv",), "choose one of .jsonl, .toml"),
        (("q.jsonl", "--formats", "bwh"), "did you mean bvh?"),
        (("q.jsonl", "--time-limit", "-1"), "the time limit"),
        (("q.jsonl", "-o", "nothing://x"), "nothing"),
    ],
)
def test_wrong_input_is_one_sentence(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"to": [0, 3]}\n')
    done = run_program("batch", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
