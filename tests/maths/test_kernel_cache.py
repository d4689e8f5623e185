"""Compiled kernels are kept for every checkout, and only as long as nothing they use changes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ASK = """
import sys
sys.path.insert(0, {folder!r})
from copied.here.caller_kernels import call
print(call(1.0), sum(call.stats.cache_hits.values()))
"""
CALLER = """
from footfall.maths.jit_kernels import kernel
{imports}
@kernel
def call(x):
    return {callee}(x) + MORE
"""
CALLEE = """
from footfall.maths.jit_kernels import kernel
@kernel
def add(x):
    return x + {}
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package whose kernel calls one in another folder and reads a constant from a third."""
    package = tmp_path / "copied"
    for folder in (package, package / "here", package / "elsewhere"):
        folder.mkdir()
        (folder / "__init__.py").write_text("")
    (package / "elsewhere" / "callee_kernels.py").write_text(CALLEE.format(1.0))
    (package / "numbers.py").write_text("MORE = 0.0\n")
    imports = "from copied.elsewhere.callee_kernels import add\nfrom copied.numbers import MORE"
    write_caller(package, imports, "add")
    return package


def write_caller(package: Path, imports: str, callee: str) -> None:
    code = CALLER.format(imports=imports, callee=callee)
    (package / "here" / "caller_kernels.py").write_text(code)


STARTER = """
import json, os, sys
import footfall.maths.jit_kernels
for line in sys.stdin:
    code, cache = json.loads(line)
    child = os.fork()
    if child == 0:
        os.environ["FOOTFALL_KERNELS"] = cache
        exec(code)
        sys.stdout.flush()
        os._exit(0)
    code = os.waitpid(child, 0)[1]
    print("ended" if code == 0 else f"failed {code}", flush=True)
"""
"""Starts a process for each program that it is told; numba is imported once for all of them."""


@pytest.fixture(scope="module")
def starter() -> Iterator[subprocess.Popen[str]]:
    if not hasattr(os, "fork"):
        pytest.skip("processes are started the way of POSIX")
    with subprocess.Popen(
        [sys.executable, "-B", "-c", STARTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True,
    ) as process:  # fmt: skip
        yield process
        assert process.stdin is not None
        process.stdin.close()


Run = Callable[..., list[str]]


@pytest.fixture
def run(starter: subprocess.Popen[str]) -> Run:
    """Run a program that uses a package, in a process of its own; return the words it prints."""

    def start(package: Path, cache: Path, code: str = ASK) -> list[str]:
        assert starter.stdin is not None
        assert starter.stdout is not None
        told = [code.format(folder=str(package.parent)), str(cache)]
        starter.stdin.write(json.dumps(told) + "\n")
        starter.stdin.flush()
        words: list[str] = []
        for line in starter.stdout:
            if line.startswith(("ended", "failed")):
                assert line == "ended\n"
                break
            words += line.split()
        return words

    return start


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_elsewhere_has_changed(
    run: Run, package: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    assert run(package, cache) == ["2.0", "0"]
    assert run(package, cache) == ["2.0", "1"]
    (package / "elsewhere" / "callee_kernels.py").write_text(CALLEE.format(5.0))
    assert run(package, cache) == ["6.0", "0"]
    (package / "elsewhere" / "callee_kernels.py").write_text(CALLEE.format(1.0))
    assert run(package, cache) == ["2.0", "1"]


@pytest.mark.parametrize(
    "imports",
    [
        "from copied.elsewhere import callee_kernels\nfrom copied.numbers import MORE",
        "from copied.elsewhere import (\n    callee_kernels,\n)\nfrom copied.numbers import MORE",
        "import copied.elsewhere.callee_kernels as callee_kernels\nfrom copied.numbers import MORE",
    ],
)
def test_every_way_of_importing_a_callee_is_seen(
    run: Run, package: Path, tmp_path: Path, imports: str
) -> None:
    write_caller(package, imports, "callee_kernels.add")
    assert run(package, tmp_path / "cache") == ["2.0", "0"]
    (package / "elsewhere" / "callee_kernels.py").write_text(CALLEE.format(2.0))
    assert run(package, tmp_path / "cache") == ["3.0", "0"]


def test_a_kernel_is_compiled_anew_when_a_constant_that_it_reads_has_changed(
    run: Run, package: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    assert run(package, cache) == ["2.0", "0"]
    (package / "numbers.py").write_text("MORE = 0.5\n")
    assert run(package, cache) == ["2.5", "0"]


def test_another_checkout_with_the_same_source_finds_the_kernel_compiled(
    run: Run, package: Path, tmp_path: Path
) -> None:
    cache, other = tmp_path / "cache", tmp_path / "other"
    assert run(package, cache) == ["2.0", "0"]
    other.mkdir()
    package.rename(other / "copied")
    assert run(other / "copied", cache) == ["2.0", "1"]


def test_a_damaged_file_is_compiled_again(run: Run, package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    run(package, cache)
    for file in cache.rglob("*.kernel"):
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 0xFF
        file.write_bytes(content)
    assert run(package, cache) == ["2.0", "0"]
    assert run(package, cache) == ["2.0", "1"]


def test_a_cache_that_cannot_be_written_stops_nothing(
    run: Run, package: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    cache.write_text("a file where a folder should be")
    assert run(package, cache) == ["2.0", "0"]


SAME = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
from copied.one_kernels import total, _half
values = np.arange(4.0)
frozen = values.copy()
frozen.flags.writeable = False
print(total(values, 2), total(frozen, np.int32(2)), total(frozen, 2), len(total.signatures))
print(_half(3.0), len(_half.signatures))
"""
ONE = """
from footfall.maths.jit_kernels import kernel
@kernel
def _half(x):
    return 0.5 * x
@kernel
def total(values, most):
    found = 0.0
    for n in range(most):
        found += values[n] + _half(1.0)
    return found
"""


