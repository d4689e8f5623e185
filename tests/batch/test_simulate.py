"""The simulation of many workers: Dask's own scheduler loses nothing when they fail."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

from bench.batch import simulate
from bench.batch.simulate import Batch


@pytest.mark.parametrize("together", [False, True])
def test_failing_workers_lose_no_query(together: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "LIFE_S", 30.0)
    monkeypatch.setattr(simulate, "REPLACED_S", 5.0)
    asked = Batch(workers=10, queries=200, query_s=0.5, together=together, wire_s=0.001)
    got = simulate.simulate(asked)
    assert got.failures > 0
    assert got.jobs == 200 if not together else 10 < got.jobs < 200
    assert got.seconds > 200 * 0.5 / 10  # no query is skipped


def test_slow_messages_keep_workers_waiting_unless_queries_travel_together() -> None:
    alone, together = (
        simulate.simulate(Batch(20, 2000, 0.1, way, wire_s=0.02)) for way in (False, True)
    )
    assert alone.seconds > 1.5 * together.seconds
    assert together.scheduler_s < 0.2 * alone.scheduler_s
