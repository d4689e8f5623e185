"""Select the clips of a library that only walk or run."""

from __future__ import annotations

from footfall.library.library import Library

WALKING, RUNNING = "walk", "run"
NOT_WALKING = frozenset(
    (
        "run", "backward", "sidestep_left", "sidestep_right", "jump", "hop", "hurdle", "step_over",
        "step_up", "step_down", "beam", "duck", "crouch", "crawl", "lie", "pick", "sit",
        "sit_down", "stand_up",
    )
)  # fmt: skip
"""What a clip must not show besides, to be of use for following a path on level ground."""


def names_of_gait(library: Library, gait: str) -> list[str]:
    """Return the names of the clips that walk, or run, and do nothing else."""
    unwanted = NOT_WALKING - {gait}
    return [e.name for e in library.entries if gait in e.tags and not unwanted & set(e.tags)]


def describe_tags(library: Library) -> str:
    """Return the first few things that the clips of a library show."""
    return ", ".join(list(library.tags)[:6]) or "nothing known"
