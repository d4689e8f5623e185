"""Stamp result pages with commit and date, and find those that are older than their inputs.

    python -m tools.stamps             # list result pages; exit code 1 if one is out of date

Writers of result pages call `stamped`. A page without a stamp is out of date.
"""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
FINISH = ("src/footfall/adapt", "src/footfall/task")
INPUTS: dict[str, tuple[str, ...]] = {
    "dev/benchmarks.md": ("bench",),
    "dev/trials.md": ("bench/trials", "src/footfall/roadmap", "src/footfall/optimal", *FINISH),
    "dev/clip_limits.md": ("bench/limits", "src/footfall/adapt", "src/footfall/gait"),
    "dev/plan_limits.md": ("bench/limits", "src/footfall/graph", *FINISH),
    "dev/steering_limits.md": ("bench/limits", "src/footfall/blending", "src/footfall/adapt"),
    "research/acting.md": ("bench/acting", "src/footfall/generate"),
    "research/naturalness.md": ("src/footfall/generate", "src/footfall/measures"),
}
"""What the numbers of each page depend on."""
STAMP = re.compile(r"^\*Measured on (\d{4}-\d\d-\d\d) at commit (\w+)\.\*$", re.M)


def stamped(text: str) -> str:
    """Return a page with the date and the present commit under its title."""
    text = STAMP.sub("", text).replace("\n\n\n", "\n\n")
    title, _, rest = text.partition("\n")
    day = datetime.now(UTC).date().isoformat()
    stamp = f"*Measured on {day} at commit {_git('rev-parse', '--short', 'HEAD')}.*"
    return f"{title}\n\n{stamp}\n\n{rest.lstrip()}"


def measured_at(page: Path) -> str:
    """Return the commit at which a page was measured; empty without a stamp."""
    match = STAMP.search(page.read_text("utf-8"))
    return match[2] if match else ""


def changes_since(commit: str, inputs: tuple[str, ...]) -> int:
    """Return how many commits changed the inputs since then."""
    return int(_git("rev-list", "--count", f"{commit}..HEAD", "--", *inputs) or 0)


def main() -> int:
    """List result pages with the changes of their inputs; return the exit code."""
    stale = 0
    for name, inputs in INPUTS.items():
        commit = measured_at(PROJECT / "docs" / name)
        count = changes_since(commit, inputs) if commit else 0
        stale += not commit or count > 0
        state = f"measured at {commit}, inputs changed by {count} commits since"
        print(f"docs/{name}: {state if commit else 'no stamp'}")
    return 1 if stale else 0


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=PROJECT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
