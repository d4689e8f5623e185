"""Debian's Chromium, as the browser tests start it."""

from __future__ import annotations

import os
from pathlib import Path

CHROMIUM = Path(os.environ.get("FOOTFALL_CHROMIUM", "/usr/bin/chromium"))
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
]  # fmt: skip
