"""A sample of default clips and of plans, as hashes of their bytes: `python -m … CLIPS METHODS`.

`test_cpu_types.py` runs it in processes of its own, as if on other CPUs. CLIPS and METHODS are
names with commas between; the hashes are printed as one JSON object.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable

import numpy as np

from footfall import Clip, GoTo, Place, Query, plan
from footfall.body.edit import round_clip
from footfall.library.build.workers import one_blas_thread
from footfall.library.default import generate_clip
from footfall.library.library import Library, library_of

WALKS = (
    "park_walk_1.1", "park_walk_1.1_left_0.35", "park_walk_1.1_right_0.35", "start_left_1",
    "stop_left_1", "turn_left_90", "turn_right_90", "stand_1",
)  # fmt: skip
"""The clips that plans are made of."""
QUERY = Query(Place(0.0, 0.0), GoTo(0.5, 4.0))
_OPTIONS = {"optimal": {"near_enough": 100.0}, "roadmap": {"nodes": 400, "more": 100}}
"""The first motion is enough: how far later ones get depends on the time."""


def fingerprint(clip: Clip) -> str:
    """Hash root, rotations and contacts of a clip, to the last bit."""
    digest = hashlib.sha256()
    for array in (clip.root, clip.rotations, clip.contacts):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def make_clip(name: str) -> Clip:
    """Generate a default clip as the library keeps it."""
    with one_blas_thread():
        return round_clip(generate_clip(name))


def hash_plan(method: str, walks: Library) -> str:
    """Hash the motion that a method plans."""
    found = plan(QUERY, method=method, library=walks, **_OPTIONS.get(method, {}))
    assert found.clip is not None, f"{method}: {found.reason}"
    return fingerprint(found.clip)


def make_sample(clips: Iterable[str], methods: Iterable[str]) -> dict[str, str]:
    """Hash clips, and the motions that methods plan, by name."""
    found = {name: fingerprint(make_clip(name)) for name in clips}
    walks = library_of([make_clip(name) for name in WALKS])
    return found | {method: hash_plan(method, walks) for method in methods}


if __name__ == "__main__":
    print(json.dumps(make_sample(*(filter(None, words.split(",")) for words in sys.argv[1:3]))))
