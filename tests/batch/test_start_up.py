"""How the docs start clusters: the code on the page makes job scripts and manifests that fit."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.batch.conftest import PROJECT


def page_code(kind: str) -> str:
    """Return the code of a section of the page."""
    page = (PROJECT / "docs" / "howto" / "batch.md").read_text()
    (code,) = re.findall(rf"```text {kind}\n(.*?)```", page, re.S)
    return str(code)


def test_the_page_makes_a_job_script_for_slurm() -> None:
    pytest.importorskip("dask_jobqueue")
    names: dict[str, Any] = {}
    exec(page_code("slurm").partition("cluster.scale")[0], names)
    with names["cluster"] as cluster:
        script = cluster.job_script()
    assert "#SBATCH -p standard" in script
    assert "#SBATCH --cpus-per-task=16" in script
    assert "#SBATCH -t 08:00:00" in script
    assert "export FOOTFALL_CACHE=$TMPDIR/footfall" in script
    worker = script.strip().splitlines()[-1]
    assert "distributed.cli.dask_worker tcp://" in worker
    assert "--nworkers 16 --nthreads 1" in worker or (
        "--nworkers 16" in worker and "--nthreads 1" in worker
    )
    assert "--lifetime 7h" in worker


def test_the_page_makes_a_manifest_for_kubernetes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("dask_kubernetes")
    monkeypatch.chdir(tmp_path)
    exec(page_code("kubernetes"), {})
    spec = json.loads((tmp_path / "cluster.json").read_text())
    assert (spec["kind"], spec["metadata"]["name"]) == ("DaskCluster", "footfall")
    worker = spec["spec"]["worker"]
    (container,) = worker["spec"]["containers"]
    assert worker["replicas"] == 20
    assert container["args"][:3] == ["dask-worker", "--nthreads", "1"]
    assert {"name": "FOOTFALL_CACHE", "value": "/tmp/footfall"} in container["env"]


def test_the_page_starts_hosts_by_ssh_as_dask_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    calls: list[inspect.BoundArguments] = []
    signature = inspect.signature(distributed.SSHCluster)

    def take(*words: Any, **named: Any) -> Any:
        calls.append(signature.bind(*words, **named))

    monkeypatch.setattr(distributed, "SSHCluster", take)
    exec(page_code("ssh").partition("footfall.batch")[0], {})
    assert calls[0].arguments["hosts"] == ["head", "node1", "node2"]
    known = set(inspect.signature(distributed.Nanny.__init__).parameters)
    assert set(calls[0].arguments["worker_options"]) <= known | {"n_workers"}
