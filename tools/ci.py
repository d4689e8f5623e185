"""The steps of continuous integration, which also run locally: `python -m tools.ci STEP…`.

    python -m tools.ci            # all steps, in order
    python -m tools.ci check dist

The steps use the environment of the Python that runs them, on Linux, macOS and Windows. `install`
puts Footfall and its tools into it. `make test` does the same on Linux with more beside each other.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PYTHON = (sys.executable, "-m")
STEPS: dict[str, tuple[tuple[str, ...], ...]] = {
    "install": (
        (*PYTHON, "pip", "install", "--upgrade", "pip>=25.1"),
        (*PYTHON, "pip", "install", "--editable", ".[usd]", "--constraint", "constraints.txt",
         "--group", "test", "--group", "check", "--group", "docs", "--group", "dist"),
    ),
    "check": (
        (*PYTHON, "ruff", "check", "."),
        (*PYTHON, "ruff", "format", "--check", "."),
        (*PYTHON, "mypy"),
        (*PYTHON, "tools.language"),
        (*PYTHON, "pytest", "tests/contracts/test_layers.py", "tests/contracts/test_size.py"),
        (*PYTHON, "zensical", "build", "--clean", "--strict"),
    ),
    "test": ((*PYTHON, "pytest", "-n", "auto", "--dist", "worksteal"),),
    "dist": ((*PYTHON, "tools.dist"),),
}  # fmt: skip


def main(names: list[str]) -> int:
    """Run the steps in order until one fails; return the exit code."""
    unknown = [name for name in names if name not in STEPS]
    if unknown:
        print(f"there is no step {unknown[0]}; choose one of {', '.join(STEPS)}", file=sys.stderr)
        return 2
    for name in names or STEPS:
        start = time.monotonic()
        for command in STEPS[name]:
            print("+", *command[1:], flush=True)
            code = subprocess.run(command, cwd=PROJECT, check=False).returncode
            if code != 0:
                print(f"{name} failed with exit code {code}", file=sys.stderr)
                return code
        print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
