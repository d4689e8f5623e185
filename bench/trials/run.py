"""Plan the trials of some seeds, one by one, in a process that may be stopped.

python -m bench.trials run --seeds 1-223:2 --to out/trials/after [--time-s 30]

Each answer is one line of `answers.jsonl` in the folder, each motion a BVH and an NPZ file beside
it. Seeds that have an answer are skipped, so that a run can be stopped and continued.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing as mp
import os
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tools.test_clips import clips_folder

from bench.trials.generate import (
    AUTO,
    DEFAULT,
    ENOUGH_S,
    GRAPH,
    OPTIMAL,
    ROADMAP,
    TIME_S,
    Trial,
    make_trial,
)

MOST_S, MOST_WAIT_S = 90.0, 300.0
"""A task is stopped after this many seconds of computing, or of waiting on a busy machine."""
WARM_UP_S = 900.0
"""Libraries and graphs that are built at the first use do not count, up to this time."""
_POLL_S = 0.25
_END_S = 5.0
"""How long a process without work may take to end."""
_FLOOR = """
name = "floor"
size = [6.0, 8.0]
[[hole]]
at = [1.5, 2.5]
size = [1.0, 1.0]
depth = 0.6
[[obstacle]]
kind = "stone"
at = [1.5, 2.5]
radius = 0.3
height = 0.6
[[obstacle]]
kind = "box"
at = [-1.5, 2.0]
size = [0.6, 1.0, 0.6]
"""
STOPPED, FAILED = "stopped", "failed"
Answer = dict[str, Any]


def seeds_of(text: str) -> list[int]:
    """Return the seeds of a list like "0-40:2,7"."""
    found: list[int] = []
    for part in text.split(","):
        span, _, step = part.partition(":")
        first, _, last = span.partition("-")
        found += range(int(first), int(last or first) + 1, int(step or 1))
    return found


def read_answers(folder: Path) -> dict[int, Answer]:
    """Return the answers in a folder by seed, the last of each."""
    file = folder / "answers.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return {row["seed"]: row for row in map(json.loads, lines)}


def motion_file(folder: Path, trial: Trial, suffix: str = "bvh") -> Path:
    """Return the file of a trial's motion."""
    return folder / f"{trial.name.replace(' ', '_')}.{suffix}"


# ---- in the process that plans ----------------------------------------------------------------


class Desk:
    """Plans trials; planners are kept, since every trial has a scene of its own."""

    def __init__(self) -> None:
        self._planners: dict[tuple[str, str], Any] = {}

    def planner(self, method: str, library: str) -> Any:
        """Return the planner of a method with a library."""
        import footfall

        key = method, library
        if key not in self._planners:
            clips = library if library == DEFAULT else clips_folder() / library
            self._planners[key] = footfall.planner(method, library=clips)
        return self._planners[key]

    def warm_up(self, trial: Trial) -> None:
        """Build what a first query builds: libraries, graphs, compiled kernels."""
        from footfall import GoTo, Place, Query
        from footfall.files.scene.read import parse_scene

        wanted = [trial.method] if trial.method != AUTO else [GRAPH, ROADMAP]
        if trial.method == AUTO and trial.family in ("bar", "chair", "pick"):
            wanted = [OPTIMAL]
        for method in wanted:
            if (method, trial.library) not in self._planners:
                floor = parse_scene(_FLOOR)
                query = Query(Place(0.0, -2.0, 0.0), GoTo(0.0, 2.0), scene=floor)
                plan_for(self.planner(method, trial.library), query, WARM_UP_S, 0.0)

    def answer(self, trial: Trial, folder: Path, time_s: float) -> Answer:
        """Plan a trial, write its motion, and return what became of it."""
        import footfall

        query = query_of(trial)
        began, busy = time.perf_counter(), time.process_time()
        made = plan_for(self.planner(trial.method, trial.library), query, time_s, ENOUGH_S)
        took, cpu = time.perf_counter() - began, time.process_time() - busy
        row: Answer = {
            "status": made.status, "reason": made.reason, "by": made.method,
            "took_s": round(took, 2), "cpu_s": round(cpu, 2), "notes": list(made.notes),
        }  # fmt: skip
        if made.clip is not None:
            row["seconds"] = round(len(made.clip) / made.clip.fps, 2)
            row["bound"] = float(made.bound)
            row["verify"] = verify_failures(made.clip, query, trial.library, made.method)
            for suffix in ("bvh", "npz"):
                footfall.save(made.clip, motion_file(folder, trial, suffix))
        return row


def plan_for(planner: Any, query: Any, time_s: float, enough_s: float) -> Any:
    """Return the best plan within seconds of computing, which do not depend on other programs.

    enough_s  the first motion that is found after this many seconds is enough
    """
    from footfall import Watch

    watch, began, over = Watch(), time.process_time(), threading.Event()

    def wait() -> None:
        while not over.wait(_POLL_S):
            if time.process_time() - began > time_s:
                watch.cancel()

    threading.Thread(target=wait, daemon=True).start()
    made = None
    try:
        for made in planner.plans(query, watch):
            if made.found and time.process_time() - began > enough_s:
                break
    finally:
        over.set()
    return made


