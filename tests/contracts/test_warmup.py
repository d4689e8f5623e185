"""`warmup` leaves no kernel uncompiled."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from footfall.cache_paths import kernels_root
from footfall.maths import jit_kernels
from footfall.task.method import SYSTEMS
from footfall.verbs import warmup as warmup_module
from footfall.verbs.warmup import compile_kernels, is_done, kernel_modules, kernels_of
from footfall.verbs.warmup_jobs import JOBS, planning_jobs
from tests.documented import command
from tests.program import run_program

PLANNING = planning_jobs("roadmap")
PACKAGE = Path(__file__).resolve().parents[2] / "src" / "footfall"


def names_used_from_python() -> set[tuple[str, str]]:
    """(module, name) of whatever modules that hold no kernels take from those that do."""
    used = set()
    for path in PACKAGE.rglob("*.py"):
        if path.stem.endswith("kernels"):
            continue
        text = path.read_text()
        if "kernels" not in text:
            continue
        tree = ast.parse(text)
        modules: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    if node.module.endswith("kernels"):
                        used.add((node.module, alias.name))
                    elif alias.name.endswith("kernels"):
                        full = f"{node.module}.{alias.name}"
                        modules[alias.asname or alias.name] = full
        for node in ast.walk(tree):
            owner = node.value if isinstance(node, ast.Attribute) else None
            if isinstance(owner, ast.Name) and owner.id in modules:
                used.add((modules[owner.id], node.attr))
    return used


def callees(kernel: Any) -> list[Any]:
    """The kernels that a kernel calls."""
    function = kernel.py_func
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    return [value for value in named if hasattr(value, "signatures")]


WARMUP = """
import json, sys
from numba.core.event import Listener, install_listener
from footfall import GoTo, Place, Query
from footfall.verbs.planner import planner
from footfall.verbs.warmup import kernel_modules, kernels_of, warmup
from footfall.task.method import SYSTEMS
from footfall.world.scene import Scene, rectangle
from tests.world.scenes import upright_box

class Compiled(Listener):
    def __init__(self):
        self.names = []
    def on_start(self, event):
        self.names.append(str(event.data["dispatcher"].py_func))
    def on_end(self, event):
        pass

heard = Compiled()
warmup(processes=1)
kernels = {m.__name__: kernels_of(m) for m in kernel_modules()}
counts = {
    m: {n: (len(k.signatures), len(k.overloads)) for n, k in own.items()}
    for m, own in kernels.items()
}
few = {"roadmap": {"nodes": 300, "more": 50}, "optimal": {"near_enough": 1000.0}}
box = upright_box(1.2, 1.5, (0.5, 1.0, 0.5))
scene = Scene("new", rectangle([-3.0, -3.0], [3.0, 6.0]), obstacles=(box,))
ahead = Query(Place(0.0, 0.0), GoTo(0.0, 3.0), scene)
after, statuses = {}, {}
with install_listener("numba:compile", heard):
    for library in sys.argv[1:]:
        for method in SYSTEMS:
            for model in ("fresh", "loaded"):
                made = planner(method, library=library, **few.get(method, {})).plan(ahead)
                key = f"{method}, {model} model of {library.rsplit('/', 1)[-1]}"
                after[key], statuses[key] = sorted(set(heard.names)), f"{made.status} {made.reason}"
                heard.names.clear()
