"""All real clips, looked at once."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import pytest

from footfall.body.clip import Clip
from footfall.gait.tags import Sight, look_at
from tests.clips import real_clip


@dataclass(frozen=True)
class Seen:
    """A real clip, what the index says it holds, and what was found out."""

    file: str
    behaviour: str
    clip: Clip
    sight: Sight


@pytest.fixture(scope="session")
def seen(mocap: Path) -> list[Seen]:
    with (mocap / "INDEX.csv").open() as file:
        rows = list(csv.DictReader(file))
    clips = [(row["file"], row["behaviour"], real_clip(mocap / row["file"])) for row in rows]
    return [Seen(file, behaviour, clip, look_at(clip)) for file, behaviour, clip in clips]
