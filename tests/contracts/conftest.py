"""The walks and the yard that plans are tried with; roadmaps that are soon built."""

from dataclasses import replace

import pytest

from footfall.roadmap.options import RoadmapOptions
from footfall.roadmap.table import RoadmapSettings
from tests.sweeps import THOROUGH
from tests.verbs.fixtures import few_takes, takes, walks, yard

__all__ = ["few_takes", "takes", "walks", "yard"]


@pytest.fixture
def few_footholds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let roadmaps have at most 600 footholds and 200 more; in `make test-all` as many as asked."""
    usual = RoadmapOptions.settings

    def settings(self: RoadmapOptions, seed: int) -> RoadmapSettings:
        found = usual(self, seed)
        return replace(found, nodes=min(found.nodes, 600), more=min(found.more, 200))

    if not THOROUGH:
        monkeypatch.setattr(RoadmapOptions, "settings", settings)