print(json.dumps([counts, after, statuses]))
"""
Warmed = dict[tuple[str, str], tuple[int, int]]
REAL = ("B1_StandToWalk", "B2_WalkToStand", "B3_Walk", "B9_WalkToTurnLeft90",
        "B12_WalkTurnRight90")  # fmt: skip


@pytest.fixture(scope="module")
def warmup_and_plans(few_takes: Path, mocap: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What is compiled by `warmup`, and by plans after it with models fresh and loaded.

    In a process of its own: other tests call kernels with what real work does not have.
    """
    folder = tmp_path_factory.mktemp("warmup")
    for name in REAL:
        (folder / "real").mkdir(exist_ok=True)
        shutil.copy(mocap / "accad_male1" / f"Male1_{name}.bvh", folder / "real")
    done = subprocess.run(
        [sys.executable, "-c", WARMUP, str(few_takes), str(folder / "real")],
        capture_output=True, text=True, check=False,
        env={**os.environ, "FOOTFALL_CACHE": str(folder / "cache")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    kept = {path.name for path in (folder / "cache").iterdir()}
    assert {"moves", "roadmaps", "graphs", "blendspaces", "interpolated-graphs"} <= kept
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def warmed(warmup_and_plans: Any) -> Warmed:
    """By module and name of every kernel, after `warmup`, the number of its signatures, and of
    those with a way in from Python.
    """
    found = warmup_and_plans[0]
    return {(module, name): tuple(n) for module, own in found.items() for name, n in own.items()}


def test_after_warmup_no_plan_compiles_anything(warmup_and_plans: Any) -> None:
    """With all systems, clips made and real, and models freshly built and loaded."""
    _, compiled, statuses = warmup_and_plans
    assert set(statuses.values()) == {"found "}
    assert len(compiled) == 4 * len(SYSTEMS)
    assert {key: names for key, names in compiled.items() if names} == {}


def test_every_kernel_that_python_calls_is_compiled(warmed: Warmed) -> None:
    # Python runs helpers of kernels as they are written.
    kernels = {(m.__name__, n): k for m in kernel_modules() for n, k in kernels_of(m).items()}
    helpers = {
        key for key, kernel in kernels.items() if isinstance(kernel, jit_kernels._InnerKernel)
    }
    entries = names_used_from_python() & set(warmed) - helpers
    assert len(entries) > 20
    assert [key for key in sorted(entries) if not warmed[key][1]] == []


def test_every_other_kernel_is_part_of_a_compiled_one(warmed: Warmed) -> None:
    # A kernel loaded from disk brings along what it calls without compiling that by itself.
    kernels = {(m.__name__, n): k for m in kernel_modules() for n, k in kernels_of(m).items()}
    todo = [kernels[key] for key, (count, _) in warmed.items() if count]
    reached = set(map(id, todo))
    while todo:
        for other in callees(todo.pop()):
            if id(other) not in reached:
                reached.add(id(other))
                todo.append(other)
    assert [key for key, kernel in sorted(kernels.items()) if id(kernel) not in reached] == []


def test_every_kernel_is_called_from_python_with_one_signature(warmed: Warmed) -> None:
    # These take numbers of several kinds, or tuples of several lengths, by design.
    several = {"put", "copy_values", "copy_rows"}
    kernels = {(m.__name__, n): k for m in kernel_modules() for n, k in kernels_of(m).items()}
    # What kernels call has a twin for them; that of one without is all there is of it.
    entries = {key for key, kernel in kernels.items() if hasattr(kernel, "inner")}
    counts = {key: warmed[key][1] for key in entries if key[1] not in several}
    assert {key: n for key, n in counts.items() if n > 1} == {}
    assert sum(n == 1 for n in counts.values()) > 40


def test_what_one_process_compiled_the_next_one_loads(warmed: Warmed) -> None:
    shares: list[float] = []
    jobs = ["files", "scenes", "shortest paths"]
    again = warmup_module._do_jobs(jobs, lambda share, note: shares.append(share), 1)
    assert again.compiled == 0
    assert again.modules == len(list(kernel_modules()))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_what_was_compiled_is_known_until_a_module_changes(
    warmed: dict[tuple[str, str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(is_done(name) for name in PLANNING)
    assert compile_kernels(PLANNING).jobs == ()
    known = jit_kernels.kernels_folder
    monkeypatch.setattr(
        jit_kernels,
        "kernels_folder",
        lambda m: known(m).with_name("other") if "body" in m else known(m),
    )
    assert not is_done("kinematics and contacts")


def test_processes_side_by_side_leave_caches_that_are_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = ["files", "kinematics and contacts"]
    # In processes that have done nothing else, so that they note what these jobs use.
    warmup_module._do_jobs(jobs, None, 2)
    cache = tmp_path / "kernels"
    noted = [json.loads(warmup_module._note_of(name).read_text()) for name in jobs]
    for folder in {*noted[0].values(), *noted[1].values()}:
        shutil.copytree(kernels_root() / folder, cache / folder)
    both = {cache / folder for folder in set(noted[0].values()) & set(noted[1].values())}
    shutil.rmtree(min(both, key=lambda folder: len(list(folder.iterdir()))))
    monkeypatch.setenv("FOOTFALL_KERNELS", str(cache))
    shares: list[float] = []
    first = warmup_module._do_jobs(jobs, lambda share, note: shares.append(share), 2)
    assert {job.name for job in first.jobs} == set(jobs)
    assert first.compiled > 0  # both need the kernels of the folder that is missing
    assert shares == sorted(shares)
    again = warmup_module._do_jobs(jobs, None, 2)
    assert (again.compiled, again.loaded > 0) == (0, True)
    assert list(tmp_path.rglob("*.tmp")) == []


def test_a_job_whose_process_dies_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup_module.sys, "executable", "/bin/false")
    done = warmup_module._do_jobs(["files", "kinematics and contacts"], None, 2)
    assert len(done.jobs) == 2


def test_the_verb_does_every_job_and_says_what_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: JOBS[name] for name in ("shortest paths",)}
    monkeypatch.setattr("footfall.verbs.warmup_jobs.JOBS", few)
    done = run_program(*command("warmup"))
    assert done.returncode == 0, done.stderr
    assert "shortest paths" in done.stdout
    assert "kernels compiled" in done.stdout


def test_where_nothing_can_be_kept_nothing_is_compiled_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    monkeypatch.setenv("FOOTFALL_KERNELS", str(tmp_path / "cache"))
    assert compile_kernels(PLANNING).jobs == ()


def test_a_plan_waits_for_the_kernels_of_its_own_method_alone() -> None:
    own = {"roadmap": "roadmaps", "graph": "motion graphs", "blending": "blending",
           "optimal": "least effort"}  # fmt: skip
    assert set(own) == set(SYSTEMS)
    for method, job in own.items():
        jobs = set(planning_jobs(method))
        assert jobs <= set(JOBS)
        assert jobs & set(own.values()) == {job}
