"""Builds the front end (player and studio) with the package, where Node is available.

Without Node everything else is built, and commands that need the front end say so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
WEB = ROOT / "web"
PLAYER = ROOT / "src" / "footfall" / "render" / "player" / "static" / "player.js"
SKIP = "FOOTFALL_NO_WEB"


class FrontEndHook(BuildHookInterface):  # type: ignore[misc]
    """Runs npm before files are packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the front end unless it is there and newer than its sources."""
        if os.environ.get(SKIP) or not WEB.is_dir() or is_current():
            return
        npm = shutil.which("npm")
        if npm is None:
            self.app.display_warning("Node.js is missing: the player and the studio are not built")
            return
        try:
            build(npm)
        except (OSError, subprocess.CalledProcessError) as error:
            self.app.display_warning(f"the player and the studio are not built: {error}")


def is_current() -> bool:
    """Whether the player was built after its sources were changed."""
    if not PLAYER.is_file():
        return False
    built = PLAYER.stat().st_mtime
    sources = [WEB / "package-lock.json", *(WEB / "src").rglob("*.*")]
    return all(source.stat().st_mtime <= built for source in sources)


def build(npm: str) -> None:
    """Install the front end's packages as the lock file states them, and build it."""
    quiet = ["--no-fund", "--no-audit", "--silent"]
    subprocess.run([npm, "ci", *quiet], cwd=WEB, check=True, stdout=sys.stderr)
    subprocess.run([npm, "run", "build", "--silent"], cwd=WEB, check=True, stdout=sys.stderr)
