"""Batches on a Dask cluster of several processes: the same bytes, whatever is killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from footfall.batch import cluster, cluster_worker, models
from footfall.batch.run import BatchNews, BatchSummary, batch
from footfall.batch.store import read_results
from footfall.errors import InputError
from tests.batch.conftest import FORMATS, motions, numbered, write_lines
from tests.batch.dask_processes import Cluster, free_port

pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")
Sequential = tuple[BatchSummary, Path]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with one quick worker, for tests that leave it as it is."""
    found = Cluster(tmp_path_factory.mktemp("shared"))
    found.add_worker()
    yield found
    found.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Cluster]]:
    made: list[Cluster] = []

    def begin(quick: bool = True) -> Cluster:
        folder = tmp_path / f"cluster{len(made)}"
        folder.mkdir()
        made.append(Cluster(folder, quick))
        return made[-1]

    yield begin
    for one in made:
        one.close()


def children_of(worker: subprocess.Popen[bytes]) -> list[int]:
    return [child.pid for child in psutil.Process(worker.pid).children()]


def test_workers_of_dask_on_this_machine_change_no_byte(
    mixed: Path, sequential: Sequential, tmp_path: Path
) -> None:
    done = batch(mixed, tmp_path, workers=2, report=False, formats=FORMATS)
    assert done.digest == sequential[0].digest
    assert motions(tmp_path) == motions(sequential[1])
    assert sorted(f.name for f in tmp_path.iterdir()) == ["motions", "results.jsonl"]
    assert psutil.Process().children() == []


def test_a_cluster_gives_the_same_bytes_and_its_processes_end(
    mixed: Path, sequential: Sequential, tmp_path: Path, start: Callable[..., Cluster]
) -> None:
    found = start(quick=False)
    worker = found.add_worker()
    seen: list[int] = []
    done = batch(
        mixed, tmp_path / "out", scheduler=found.address, report=False, formats=FORMATS,
        progress=lambda news: seen.extend(children_of(worker)),
    )  # fmt: skip
    assert seen
    assert done.digest == sequential[0].digest
    assert motions(tmp_path / "out") == motions(sequential[1])
    end = time.monotonic() + 20.0
    while children_of(worker) and time.monotonic() < end:
        time.sleep(0.05)
    assert children_of(worker) == []


