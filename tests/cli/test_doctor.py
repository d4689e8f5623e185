"""`footfall doctor`, completion and progress without a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from footfall.cli import output as output_module
from footfall.cli.completion import complete_method
from footfall.cli.output import Output
from footfall.task.method import AUTO, SYSTEMS
from footfall.verbs import doctor as doctor_module
from footfall.verbs.doctor import doctor, folder_sizes
from footfall.verbs.warmup_jobs import JOBS, compiling_seconds
from tests.program import run_program


def test_the_state_of_the_installation_is_one_json_object() -> None:
    found = json.loads(run_program("doctor", "--json").stdout)
    assert set(found) == {"versions", "system", "cache", "kernels", "extras", "advice"}
    assert found["versions"]["numpy"][0].isdigit()
    assert found["kernels"]["groups"] == len(JOBS)
    assert found["system"]["cores"] >= 1


def test_an_empty_cache_is_advised_to_be_warmed_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOOTFALL_KERNELS", str(tmp_path / "kernels"))
    found = doctor()
    assert found.kernels["compiled"] == 0
    assert any("footfall warmup" in sentence for sentence in found.advice)


def test_what_is_missing_is_advised_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_module, "required_packages", lambda: ["numpy", "no-such-package"])
    monkeypatch.setattr(doctor_module, "EXTRAS", {"usd": ("no_such_module",)})
    found = doctor()
    assert found.versions["no-such-package"] == "missing"
    assert "install what is missing: pip install no-such-package" in found.advice
    assert any("footfall[usd]" in sentence for sentence in found.advice)


def test_sizes_of_a_cache_are_by_part_and_largest_first(tmp_path: Path) -> None:
    for name, size in (("small", 100_000), ("large", 2_000_000)):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "file").write_bytes(bytes(size))
    assert folder_sizes(tmp_path) == {"large": 2.0, "small": 0.1}
    assert list(folder_sizes(tmp_path)) == ["large", "small"]
    assert folder_sizes(tmp_path / "nowhere") == {}


def test_every_group_of_kernels_has_an_estimate_and_fewer_take_less_time() -> None:
    assert all(compiling_seconds([name]) > 0.0 for name in JOBS)
    assert compiling_seconds(JOBS) > compiling_seconds(list(JOBS)[1:]) > 0.0
    assert compiling_seconds([]) == 0.0


def completed(words: str, shell: str) -> str:
    """Return what a shell offers for the last word of a command line."""
    last = str(len(words.split()) - 1)
    asked = {
        "bash": {"COMP_WORDS": words, "COMP_CWORD": last},
        "zsh": {"_TYPER_COMPLETE_ARGS": words},
        "fish": {"_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    code = "import sys; sys.argv = ['footfall']; from footfall.cli.main import main; main()"
    environ = {**os.environ, "_FOOTFALL_COMPLETE": f"complete_{shell}", **asked}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
                          check=True, env=environ).stdout  # fmt: skip


@pytest.mark.parametrize(
    ("shell", "words", "expected"),
    [("bash", "footfall ver", "verify"), ("bash", "footfall plan --sce", "--scene"),
     ("zsh", "footfall plan --scene hi", "hills"), ("fish", "footfall demo --sce", "--scene")],
)  # fmt: skip
def test_shells_complete_commands_options_and_names(shell: str, words: str, expected: str) -> None:
    assert expected in completed(words, shell)
    assert "convert" not in completed(words, shell)


def test_methods_are_completed() -> None:
    assert set(complete_method("")) == {AUTO, *SYSTEMS}
    assert complete_method("opt") == ["optimal"]


def test_progress_without_a_terminal_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter([0.0, 1.0, 11.0, 11.0, 12.0, 25.0, 25.0])
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))
    with output_module._PlainLines("building") as progress:
        for share in (0.1, 0.4, 0.5):
            progress.show(share, "clips")
        progress.show(1.0)
    assert capsys.readouterr().err == "building: clips: 40 %\nbuilding: 100 %\n"


def test_quiet_work_writes_no_progress(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output_module, "SECONDS_BETWEEN_LINES", 0.0)
    with Output(quiet=True).progress("building") as progress:
        progress(0.5)
    with Output().progress("building") as progress:
        progress(0.5)
    assert capsys.readouterr().err == "building: 50 %\n"
