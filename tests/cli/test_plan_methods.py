"""`footfall plan` with any method: the toy, its options, task files, and an interrupt."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from footfall.cli.main import main
from footfall.task.method import forget_method, register_method
from tests.contracts.toy_method import TOY


@pytest.fixture
def footfall(takes, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    register_method(TOY)

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["footfall", "plan", *words, "--library", str(takes)])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    yield run
    forget_method(TOY.name)


def test_a_method_that_was_just_added_works_on_the_command_line(footfall, tmp_path):
    code, out, _ = footfall("--from", "0,0", "--to", "0,2", "--method", "toy", "-o", "t", "--json")
    said = json.loads(out)
    assert (code, said["status"], said["method"], said["cost"]) == (0, "found", "toy", 1.0)
    assert (tmp_path / "t.timeline.png").stat().st_size > 3_000


def test_its_options_are_set_and_checked_by_name(footfall):
    words = ("--from", "0,0", "--to", "0,2", "--method", "toy", "-o", "t.npz", "--json")
    _, slow, _ = footfall(*words, "--set", "stride=0.6")
    _, quick, _ = footfall(*words, "--set", "stride=1.0")
    assert json.loads(quick)["frames"] < json.loads(slow)["frames"]
    code, _, err = footfall(*words, "--set", "stride=100")
    assert (code, "stride is 100" in err) == (2, True)


def test_a_task_file_names_it_with_its_options(footfall, tmp_path):
    (tmp_path / "t.toml").write_text(
        'from = [0, 0]\nto = [0, 2]\nmethod = "toy"\n[options]\nstride = 0.9\n'
    )
    code, out, _ = footfall("t.toml", "-o", "t.npz", "--json")
    assert (code, json.loads(out)["method"]) == (0, "toy")


def test_a_stage_it_cannot_do_is_refused_with_who_can(footfall):
    code, _, err = footfall("--path", "straight", "--method", "toy", "-o", "t.npz")
    assert code == 1
    assert "toy cannot do stage 1, 'follow'; graph or blending or optimal can" in err


def test_methods_are_listed_with_stages_and_options(footfall):
    code, out, _ = footfall("--methods")
    assert code == 0
    assert "graph: follows a path" in out
    assert "stages: go to, via, follow" in out
    assert "stride" in out
    _, out, _ = footfall("--methods", "--json")
    assert json.loads(out)["toy"]["stages"] == ["go to"]


def test_what_the_command_line_says_can_be_kept_as_a_task(footfall, tmp_path):
    words = ("--from", "0,0", "--via", "1,3", "--to", "0,6,90", "--speed", "1.1", "-o", "t.npz")
    assert footfall(*words, "--save-task", "kept.toml", "--json")[0] == 0
    assert "via" in (tmp_path / "kept.toml").read_text()
    code, out, _ = footfall("kept.toml", "-o", "u.npz", "--json")
    assert (code, json.loads(out)["status"]) == (0, "found")


SLOW = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it
import sys, time
from tests.contracts import toy_method
from footfall.task.method import register_method
class Slow(toy_method.Toy):
    name = "slow"
    def search(self, model, problem, watch):
        for made in super().search(model, problem, watch):
            yield made
            print("ready", flush=True)
            for _ in range(600):
                watch.check()
                time.sleep(0.1)
register_method(Slow())
from footfall.cli.main import main
main()
"""


def interrupt(program: str, words: list[str], folder: Path) -> tuple[int, str, str]:
    """Run a program until it says that it is ready, then press Ctrl-C: code, output, errors."""
    project = Path(__file__).resolve().parents[2]
    running = subprocess.Popen(
        [sys.executable, "-c", program, *words], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(project), str(project / "src")])},
    )  # fmt: skip
    assert running.stdout is not None
    for line in running.stdout:
        if line.strip() == "ready":
            break
    time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    return running.returncode, out, err


def test_ctrl_c_saves_the_best_motion_so_far_and_says_so(few_takes, tmp_path):
    words = ["plan", "--from", "0,0", "--to", "0,2", "--method", "slow", "-o", "t.npz",
             "--library", str(few_takes)]  # fmt: skip
    code, _, err = interrupt(SLOW, words, tmp_path)
    assert code == 130
    assert err == "footfall: interrupted; the best motion so far is saved\n"
    assert (tmp_path / "t.npz").stat().st_size > 1_000


SEARCHING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import time
from footfall.optimal.method import OptimalMethod
search = OptimalMethod.search
def search_on(self, model, problem, watch):
    for made in search(self, model, problem, watch):
        yield made
        print("ready", flush=True)
    while True:
        watch.check()
        time.sleep(0.1)
OptimalMethod.search = search_on
from footfall.cli.main import main
main()
"""


def test_ctrl_c_in_the_midst_of_an_optimal_search_saves_the_best_so_far(few_takes, tmp_path):
    words = ["plan", "--from", "0,0", "--to", "0,3", "--method", "optimal", "--seconds", "600",
             "--library", str(few_takes), "-o", "t.npz"]  # fmt: skip
    code, out, err = interrupt(SEARCHING, words, tmp_path)
    assert code == 130, err
    assert "the best motion so far is saved" in err
    assert "t.npz" in out
    assert "times the least" in out
    assert (tmp_path / "t.npz").stat().st_size > 1_000
    assert (tmp_path / "t.anytime.png").stat().st_size > 1_000
