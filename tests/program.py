"""The program run inside the test process: no start-up of a second one, and kernels stay loaded.

Tests of signals, closed pipes and imports start a process of their own instead. So do those of
pictures that a process beside draws, which takes longer to start than to draw.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import AbstractContextManager, chdir, nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from unittest import mock

import footfall.cli.plan
from footfall.cli.main import main


def drawing_here() -> AbstractContextManager[object]:
    """Let `footfall plan` draw its pictures itself, as it does where there is one core."""
    return mock.patch.object(footfall.cli.plan, "_pictures_beside", return_value=nullcontext())


def run_program(
    *words: str | Path, cwd: Path | None = None, stdin: str = "", **environ: str
) -> CompletedProcess[str]:
    """Run `footfall WORDS` in a folder and return its exit code, output and errors."""
    argv = ["footfall", *map(str, words)]
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with (
            chdir(cwd or Path.cwd()), redirect_stdout(out), redirect_stderr(err),
            mock.patch.dict(os.environ, environ), mock.patch.object(sys, "argv", argv),
            mock.patch.object(sys, "stdin", io.StringIO(stdin)), drawing_here(),
        ):  # fmt: skip
            main()
    except SystemExit as error:
        code = int(error.code or 0)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return CompletedProcess(argv, code, _text(out), _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
