"""Measures: how feet hold, how paths are met, how smooth and how natural clips are.

The verb, its function and this package have one name, so the package is the function too:
`footfall.measure(clip)` is `footfall.measure.all.measure(clip)`, whatever was imported first.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.body.clip import Clip
    from footfall.measure.all import Measures


class _Verb(ModuleType):
    """A package that can be called."""

    def __call__(self, clip: Clip, **how: Any) -> Measures:
        """Measure a clip in every way there is; see `footfall.measure.all.measure`."""
        from footfall.measure.all import measure

        return measure(clip, **how)

    @property
    def measure(self) -> _Verb:
        """Itself: what `footfall.measure` finds."""
        return self


sys.modules[__name__].__class__ = _Verb
