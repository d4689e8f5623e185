"""Options of a planner as one checked dataclass: names, bounds and help in one place.

    @dataclass(frozen=True)
    class ToyOptions(Options):
        pace: float = option(1.0, "how quick it is", least=0.1, most=3.0)

The command line, the documentation and the sentences of errors are made from these.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np

from footfall.errors import InputError, choices

_WORDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}


def option(
    default: Any, help: str, *, least: float | None = None, most: float | None = None,
    valid: tuple[str, ...] = (),
) -> Any:  # fmt: skip
    """Return a field of an options dataclass.

    help         one phrase on what it does
    least, most  the bounds of a number, both allowed; None for none
    valid        the words that a text may be
    """
    facts = {"help": help, "least": least, "most": most, "valid": valid}
    return field(default=default, metadata=facts)


@dataclass(frozen=True)
class Options:
    """The base of every planner's options; making one checks it."""

    def __post_init__(self) -> None:
        kinds = _kinds(type(self))
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.generic):
                value = value.item()
                object.__setattr__(self, f.name, value)
            _check_kind(f.name, value, kinds[f.name])
            _check_bounds(f.name, value, f.metadata)


Some = TypeVar("Some", bound=Options)


def make_options(kind: type[Some], given: Mapping[str, Any], method: str) -> Some:
    """Return a method's options with some given by name; an unknown name is refused."""
    names = option_names(kind)
    for name in given:
        if name not in names:
            raise InputError(f"{method} has no option {name!r}", remedy=choices(names, name))
    return kind(**given)


def parse_options(kind: type[Options], words: Mapping[str, str]) -> dict[str, Any]:
    """Values for options that were given as text, each of the kind that the option takes.

    What has no such kind stays text, and is refused with the right sentence when it is used.
    """
    kinds = _kinds(kind)
    return {name: _from_text(word, kinds.get(name, (str,))) for name, word in words.items()}


def option_names(kind: type[Options]) -> tuple[str, ...]:
    """Return the names of the options."""
    return tuple(f.name for f in fields(kind))


def option_rows(kind: type[Options]) -> list[tuple[str, str, str]]:
    """Return (name, default, help) of every option, as people read them."""
    return [(f.name, _format_value(f.default), _help(f.metadata)) for f in fields(kind)]


def _format_value(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _help(facts: Mapping[str, Any]) -> str:
    limits = ""
    if facts.get("valid"):
        limits = ", ".join(facts["valid"])
    elif facts.get("least") is not None or facts.get("most") is not None:
        limits = bounds_text(facts.get("least"), facts.get("most"))
    return f"{facts.get('help', '')} ({limits})" if limits else str(facts.get("help", ""))


def bounds_text(least: float | None, most: float | None) -> str:
    """Bounds in words: "at least 0 and at most 5"."""
    low = f"at least {least:g}" if least is not None else ""
    high = f"at most {most:g}" if most is not None and math.isfinite(most) else ""
    return " and ".join(part for part in (low, high) if part)


def _kinds(kind: type[Options]) -> dict[str, tuple[type, ...]]:
    """Option -> the types that it may be."""
    hints = get_type_hints(kind)
    return {f.name: get_args(hints[f.name]) or (hints[f.name],) for f in fields(kind)}


def _check_kind(name: str, value: object, kinds: tuple[type, ...]) -> None:
    allowed = (*kinds, int) if float in kinds else kinds
    if (isinstance(value, bool) and bool not in kinds) or not isinstance(value, allowed):
        words = " or ".join(_WORDS[k] for k in kinds if k in _WORDS)
        raise InputError(f"the option {name} is {str(value)[:40]!r}", remedy=f"it takes {words}")


def _check_bounds(name: str, value: object, facts: Mapping[str, Any]) -> None:
    valid = facts.get("valid") or ()
    if isinstance(value, str) and valid and value not in valid:
        raise InputError(f"there is no {name} {value!r}", remedy=choices(valid, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    least, most = facts.get("least"), facts.get("most")
    low, high = -math.inf if least is None else least, math.inf if most is None else most
    if not low <= value <= high:
        raise InputError(f"{name} is {value}", remedy=f"it must be {bounds_text(least, most)}")


def _from_text(word: str, kinds: tuple[type, ...]) -> Any:
    if type(None) in kinds and word.lower() in ("none", ""):
        return None
    if bool in kinds and word.lower() in ("true", "false", "yes", "no", "on", "off"):
        return word.lower() in ("true", "yes", "on")
    for number in (int, float):
        if number in kinds or (number is int and float in kinds):
            try:
                return number(word)
            except ValueError:
                continue
    return word
