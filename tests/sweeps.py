"""How many generated cases a test tries: a share of them in `make test`, many in `make test-all`.

`make test` tries the same cases each time. `make test-all` (FOOTFALL_THOROUGH) draws new ones from
a seed that it prints; `make test-all SEED=…` repeats them.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

THOROUGH = bool(os.environ.get("FOOTFALL_THOROUGH"))
_USUAL = 100
_SHARE, _TIMES = 0.3, 10
_LEAST = 8


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


def _scaled(count: int) -> int:
    if THOROUGH:
        return count * _TIMES
    return max(round(count * _SHARE), min(count, _LEAST))
