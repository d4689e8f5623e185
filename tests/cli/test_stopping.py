"""Ctrl-C and requests to end: one word, the shell's exit code, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.sweeps import cover

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are sent the way of POSIX")

SIGNALS = (signal.SIGINT, signal.SIGTERM)
PROGRAM = "import sys; sys.argv[0] = 'footfall'; from footfall.cli.main import main; "


def _heed_signals() -> None:
    """Whoever started the tests, or a program run by another test, may ignore them."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def stopped(
    code: str, number: int, wait: float, folder: Path, within: float = 60.0,
    works: Callable[[], bool] = lambda: True,
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """What a program says when a signal comes `wait` seconds after its first word, amid its work.

    works  whether the work that is to be stopped has begun
    """
    program = subprocess.Popen(
        [sys.executable, "-c", code], text=True, cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=_heed_signals,
    )  # fmt: skip
    assert program.stdout is not None
    program.stdout.readline()
    time.sleep(wait)
    while not works():
        assert program.poll() is None
        time.sleep(0.05)
    program.send_signal(number)
    said, errors = program.communicate(timeout=within)
    return subprocess.CompletedProcess([], program.returncode, said, errors)


@pytest.mark.parametrize(("wait", "number"), cover((0.0, 0.02, 0.1, 0.2), SIGNALS))
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


@pytest.mark.parametrize("number", SIGNALS)
def test_no_temporary_file_is_left_behind(number: int, tmp_path: Path) -> None:
    code = (
        f"{PROGRAM} import time; from pathlib import Path; import footfall.cli.main as m\n"
        "from footfall.files.atomic import atomic_file\n"
        "def work():\n"
        "    with atomic_file(Path('walk.bvh')) as file:\n"
        "        file.write_text('half'); print('here', flush=True); time.sleep(60)\n"
        "m._run = work; main()"
    )
    done = stopped(code, number, 0.0, tmp_path)
    assert done.returncode == 128 + number
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", SIGNALS)
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


BUSY = {
    "a kernel": """
import numpy as np
from footfall.maths.jit_kernels import kernel

@kernel
def turn(values):
    while values[0] < 1e300:
        values[0] += 1e-300

turn(np.full(1, 1e300))  # compiled before the work begins

def work():
    turn(np.zeros(1))
""",
    "threads": """
import time
from footfall.processes import share_out, thread_pool

def work():
    with thread_pool() as pool:
        list(pool.map(lambda _: time.sleep(600), range(8)))
""",
    "an exit that threads hold up": """
import threading, time

def work():
    threading.Thread(target=time.sleep, args=(600,)).start()
    time.sleep(600)
""",
    "a process beside": """
import time
from footfall.processes import start_module

def work():
    child = start_module("footfall.verbs.warmup")
    print(child.pid, flush=True)
    child.wait()
""",
    "a half-written file": """
import threading
from pathlib import Path
from footfall.files.atomic import atomic_file

def write():
    with atomic_file(Path("walk.bvh")) as file:
        file.write_text("half")
        threading.Event().wait()

def work():
    threads = [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
""",
}


@pytest.mark.parametrize(("busy", "number"), cover(tuple(BUSY), SIGNALS))
def test_work_that_would_never_end_is_stopped(
    busy: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOOTFALL_KERNELS", str(tmp_path / "kernels"))
    code = (
        f"{PROGRAM} import footfall.cli.main as m\n{BUSY[busy]}\n"
        "def run():\n    print('here', flush=True)\n    work()\n    return 0\n"
        "m._run = run\nmain()"
    )
    (tmp_path / "folder").mkdir()
    wait = 1.0 if busy == "a process beside" else 0.3
    done = stopped(code, number, wait, tmp_path / "folder")
    assert (done.returncode, done.stderr) == (128 + number, "footfall: stopped\n")
    assert list((tmp_path / "folder").iterdir()) == []
    if busy == "a process beside":
        assert _ends(int(done.stdout))


def _ends(process: int) -> bool:
    """Whether a process that was killed is no more; it may take the system a moment."""
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        with suppress(OSError):  # in a container nobody may collect what is dead
            if Path(f"/proc/{process}/stat").read_text().split()[2] == "Z":
                return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("warmup", signal.SIGINT),
        ("library make -o people --performers 20", signal.SIGTERM),
        pytest.param("graph build default", signal.SIGINT, marks=pytest.mark.thorough),
        pytest.param("roadmap build dungeon", signal.SIGTERM, marks=pytest.mark.thorough),
        ("plan --scene course --query course --method optimal -o walk", signal.SIGTERM),
    ],
)
def test_a_command_of_minutes_ends_soon_after_a_signal(
    words: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With empty caches each of them takes minutes; when it is stopped it compiles kernels.
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FOOTFALL_KERNELS", str(tmp_path / "kernels"))
    code = f"{PROGRAM} sys.argv[1:] = {words.split()!r}; print('here', flush=True); main()"
    (tmp_path / "folder").mkdir()
    done = stopped(
        code, number, 0.3, tmp_path / "folder", within=20.0,
        works=lambda: any(file.is_file() for file in (tmp_path / "kernels").rglob("*")),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (128 + number, "footfall: stopped\n")


def test_what_was_found_is_saved_unless_a_second_signal_comes(tmp_path: Path) -> None:
    code = f"""{PROGRAM}
import time
from contextlib import suppress
from pathlib import Path
import footfall.cli.main as m
from footfall.cli.stopping import STOPPING, GRACE_S

def run():
    try:
        print("here", flush=True)
        time.sleep(600)
    except KeyboardInterrupt:
        STOPPING.allow_saving()
        print("saving", flush=True)
        time.sleep(GRACE_S + 1.0)
        Path("saved").touch()
        time.sleep(600)

m._run = run
main()
"""
    program = subprocess.Popen(
        [sys.executable, "-c", code], text=True, cwd=tmp_path, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=_heed_signals,
    )  # fmt: skip
    assert program.stdout is not None
    program.stdout.readline()
    program.send_signal(signal.SIGINT)
    while program.stdout.readline().strip() != "saving":
        assert program.poll() is None
    while not (tmp_path / "saved").exists():
        assert program.poll() is None
        time.sleep(0.05)
    program.send_signal(signal.SIGINT)
    assert program.wait(timeout=20) == 128 + signal.SIGINT
