"""What the tests of batches share: query files, a quick worker, and one real batch to compare."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from footfall import save
from footfall.batch import cluster, local, supervise
from footfall.batch.run import BatchSummary, batch
from footfall.generate.gait.steady import steady

PROJECT = Path(__file__).resolve().parents[2]
FORMATS = ("bvh", "npz")
MIXED: list[dict[str, Any]] = [
    {"from": [0, 0], "to": [0.4 * n, 3], "method": method, "library": "walk.bvh", "seed": n}
    for n, method in enumerate(["graph", "blending", "graph", "blending"])
]


def write_lines(file: Path, lines: Iterable[dict[str, Any] | str]) -> Path:
    """Write a file of queries; what is text already stays as it is."""
    text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    file.write_text("\n".join(text) + "\n")
    return file


def numbered(count: int, **more: Any) -> list[dict[str, Any]]:
    """Return queries that differ in their seeds."""
    return [{"from": [0, 0], "to": [0, 3], "seed": n, "method": "graph", **more}
            for n in range(count)]  # fmt: skip


def motions(folder: Path) -> dict[str, bytes]:
    """Return the files of all motions by name."""
    files = sorted((folder / "motions").rglob("*.*"))
    return {file.name: file.read_bytes() for file in files}


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Queries for two methods with a clip beside them, one line twice, and lines that are wrong."""
    folder = tmp_path_factory.mktemp("queries")
    save(steady(seconds=4.0, fps=30.0), folder / "walk.bvh")
    wrong = ["{no json", {"from": [0, 0], "too": [0, 3]}, {**MIXED[0], "library": "lost.bvh"}]
    return write_lines(folder / "mixed.jsonl", [*MIXED, *wrong, {**MIXED[0], "name": "again"}])


@pytest.fixture(scope="session")
def sequential(mixed: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[BatchSummary, Path]:
    """What one worker makes of them, undisturbed and without Dask."""
    folder = tmp_path_factory.mktemp("sequential")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "has_dask", lambda: False)
        return batch(mixed, folder, workers=1, report=False, formats=FORMATS), folder


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that answer at once."""
    monkeypatch.setattr(supervise, "MODULE", "tests.batch.quick_worker")
    monkeypatch.setattr(cluster, "has_dask", lambda: False)
    monkeypatch.setattr(local, "compile_on_host", lambda methods: None)
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
