"""From a problem to plans: search, finish, verify, and avoid what failed.

    Problem ──method.search──► Draft ──finish──► clip ──verify──► Plan
                  ▲                                   │ failing spans
                  └────────────── avoid ──────────────┘

Only a motion that passes `verify` becomes a plan with the status FOUND.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from footfall.maths.rounding import round_to_grid
from footfall.task.draft import Draft
from footfall.task.finish import Finished, Span, finish, plain_draft, take_back
from footfall.task.method import Method, Refusal
from footfall.task.plan import FOUND, NO_CLIP, OUT_OF_TIME, Plan
from footfall.task.problem import Problem
from footfall.task.watch import Watch
from footfall.task.wishes import note_wishes

if TYPE_CHECKING:
    from footfall.body.clip import Clip
    from footfall.task.verify import Report

Ended = TypeVar("Ended")
_VARIED_DEG = 1.5
"""Variation changes angles of hips and feet by less: what fails by more fails without it."""


def solve(method: Method, model: Any, problem: Problem, watch: Watch) -> Iterator[Plan]:
    """Yield the plans of a problem, each at least as good as the one before.

    If no draft passes, the last plan says why the first one failed.
    """
    began, passed, last = time.perf_counter(), False, None
    plan: Plan | None
    known: tuple[Clip, Finished, Report] | None = None
    for made in method.search(model, problem, watch):
        if isinstance(made, Refusal):
            last = made
            continue
        if not watch.out_of_time:  # what was found when time was over is still finished
            watch.check()
        earlier = problem.find_same(made)
        if known is not None and known[0] is made.clip:  # only more is proven of it
            plan, report = _plan(made, *known[1:]), known[2]
        elif earlier is not None:
            plan, report = None, earlier.report
        else:
            plan, report = finish_and_verify(made, problem)
            assert plan.clip is not None
            known = made.clip, Finished(plan.clip, plan.footprints), report
        if plan is None or not report.passed:
            problem.avoid(made, report)
            watch.check()
            continue
        passed = True
        timings = {**plan.timings, "all": time.perf_counter() - began}
        yield replace(plan, notes=(*plan.notes, *note_wishes(method, problem.query, plan)),
                      timings=timings)  # fmt: skip
    if not passed:
        yield _explain(problem, last)


def first_passing(
    drafts: Generator[Draft, None, Ended], problem: Problem
) -> tuple[Draft, Plan] | Ended:
    """Return the first draft that passes and its plan; or what the search returned at its end."""
    while True:
        try:
            draft = next(drafts)
        except StopIteration as stop:
            ended: Ended = stop.value
            return ended
        plan, report = finish_and_verify(draft, problem)
        if report.passed:
            return draft, plan
        problem.avoid(draft, report)


def finish_and_verify(draft: Draft, problem: Problem) -> tuple[Plan, Report]:
    """Finish a draft and verify the result.

    Finishing must not make a value worse than both the draft's value and the limit above which
    it is noted. Where it does, or where the motion fails, less is done to the draft. What stays
    worse is a failure.
    """
    began = time.perf_counter()
    best = finish(draft, problem.ground, problem.query.seed)
    finished = time.perf_counter()
    report = _verify(best, draft, problem)
    took = {"finish": finished - began, "verify": time.perf_counter() - finished}
    if report.findings:  # else no value is beyond a limit
        best, report = _finish_less(draft, problem, best, report)
    return _plan(replace(draft, timings={**draft.timings, **took}), best, report), report


def _finish_less(
    draft: Draft, problem: Problem, best: Finished, report: Report
) -> tuple[Finished, Report]:
    """Do less to a draft until it passes and finishing makes nothing worse.

    If nothing passes, the motion with the fewest failures counts.
    """
    varied = draft.only_varied
    if varied and any(
        f.check.startswith(("hip", "foot")) and f.unit == "°" and f.value - f.limit > _VARIED_DEG
        for f in report.failures
    ):
        return best, report
    plain = plain_draft(draft, problem.ground)
    if varied and _touches_too(plain, report, problem):
        return best, report
    before = _verify(plain, draft, problem)
    report = report.forbid_worse(before)
    spans = [(failure.first, failure.stop) for failure in report.failures]
    less = _do_less(draft, problem, plain, best, spans)
    while not report.passed:
        repaired = report.find_worse(before).keys() - (before.failed if varied else set())
        if not repaired >= report.failed:
            break  # the draft itself fails: to do less does not help
        other = next(less)
        verdict = before if other is plain else _verify(other, draft, problem)
        verdict = verdict.forbid_worse(before)
        if verdict.passed or len(verdict.failures) < len(report.failures):
            best, report = other, verdict
        if other is plain:
            break
    return best, report


def _touches_too(plain: Finished, report: Report, problem: Problem) -> bool:
    """Return whether a motion touches an obstacle as one that failed does."""
    from footfall.task.verify.motion import motion_of
    from footfall.task.verify.report import Values
    from footfall.task.verify.surroundings import COLLISION, check_collisions

    if problem.scene is None or COLLISION not in report.failed:
        return False
    return any(check_collisions(motion_of(plain.clip), problem.scene, problem.begins_s, Values()))


def _do_less(
    draft: Draft, problem: Problem, plain: Finished, best: Finished, spans: Sequence[Span]
) -> Iterator[Finished]:
    """Yield motions with ever less done to a draft: first not varied in some spans, last plain."""
    ground, seed = problem.ground, problem.query.seed
    if draft.finishing.variation > 0.0:
        yield finish(draft, ground, seed, spans)
    unvaried = replace(draft.finishing, variation=0.0)
    for steps in (unvaried, replace(unvaried, smooth=False)):
        left = replace(draft, finishing=steps)
        if steps != draft.finishing and (left.aims or steps.smooth):  # else it is plain
            draft = left
            yield finish(draft, ground, seed)
    if draft.aims and draft.stances is None:
        yield finish(replace(draft, aims=()), ground, seed)
    yield take_back(plain, best, spans)
    yield plain


def _verify(finished: Finished, draft: Draft, problem: Problem) -> Report:
    from footfall.task.verify import verify

    return verify(
        finished.clip, problem.query if draft.complete else None, problem.scene,
        limits=problem.limits, path=draft.path, begins_s=problem.begins_s,
        rests=(True, draft.complete), others=problem.others,
    )  # fmt: skip


def _plan(draft: Draft, finished: Finished, report: Report) -> Plan:
    """Make the plan of a finished draft; it is found if its motion passed."""
    found = report.passed and draft.complete
    reason = "" if found else (draft.reason or str(next(iter(report.failures), "")))
    return Plan(
        FOUND if found else OUT_OF_TIME if not draft.complete else NO_CLIP, reason,
        clip=finished.clip, path=draft.path, footprints=finished.footprints,
        segments=draft.segments, cost=float(round_to_grid(draft.cost)),
        bound=max(draft.bound, 1.0),
        timings=draft.timings, notes=(*draft.notes, *map(str, report.notes)),
        footholds=draft.footholds, anytime=draft.anytime, report=report,
    )  # fmt: skip


def _explain(problem: Problem, refusal: Refusal | None) -> Plan:
    """Say why there is no motion: why drafts failed, or why there were none."""
    reasons = problem.reasons()
    if reasons:
        first = problem.rejected[0].draft
        others = [*reasons[1:4], *([] if refusal is None else [refusal.reason])]
        return Plan(NO_CLIP, reasons[0], path=first.path, notes=tuple(others))
    if refusal is not None:
        return refusal.plan()
    return Plan(NO_CLIP, "the search found no motion")
