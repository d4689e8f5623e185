"""Judge the answers to trials: motions by the reader of their files, refusals by flood fill.

python -m bench.trials judge out/trials/after [--family slot] [--all]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bench.trials.bvh import read_motion
from bench.trials.generate import Trial, make_trial
from bench.trials.oracle import BAD_GOAL, BAD_START, IMPOSSIBLE, NARROW, STEP, WALK, Oracle
from bench.trials.reader import Finding, check
from bench.trials.run import (
    FAILED,
    STOPPED,
    Answer,
    motion_file,
    query_of,
    read_answers,
    verify_failures,
)

ACCEPTED, REJECTED = "found", "found, but rejected"
REFUSED, FALSE_REFUSAL = "refused", "false refusal"
LATE, BROKEN = "out of time", "failed"
OUTCOMES = (ACCEPTED, REJECTED, REFUSED, FALSE_REFUSAL, LATE, BROKEN)
_LATE = (STOPPED, "out of time", "cancelled")
_FLOORS: dict[str, tuple[str, ...]] = {
    "slot": (WALK, STEP, NARROW),
    "around": (WALK,),
    "heading": (WALK,),
    "corridor": (WALK,),
    "via": (WALK,),
    "anywhere": (WALK,),
    "stairs up": (WALK, STEP, NARROW),
    "stairs down": (WALK, STEP, NARROW),
}
"""What the flood fill has to grant before a task counts as possible; others leave the floor."""


@dataclass(frozen=True)
class Judgement:
    """An answer with its outcome.

    findings  what the reader rejects
    verify    what the project's own check rejects
    """

    trial: Trial
    answer: Answer
    outcome: str
    findings: tuple[Finding, ...] = ()
    verify: tuple[str, ...] = ()

    def __str__(self) -> str:
        why = "; ".join([*map(str, self.findings), *(f"verify: {v}" for v in self.verify)])
        return f"{self.trial.name:44s} {self.outcome:20s} {self.answer['reason'] or why}"


def is_possible(trial: Trial, oracle: Oracle) -> bool:
    """Return whether flood fill and the reach of the clips show that a trial can be done."""
    if not trial.possible:
        return False
    points = [np.array(trial.start[:2])]
    for stage in trial.stages:
        if stage["do"] in ("go to", "via"):
            points.append(np.array(stage["at"]))
        elif stage["do"] == "follow":
            points += [np.array(p) for p in stage["path"][::6]]
    grades = [oracle.grade(a, b) for a, b in pairwise(points)]
    if any(grade in (IMPOSSIBLE, BAD_START, BAD_GOAL) for grade in grades):
        return False
    wanted = _FLOORS.get(trial.family)
    return wanted is None or all(grade in wanted for grade in grades)


def judge(trial: Trial, answer: Answer, folder: Path) -> Judgement:
    """Return the outcome of a trial."""
    status = answer["status"]
    if status == FAILED:
        return Judgement(trial, answer, BROKEN)
    if status in _LATE:
        return Judgement(trial, answer, LATE)
    from footfall import load
    from footfall.files.scene.read import parse_scene

    oracle = Oracle(parse_scene(trial.scene))
    if status != "found":
        blamed = {"start not valid": trial.start[:2], "goal not valid": _goal(trial)}.get(status)
        wrong = blamed is not None and oracle.is_sure(np.array(blamed))
        contradicted = wrong or is_possible(trial, oracle)
        return Judgement(trial, answer, FALSE_REFUSAL if contradicted else REFUSED)
    findings = check(read_motion(motion_file(folder, trial)), trial, oracle.world)
    failures = answer.get("verify")
    if failures is None:  # it was planned by a version without that check
        clip = load(motion_file(folder, trial, "npz"))
        failures = verify_failures(clip, query_of(trial), trial.library, answer["by"]) or ()
    outcome = REJECTED if findings or failures else ACCEPTED
    return Judgement(trial, answer, outcome, tuple(findings), tuple(failures))


def _goal(trial: Trial) -> Any:
    last = trial.stages[-1]
    return last.get("at", last.get("path", [trial.start[:2]])[-1])[:2]


def judge_all(folder: Path) -> list[Judgement]:
    """Return the outcomes of all answers in a folder, by seed."""
    known = sorted(read_answers(folder).items())
    return [judge(make_trial(seed), answer, folder) for seed, answer in known]


def main(words: list[str]) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bench.trials judge")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--family")
    parser.add_argument("--all", action="store_true", help="also what was found and accepted")
    given = parser.parse_args(words)
    for one in judge_all(given.folder):
        if given.family in (None, one.trial.family) and (given.all or one.outcome != ACCEPTED):
            print(one)