def test_killed_workers_and_a_restarted_scheduler_lose_and_repeat_nothing(
    tmp_path: Path, start: Callable[..., Cluster], quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_lines(tmp_path / "q.jsonl", numbered(24, name="slow"))
    plain = batch(file, tmp_path / "plain", workers=None, report=False)
    monkeypatch.setattr(cluster, "has_dask", lambda: True)
    found = start()
    for _ in range(2):
        found.add_worker()

    def disturb(news: BatchNews) -> None:
        if news.done == 5:
            found.workers[0].send_signal(signal.SIGKILL)
            found.add_worker()
        if news.done == 14:
            found.scheduler.kill()
            found.scheduler.wait()
            for worker in found.workers:
                worker.kill()
            found.start_scheduler()
            found.add_worker()

    done = batch(file, tmp_path / "out", scheduler=found.address, report=False, progress=disturb)
    assert done.digest == plain.digest
    assert done.planned == plain.planned == 24
    assert motions(tmp_path / "out") == motions(tmp_path / "plain")
    assert any("scheduler was lost" in note for note in done.notes)


def test_files_travel_once_to_each_host(
    tmp_path: Path, shared: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    send = cluster._ClusterRun._send

    def note(self: cluster._ClusterRun, client: object, worker: str, names: list[str]) -> None:
        sent.extend(names)
        send(self, client, worker, names)

    monkeypatch.setattr(cluster._ClusterRun, "_send", note)
    (tmp_path / "yard.toml").write_text('size = [9, 9]\n[[obstacle]]\nfile = "rock.obj"\n')
    (tmp_path / "rock.obj").write_bytes(b"v 0 0 0\n" * 1000)
    file = write_lines(tmp_path / "q.jsonl", numbered(30, scene="yard.toml"))
    done = batch(file, tmp_path / "out", scheduler=shared.address, report=False)
    assert done.found == 30
    first = len(sent)
    assert first >= 2
    assert set(sent) == {
        cluster_worker.hash_file(tmp_path / name) for name in ("yard.toml", "rock.obj")
    }
    batch(file, tmp_path / "again", scheduler=shared.address, report=False)
    assert len(sent) == first  # the host has them
    kept = shared.folder / "cache-shared" / "batch" / "trees"
    assert sorted(f.name for f in kept.glob("*/*")) == ["rock.obj", "yard.toml"]


def test_a_worker_with_other_code_is_refused_in_one_sentence(
    tmp_path: Path, shared: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "code_name", lambda: "Footfall 9.9")
    file = write_lines(tmp_path / "q.jsonl", numbered(2))
    with pytest.raises(InputError, match=r"has Footfall .* here is Footfall 9.9; it was refused"):
        batch(file, tmp_path / "out", scheduler=shared.address, report=False)


def test_a_scheduler_that_does_not_answer_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 0.5)
    file = write_lines(tmp_path / "q.jsonl", numbered(2))
    address = f"tcp://127.0.0.1:{free_port()}"
    said = rf"the scheduler {re.escape(address)} does not answer; .* resumes"
    with pytest.raises(InputError, match=said):
        batch(file, tmp_path / "out", scheduler=address, report=False)


def test_a_query_that_kills_its_process_is_skipped_and_the_rest_goes_on(
    tmp_path: Path, shared: Cluster
) -> None:
    lines = numbered(6)
    lines[2]["name"] = "dies"
    file = write_lines(tmp_path / "q.jsonl", [*lines, "{"])
    batch(file, tmp_path / "out", scheduler=shared.address, report=False)
    statuses = [row["status"] for row in read_results(tmp_path / "out" / "results.jsonl")]
    assert statuses == [*["found"] * 2, "killed", *["found"] * 3, "wrong input"]


@pytest.mark.parametrize(
    ("query_s", "left", "workers", "size"),
    [(0.1, 10**6, 10, 20), (0.5, 10**6, 1000, 20), (30.0, 10**6, 10, 1), (0.1, 40, 10, 2)],
)
def test_jobs_are_long_enough_for_the_scheduler_and_short_at_the_end(
    query_s: float, left: int, workers: int, size: int
) -> None:
    assert cluster.job_size(query_s, left, workers) == size


def test_the_client_holds_few_queries_at_a_time() -> None:
    taken = 0

    def endless() -> Iterator[object]:
        nonlocal taken
        while True:
            taken += 1
            yield type("Query", (), {"problem": "", "key": "00", "table": {}, "trees": {}})

    class Client:
        def submit(self, *_: object, **__: object) -> object:
            future = type("Future", (), {"add_done_callback": lambda self, f: None})()
            future.key = f"{taken}"  # type: ignore[attr-defined]
            return future

    settings, limits = cluster.WorkerSettings(""), cluster.Limits()
    run = cluster._ClusterRun(
        cluster.Inputs(), settings, limits, _Folder(), 10**9, [], endless()  # type: ignore[arg-type]
    )  # fmt: skip
    run.workers, run.mean_s = ["a", "b"], 0.001
    run._submit(Client())
    assert taken <= 4 * cluster.MOST_PER_JOB


class _Folder:
    folder, address = Path(), ""


def test_a_model_that_one_host_has_prepared_is_sent_to_the_others(
    tmp_path: Path, start: Callable[..., Cluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_LOOK_S", 0.0)
    found = start()
    caches = [found.folder / f"cache-{host}" for host in ("first", "second")]
    name = f"graphs/{'0a' * 20}.safetensors"
    for host in ("first", "second"):
        found.add_worker(host)

    def prepare(news: BatchNews) -> None:
        if news.done == 1:  # as if the next query had made it
            for file, content in ((name, b"model"), ("notes/mine.txt", b"private")):
                (caches[0] / file).parent.mkdir(parents=True)
                (caches[0] / file).write_bytes(content)
                os.utime(caches[0] / file, (time.time() + 1e3,) * 2)

    file = write_lines(tmp_path / "q.jsonl", numbered(24, name="slow"))
    batch(file, tmp_path / "out", scheduler=found.address, report=False, progress=prepare)
    assert (caches[1] / name).read_bytes() == b"model"
    assert not (caches[1] / "notes").exists()


@pytest.mark.parametrize("name", ["../a/{}", "/a/{}", "a/../{}", "{}", "a/{}.py", "a/b\\{}"])
def test_only_files_that_are_models_are_sent_and_taken(name: str) -> None:
    assert models.is_model(f"graphs/{'0' * 40}.safetensors")
    assert not models.is_model(name.format(f"{'0' * 40}.safetensors"))
