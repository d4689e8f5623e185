"""Joint names as files give them, made fit to stand in one line and told apart."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 120


def printable(name: str, longest: int = LONGEST) -> str:
    """The name without line breaks and other characters that cannot be shown."""
    return "".join(c for c in name[:longest] if c.isprintable()).strip()


def distinct(names: Iterable[str], notes: list[str]) -> list[str]:
    """The names made printable; one that occurs again gets a number, and a note says so."""
    result: list[str] = []
    taken: set[str] = set()
    again = 0
    for place, given in enumerate(names):
        base = printable(given) or f"joint_{place}"
        name, number = base, 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        again += name != base
        taken.add(name)
        result.append(name)
    if again:
        notes.append(f"{again} joints had the name of another one and got a number.")
    return result
