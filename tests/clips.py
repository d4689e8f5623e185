"""Clips that many tests begin with: each is made or read once in a process; clips are frozen."""

from __future__ import annotations

from functools import cache

from footfall.files import formats
from footfall.generate.gait import steady as generated

steady = cache(generated.steady)
"""Not for tests of the generator itself: asked again, it gives the same object."""
real_clip = cache(formats.load)
"""A clip of the folder of real ones, by its path."""
