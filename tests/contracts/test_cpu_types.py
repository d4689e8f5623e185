"""Clips and plans have the same bytes on every CPU.

Each setting makes numpy, BLAS, libm or numba behave as on a CPU that has fewer instructions than
this one. What a CPU cannot do is left out by itself: on a CPU without AVX-512 the setting "avx2"
is the default, and the comparison holds trivially.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.contracts.cpu_sample import make_sample
from tests.sweeps import THOROUGH

CLIPS = (
    "run_4.4", "leap_1.15_right", "walk_to_run_right", "turn_in_place_left_90", "back_0.8",
    "sidestep_left_0.3",
)  # fmt: skip
"""Beside the walks that plans are made of: those in which errors grow most, and other gaits."""
METHODS = ("graph", "blending", "roadmap", "optimal")
SETTINGS = {
    "sse": {
        "NPY_DISABLE_CPU_FEATURES": "X86_V3", "OPENBLAS_CORETYPE": "Nehalem",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX",
    },
    "avx2": {"NPY_DISABLE_CPU_FEATURES": "X86_V4", "OPENBLAS_CORETYPE": "Haswell"},
    "numba for any CPU": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
}  # fmt: skip
LONG_TO_COMPILE = ("numba for any CPU",)
"""All kernels are compiled for another CPU, which takes minutes."""
FURTHEST = "sse"
"""It differs most from usual CPUs; the other ones are tried in CI and in `make test-all`."""
HAS_TIME = THOROUGH or bool(os.environ.get("FOOTFALL_NOTHING_SKIPPED"))


def sample(folder: Path, setting: dict[str, str], methods: tuple[str, ...]) -> dict[str, str]:
    """Return the hashes of the sample, made in a process with these environment variables."""
    made = subprocess.run(
        [sys.executable, "-m", "tests.contracts.cpu_sample", ",".join(CLIPS), ",".join(methods)],
        cwd=PROJECT, env={**os.environ, **setting, "FOOTFALL_CACHE": str(folder)},
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr[-2000:]
    return dict(json.loads(made.stdout))


@pytest.fixture(scope="module")
def usual() -> dict[str, str]:
    return make_sample(CLIPS, METHODS)


@pytest.mark.parametrize("setting", SETTINGS if HAS_TIME else [FURTHEST])
def test_clips_and_plans_have_the_same_bytes_on_other_cpus(
    setting: str, usual: dict[str, str], tmp_path: Path
) -> None:
    long = setting in LONG_TO_COMPILE and not THOROUGH
    methods = ("graph",) if long else METHODS
    made = sample(tmp_path, SETTINGS[setting], methods)
    assert made == {name: usual[name] for name in (*CLIPS, *methods)}
