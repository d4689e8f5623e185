"""All real clips, looked at once."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from footfall.body.clip import Clip
from footfall.gait.tags import Sight, find_tags, look_at, tag_names
from tests.clips import real_clip


@dataclass(frozen=True)
class Seen:
    """A real clip, what the index says it holds, and what was found out."""

    file: str
    behaviour: str
    clip: Clip
    sight: Sight
    tags: tuple[str, ...]


@cache
def sight_of(file: Path) -> Sight:
    """How a real clip goes."""
    return look_at(real_clip(file))


@cache
def tags_of(file: Path) -> tuple[str, ...]:
    """The names of what a real clip shows."""
    return tag_names(find_tags(real_clip(file), sight_of(file)))


@pytest.fixture(scope="session")
def seen(mocap: Path) -> list[Seen]:
    with (mocap / "INDEX.csv").open() as file:
        rows = list(csv.DictReader(file))
    found = []
    for row in rows:
        file = mocap / row["file"]
        seen = real_clip(file), sight_of(file), tags_of(file)
        found.append(Seen(row["file"], row["behaviour"], *seen))
    return found
