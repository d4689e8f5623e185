"""What the tests share: where the real clips are, and reproducible random input."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tools.test_clips import clips_folder

from footfall.cache_paths import kernels_root
from footfall.task.method import forget_method, method_names
from tests.order import read_durations, spread, write_durations
from tests.prepare import prepare
from tests.sweeps import THOROUGH, load_profile

load_profile()

PROJECT = Path(__file__).resolve().parent.parent

if sys.dont_write_bytecode:
    # Else each process that a test starts would compile numba, scipy and Footfall from source.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    kept = os.environ.setdefault("PYTHONPYCACHEPREFIX", str(PROJECT / ".pytest_cache/bytecode"))
    sys.pycache_prefix = kept

# Compiled kernels, default clips and the models made of them are shared by all tests and runs: they
# are addressed by what they are made of. Tests that need an empty cache set FOOTFALL_CACHE.
os.environ.setdefault("FOOTFALL_KERNELS", str(kernels_root()))


def pytest_configure(config: pytest.Config) -> None:
    """Make on all cores what is not in the cache yet, before workers would each do so."""
    is_worker = hasattr(config, "workerinput")
    if is_worker or not config.getoption("numprocesses", None) or config.option.collectonly:
        return
    prepare()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record-durations", action="store_true",
        help="write how long each file takes to tests/durations.json, for the order of tests",
    )  # fmt: skip


def pytest_collection_finish(session: pytest.Session) -> None:
    """Spare the collector of garbage what stays: modules and tests, half a million objects."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what `make test-all` alone does; spread long files over the workers."""
    left_out = [] if THOROUGH else [item for item in items if item.get_closest_marker("thorough")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    if workers > 1:
        files = [item.nodeid.partition("::")[0] for item in items]
        items[:] = [items[k] for k in spread(files, read_durations(), workers)]


def mocap_folder() -> Path | None:
    """Return the folder of real clips if it is complete (`make test-clips` explains it)."""
    folder = clips_folder()
    return folder if (folder / "INDEX.csv").is_file() else None


def mocap_hard_folder() -> Path | None:
    """The folder of real clips that are hard to read: mocap_hard beside that of the others."""
    easy = mocap_folder()
    folder = easy.parent / "mocap_hard" if easy else None
    return folder if folder and (folder / "INDEX.csv").is_file() else None


@pytest.fixture(scope="session")
def mocap() -> Path:
    folder = mocap_folder()
    if folder is None:
        pytest.skip("no real clips: `make test-clips` explains where they come from")
    return folder


@pytest.fixture(scope="session")
def mocap_hard() -> Path:
    folder = mocap_hard_folder()
    if folder is None:
        pytest.skip("no hard real clips: put a folder mocap_hard beside that of FOOTFALL_MOCAP")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _graphs_stay() -> None:
    """Graphs of small libraries do not remove that of the default clips from the cache."""
    from footfall.optimal import store

    store._PRODUCTS.most_kept = 16


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20030)


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    """The program, run by a test in this process, ends by ignoring signals; the tests do not."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)


@pytest.fixture(autouse=True)
def _own_methods() -> Iterator[None]:
    """A planner that a test or an example made known is forgotten after it."""
    before = set(method_names())
    yield
    for name in set(method_names()) - before:
        forget_method(name)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Record durations; fail for a skipped test where nothing may be (FOOTFALL_NOTHING_SKIPPED)."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and session.config.getoption("record_durations"):
        phases = (p for of_outcome in reporter.stats.values() for p in of_outcome)
        write_durations([p for p in phases if isinstance(p, pytest.TestReport)])
    if reporter is None or not os.environ.get("FOOTFALL_NOTHING_SKIPPED"):
        return
    skipped = reporter.stats.get("skipped", [])
    if skipped and exitstatus == 0:
        reporter.write_line(f"{len(skipped)} tests were skipped, and none may be here", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
