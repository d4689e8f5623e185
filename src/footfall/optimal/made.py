"""Names of clips that were made of others, so that users are shown what was recorded."""

from __future__ import annotations

import re
from typing import NamedTuple

STEPS, STANCE, ACROSS = "made steps", "in another stance", "steps across"
"""What was made: steps between two ways of standing, a start or stop whose feet were moved, or
steps from a stand to the same stand elsewhere."""
_NAME = re.compile(rf"(?P<clip>.+) @(?P<first>\d+) (?P<how>{STEPS}|{STANCE}|{ACROSS})(, \d+)?")


class Made(NamedTuple):
    """What a clip was made of.

    clip   the recorded clip, in whose posture it is
    first  the frame of it that the made clip begins at
    how    what was made of it; "" for the clip itself
    """

    clip: str
    first: int
    how: str


def made_name(clip: str, first: int, how: str, number: int) -> str:
    """The name of the `number`-th clip that was made of another, beginning at a frame of it."""
    return f"{clip} @{first} {how}, {number}"


def read_made(name: str) -> Made:
    """What a clip of this name was made of."""
    found = _NAME.fullmatch(name)
    return Made(found["clip"], int(found["first"]), found["how"]) if found else Made(name, 0, "")
