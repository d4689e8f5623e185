"""Ctrl-C and requests to end: one word, the shell's exit code, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are sent the way of POSIX")

PROGRAM = "import sys; sys.argv[0] = 'footfall'; from footfall.cli.main import main; "


def _heed_signals() -> None:
    """Whoever started the tests, or a program run by another test, may ignore them."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def stopped(code: str, number: int, wait: float, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a program says when a signal comes `wait` seconds after its first word."""
    program = subprocess.Popen(
        [sys.executable, "-c", code], text=True, cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=_heed_signals,
    )  # fmt: skip
    assert program.stdout is not None
    program.stdout.readline()
    time.sleep(wait)
    program.send_signal(number)
    said, errors = program.communicate(timeout=60)
    return subprocess.CompletedProcess([], program.returncode, said, errors)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("wait", [0.0, 0.02, 0.05, 0.1, 0.2])
def test_stopped_at_any_time_the_program_says_one_word(
    number: int, wait: float, tmp_path: Path
) -> None:
    # The word comes when main is about to run; imports of all kinds follow.
    code = (
        f"{PROGRAM} sys.argv[1:] = ['demo', '-o', 'out/demo']; "
        "import footfall.cli.main as m; run = m._run; "
        "m._run = lambda: (print('here', flush=True), run())[1]; main()"
    )
    done = stopped(code, number, wait, tmp_path)
    assert (done.returncode, done.stderr) == (128 + number, "footfall: stopped\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_no_temporary_file_is_left_behind(number: int, tmp_path: Path) -> None:
    code = (
        f"{PROGRAM} import time; from pathlib import Path; import footfall.cli.main as m\n"
        "from footfall.files.atomic import atomic_file\n"
        "def work():\n"
        "    with atomic_file(Path('walk.bvh')) as file:\n"
        "        file.write_text('half'); print('here', flush=True); time.sleep(60)\n"
        "m._run = work; main()"
    )
    done = stopped(code, number, 0.1, tmp_path)
    assert done.returncode == 128 + number
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_a_finaliser_swallows_stops_the_program_all_the_same(
    number: int, tmp_path: Path
) -> None:
    code = f"""
import signal, sys, time
import footfall.cli.main as m

class Thing:
    def __del__(self):
        signal.raise_signal({int(number)})

def run():
    print("here", flush=True)
    thing = Thing()
    del thing
    time.sleep(30)
    return 0

m._run = run
m.main()
"""
    program = subprocess.run(
        [sys.executable, "-c", code], text=True, cwd=tmp_path, capture_output=True, timeout=60,
        preexec_fn=_heed_signals, check=False,
    )  # fmt: skip
    assert (program.returncode, program.stderr) == (128 + number, "footfall: stopped\n")
