"""How many cases a test tries: a share of them in `make test`, all and more in `make test-all`.

`make test` tries the same cases each time. `make test-all` (FOOTFALL_THOROUGH) tries every listed
case, and draws new generated ones from a seed that it prints; `make test-all SEED=…` repeats them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from itertools import product
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

THOROUGH = bool(os.environ.get("FOOTFALL_THOROUGH"))
_USUAL = 100
_SHARE, _TIMES = 0.3, 10
_LEAST = 8
Case = TypeVar("Case")


def sample(
    cases: Iterable[Case],
    share: float,
    name: Callable[[Case], str] = str,
    kind: Callable[[Case], str] = lambda case: "",
) -> list[Case]:
    """Return a share of listed cases, at least one of each kind; all of them in `make test-all`.

    A hash of its name decides on a case: cases that are added or removed leave the others alone.
    """
    listed = list(cases)
    if THOROUGH:
        return listed
    place = {name(case): _hash_share(name(case)) for case in listed}
    first: dict[str, str] = {}
    for one in sorted(listed, key=lambda case: place[name(case)]):
        first.setdefault(kind(one), name(one))
    kept = set(first.values())
    return [c for c in listed if name(c) in kept or place[name(c)] < share]


def cover(*parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return combinations that show every value of every parameter; all in `make test-all`."""
    if THOROUGH:
        return list(product(*parameters))
    most = max(len(values) for values in parameters)
    return [tuple(values[k % len(values)] for values in parameters) for k in range(most)]


def _hash_share(name: str) -> float:
    """Return a number from 0 to 1 that depends on a name alone."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big") / 2.0**64


def examples(count: int) -> settings:
    """Return settings for a sweep of about `count` cases: a third of them, or ten times as many."""
    return settings(max_examples=_scaled(count))


def load_profile() -> None:
    """Make hypothesis repeatable and patient; random where every run should try new cases."""
    settings.register_profile(
        "footfall", deadline=None, suppress_health_check=[HealthCheck.too_slow],
        derandomize=not THOROUGH, print_blob=True, max_examples=_scaled(_USUAL),
    )  # fmt: skip
    settings.load_profile("footfall")
    if not THOROUGH:
        # Constants of all loaded modules are tried too: which, depends on what ran before.
        providers._get_local_constants = lambda: providers._local_constants


def _scaled(count: int) -> int:
    if THOROUGH:
        return count * _TIMES
    return max(round(count * _SHARE), min(count, _LEAST))
