"""The disk cache of kernels holds only as long as no module of kernels changes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import footfall.maths

ASK = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
from copied.caller_kernels import call
print(call(1.0), sum(call.stats.cache_hits.values()))
"""


def run(folder: Path) -> list[str]:
    code = ASK.format(folder=str(folder))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_has_changed(tmp_path):
    package = tmp_path / "copied"
    package.mkdir()
    (package / "__init__.py").write_text("")
    source = Path(footfall.maths.__file__).with_name("jit_kernels.py").read_text()
    (package / "jit_kernels.py").write_text(source)
    callee = "from copied.jit_kernels import kernel\n@kernel\ndef add(x):\n    return x + {}\n"
    (package / "callee_kernels.py").write_text(callee.format(1.0))
    (package / "caller_kernels.py").write_text(
        "from copied.jit_kernels import kernel\nfrom copied.callee_kernels import add\n"
        "@kernel\ndef call(x):\n    return add(x)\n"
    )
    assert run(tmp_path) == ["2.0", "0"]
    assert run(tmp_path) == ["2.0", "1"]
    (package / "callee_kernels.py").write_text(callee.format(5.0))
    assert run(tmp_path) == ["6.0", "0"]
