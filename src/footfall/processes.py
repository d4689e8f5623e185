"""Processes beside this one that run a module of Footfall, told by lines what to do.

Not those of `multiprocessing`: they run the caller's script again and unpickle what they get.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen


def start_module(module: str) -> Popen[str]:
    """Start `python -m module` with this very Footfall; lines go in and come out as text.

    It is out of reach of the terminal's Ctrl-C, which is for the program that started it.
    """
    import footfall

    package = str(Path(footfall.__path__[0]).parent)
    paths = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    return Popen(
        [sys.executable, "-P", "-m", module],
        stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
