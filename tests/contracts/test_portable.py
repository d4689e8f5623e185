"""The package runs on Linux, macOS and Windows: what only some systems have is guarded."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from footfall.processes import usable_cores
from footfall.roadmap.build import build_roadmap
from tests.roadmap.small_world import small_table, yard

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "footfall"
ONLY_SOME_SYSTEMS = {
    "os": {
        "sched_getaffinity", "sched_setaffinity", "getuid", "geteuid", "getgid", "fork", "forkpty",
        "nice", "setsid", "killpg", "getpgid", "getloadavg", "uname", "statvfs", "mkfifo", "chown",
        "O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "O_CLOEXEC", "pread", "sendfile", "wait3",
        "sysconf", "ctermid", "getresuid",
    },
    "signal": {"SIGKILL", "SIGALRM", "SIGHUP", "SIGQUIT", "SIGPIPE", "alarm", "setitimer",
               "pthread_kill", "pthread_sigmask", "sigwait", "pause"},
    "time": {"CLOCK_MONOTONIC", "CLOCK_PROCESS_CPUTIME_ID", "clock_gettime", "tzset"},
}  # fmt: skip
ONLY_SOME_MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "pty", "syslog", "posix"}


def _guarded_names(tree: ast.AST) -> set[str]:
    """The names that a module asks for with hasattr or getattr before it uses them."""
    return {
        call.args[1].value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in {"hasattr", "getattr"}
        and len(call.args) > 1
        and isinstance(call.args[1], ast.Constant)
        and isinstance(call.args[1].value, str)
    }


def test_what_only_some_systems_have_is_guarded() -> None:
    unguarded = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"\b(os|signal|time)\.|^\s*import (fcntl|resource|pwd|grp)", text, re.M):
            continue
        tree = ast.parse(text)
        guarded = _guarded_names(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.attr in ONLY_SOME_SYSTEMS.get(node.value.id, set()) - guarded:
                    unguarded.append(f"{path.relative_to(PACKAGE)}: {node.value.id}.{node.attr}")
            elif isinstance(node, ast.Import) and "sys.platform" not in text:
                names = {alias.name for alias in node.names} & ONLY_SOME_MODULES
                unguarded += [f"{path.relative_to(PACKAGE)}: import {name}" for name in names]
    assert not unguarded


@pytest.mark.parametrize("cores", [None, 3])
def test_a_roadmap_is_built_where_the_system_cannot_tell_which_cores_are_allowed(
    monkeypatch: pytest.MonkeyPatch, cores: int | None
) -> None:
    usual = build_roadmap(small_table(150, 0), yard())
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert usable_cores() == (cores or 1)
    made = build_roadmap(small_table(150, 0), yard())
    assert len(made.edges) == len(usual.edges) > 0


def test_modules_are_compiled_once_where_bytecode_may_not_stand_beside_sources(
    tmp_path: Path,
) -> None:
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "FOOTFALL_CACHE": str(tmp_path)}
    environ.pop("PYTHONPYCACHEPREFIX", None)
    command = [sys.executable, "-m", "footfall.cli.main", "scene", "list"]

    def run() -> dict[Path, int]:
        subprocess.run(command, env=environ, capture_output=True, check=True)
        return {file: file.stat().st_mtime_ns for file in (tmp_path / "bytecode").rglob("*.pyc")}

    first = run()
    assert any("footfall" in file.parts for file in first)
    assert run() == first
