"""Contacts, strides and path of an hour of walking at 30 Hz, 108,000 frames, on one core."""

from __future__ import annotations

from bench.harness import BenchRow, best_of, quick
from footfall.body.clip import Clip
from footfall.body.edit import join
from footfall.gait.contacts import find_contacts
from footfall.gait.path import path_abstraction
from footfall.gait.strides import find_strides
from footfall.gait.tags import find_tags
from footfall.generate.gait.steady import steady


def _hour() -> Clip:
    """A walk repeated until an hour is full; a minute where only a smoke run is asked for."""
    part = steady("walk", 1.3, 0.05, seconds=20.0, fps=30.0)
    return join([part] * (3 if quick() else 180), align=True)


def rows() -> list[BenchRow]:
    """Contacts, then strides as well, then tags and path."""
    clip = _hour()
    seconds = {
        "contacts": best_of(lambda: find_contacts(clip), repeats=5),
        "contacts and strides": best_of(lambda: find_strides(find_contacts(clip)), repeats=5),
        "contacts, strides and tags": best_of(lambda: find_tags(clip), repeats=3),
        "path, Gaussian": best_of(lambda: path_abstraction(clip, "gaussian"), repeats=3),
    }
    goals = {"contacts and strides": "<= 2 s"}
    return [BenchRow(name, value, goal=goals.get(name, "")) for name, value in seconds.items()]


if __name__ == "__main__":
    from bench.harness import table

    print(table(rows()))