def query_of(trial: Trial) -> Any:
    """Return the query of a trial."""
    import footfall as f
    from footfall.files.scene.read import parse_scene

    makers: dict[str, Any] = {
        "go to": f.GoTo, "via": f.Via, "stand on": f.StandOn, "pick": f.Pick, "sit": f.Sit,
        "stand up": f.StandUp, "duck": f.Duck, "follow": f.Follow,
    }  # fmt: skip
    stages = []
    for table in trial.stages:
        more = {k: v for k, v in table.items() if k not in ("do", "at")}
        stages.append(makers[table["do"]](*table.get("at", ()), **more))
    return f.Query(f.Place(*trial.start), stages, scene=parse_scene(trial.scene))


def verify_failures(clip: Any, query: Any, library: str, method: str) -> list[str] | None:
    """Return what the project's own check finds; None in versions that have none.

    Limits of the body are measured from all clips that the method had.
    """
    try:
        from footfall.task.verify import anatomy_limits, verify
    except ImportError:
        return None
    from footfall import open_library
    from footfall.task.method import find_method

    clips = clips_folder() / library
    name = find_method(method).default_clips if library == DEFAULT else clips
    limits = anatomy_limits(tuple(open_library(name)))
    return [str(failure) for failure in verify(clip, query, limits=limits).failures]


def work(pipe: Connection, folder: Path, time_s: float) -> None:
    """Answer seeds from a pipe until it closes."""
    desk = Desk()
    while True:
        try:
            trial = make_trial(pipe.recv())
        except EOFError:  # all seeds have their answers
            return
        try:
            desk.warm_up(trial)
            pipe.send("ready")
            pipe.send(desk.answer(trial, folder, time_s))
        except Exception as error:  # the trial goes on with the next seed; the page counts it
            pipe.send("ready")
            pipe.send({"status": FAILED, "reason": f"{type(error).__name__}: {error}"})


# ---- in the process that waits ----------------------------------------------------------------


class Worker:
    """A process that plans, started when needed and stopped when a task takes too long."""

    def __init__(self, folder: Path, time_s: float) -> None:
        self._given = folder, time_s
        self._process: Any = None
        self._pipe: Any = None

    def ask(self, seed: int) -> Answer:
        """Return the answer to a seed; the process ends if there is none in time."""
        if self._process is None:
            context = mp.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=work, args=(theirs, *self._given), daemon=True)
            self._process.start()
            theirs.close()
        try:
            self._pipe.send(seed)
            if not self._receive(WARM_UP_S, WARM_UP_S):
                return self._stop("its library or graph took too long to build")
            row = self._receive(MOST_S, MOST_WAIT_S)
            if row is None:
                return self._stop(f"it took more than {MOST_S:g} s")
            return dict(row)
        except (EOFError, OSError):
            return self._stop("its process ended", FAILED)

    def close(self) -> None:
        """End the process, which waits for a seed."""
        if self._process is not None:
            self._pipe.close()
            self._process.join(_END_S)
            self._process.kill()  # one that plans on after Ctrl-C
            self._process = None

    def _receive(self, most_s: float, most_wait_s: float) -> Any:
        began, busy = time.monotonic(), _cpu_s(self._process.pid)
        while not self._pipe.poll(_POLL_S):
            waited = time.monotonic() - began
            if waited > most_wait_s or _cpu_s(self._process.pid) - busy > most_s:
                return None
        return self._pipe.recv()

    def _stop(self, why: str, status: str = STOPPED) -> Answer:
        self._process.kill()
        self._process.join()
        self._process = None
        return {"status": status, "reason": why}


def _cpu_s(process: int) -> float:
    """Return the seconds that a process has computed; 0 where the system does not tell."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def answers(
    seeds: list[int], folder: Path, time_s: float, most_s: float = math.inf, again: str = ""
) -> Iterator[Answer]:
    """Plan the trials of seeds that have no answer yet, and keep what becomes of them.

    most_s  no task begins after this many seconds
    again   a status whose trials are planned once more, as those stopped while kernels compiled
    """
    folder.mkdir(parents=True, exist_ok=True)
    worker, began = Worker(folder, time_s), time.monotonic()
    try:
        for seed in seeds:
            known = read_answers(folder).get(seed)  # another run may have written it
            if known is not None and known["status"] != again:
                continue
            if time.monotonic() - began > most_s:
                return
            trial = make_trial(seed)
            row = {
                "seed": seed, "family": trial.family, "method": trial.method,
                "library": trial.library, "time_s": time_s, **worker.ask(seed),
            }  # fmt: skip
            with (folder / "answers.jsonl").open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")
            yield row
    finally:
        worker.close()


def main(words: list[str]) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bench.trials run")
    parser.add_argument("--seeds", default="1-223:2", help="like 1-41:2,60")
    parser.add_argument("--to", type=Path, required=True, help="folder of the answers")
    parser.add_argument("--time-s", type=float, default=TIME_S, help="of computing, for a task")
    parser.add_argument("--most-s", type=float, default=math.inf, help="begin no task later")
    parser.add_argument("--again", default="", help="a status whose trials are planned once more")
    given = parser.parse_args(words)
    seeds = seeds_of(given.seeds)
    for row in answers(seeds, given.to, given.time_s, given.most_s, given.again):
        trial = make_trial(row["seed"])
        why = "; ".join([row["reason"], *(row.get("verify") or ())])
        print(f"{trial.name:44s} {row.get('took_s', 0.0):6.1f} s {row['status']}: {why}"[:240])