def test_frozen_arrays_and_other_integers_are_the_same_signature(
    run: Run, package: Path, tmp_path: Path
) -> None:
    (package / "one_kernels.py").write_text(ONE)
    # An inner kernel runs as it is written when Python calls it: nothing more is compiled.
    assert run(package, tmp_path / "cache", SAME) == ["2.0", "2.0", "2.0", "1", "1.5", "1"]


SHARED = """
import sys
sys.path.insert(0, {folder!r})
from copied.two_kernels import CALLER
try:
    CALLER(-1.0)
except ValueError as error:
    print(error.args[0], error.args[1])
print(CALLER(3.0))
"""
TWO = """
from footfall.maths.jit_kernels import kernel
@kernel
def _halve(x):
    if x < 0.0:
        raise ValueError("below", x)
    return 0.5 * x
@kernel
def one(x):
    return _halve(x)
@kernel
def two(x):
    return _halve(x) + one(x)
"""


def test_inner_kernels_serve_callers_that_other_processes_compile_later(
    run: Run, package: Path, tmp_path: Path
) -> None:
    # What a kernel raises looks up objects in its environment, which its callers have to set.
    (package / "two_kernels.py").write_text(TWO)
    for caller, half in (("one", "1.5"), ("two", "3.0"), ("two", "3.0")):
        code = SHARED.replace("CALLER", caller)
        words = run(package, tmp_path / "cache", code)
        assert words[:3] == ["below", "-1.0", half]
    kept = [file.name for file in (tmp_path / "cache").rglob("*halve*.kernel")]
    assert len(kept) == 1


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, dict[str, Path]]:
    """The files of a kernel that is kept, and where: its file, its folder, the cache's folder."""
    from footfall.maths.jit_kernels import _KernelFiles, kernels_folder

    kernels_folder.cache_clear()
    monkeypatch.setenv("FOOTFALL_KERNELS", str(tmp_path / "above" / "cache"))
    mask = os.umask(0)
    try:
        files = _KernelFiles("some.kernels", "add")
        files.save("key", "code")
    finally:
        os.umask(mask)
    assert files.load("key") == "code"
    file = files.path("key")
    return files, {"file": file, "folder": file.parent, "root": file.parent.parent}


LEVELS = pytest.mark.parametrize("level", ["file", "folder", "root"])


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps the files of users apart by itself")
@pytest.mark.parametrize("mode", [0o720, 0o702])
@LEVELS
def test_code_that_other_users_may_write_is_not_loaded(kept: Any, level: str, mode: int) -> None:
    files, places = kept
    places[level].chmod(mode)
    assert files.load("key") is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows keeps users apart by itself")
@LEVELS
def test_code_that_belongs_to_another_user_is_not_loaded(
    kept: Any, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, places = kept
    if os.getuid() == 0:
        os.chown(places[level], 12345, 12345)
    else:  # only root can give files away: let us be another user instead
        monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert files.load("key") is None


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps the files of users apart by itself")
def test_the_cache_is_private_whatever_the_mask(kept: Any) -> None:
    _, places = kept
    modes = {level: place.stat().st_mode & 0o777 for level, place in places.items()}
    assert modes == {"file": 0o600, "folder": 0o700, "root": 0o700}
    assert places["root"].parent.stat().st_mode & 0o777 == 0o777


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps the files of users apart by itself")
def test_an_own_folder_that_others_may_write_to_is_closed_when_code_is_kept_again(
    kept: Any,
) -> None:
    files, places = kept
    places["folder"].chmod(0o777)
    files.save("key", "code")
    assert files.load("key") == "code"
    # The folder that FOOTFALL_KERNELS names may hold other things: it stays as it is.
    places["root"].chmod(0o777)
    files.save("key", "code")
    assert files.load("key") is None
    assert places["root"].stat().st_mode & 0o777 == 0o777
