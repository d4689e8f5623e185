"""Jobs of a studio: planning in threads, with progress, cancelling and results."""

from __future__ import annotations

import json
import math
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from footfall.errors import FootfallError, InputError
from footfall.studio.files import Files, Recent, check_task
from footfall.studio.models import FootprintRequest, PlanRequest, ReplanRequest
from footfall.studio.plans import PlanRecord, PlanStore
from footfall.studio.work import NotFoundError
from footfall.task.watch import Cancelled, News, Watch

if TYPE_CHECKING:
    from footfall.task import Plan, Query
    from footfall.verbs.planner import Planner

AT_ONCE, MOST_WAITING, MOST_PLANNERS, MOST_JOBS = 2, 50, 6, 200
_EVERY_S, _KEPT_EVERY_S = 0.05, 0.5
_PREPARED = 0.3
"""The share of a job's progress that goes to preparing a planner, once."""
AnyRequest = PlanRequest | FootprintRequest | ReplanRequest
Publish = Callable[[dict[str, Any]], None]


@dataclass
class Job:
    """A piece of work and how far it is."""

    id: str
    kind: str
    name: str
    status: str = "waiting"
    share: float = 0.0
    note: str = ""
    seconds: float = 0.0
    cost: float | None = None
    bound: float | None = None
    improvements: list[dict[str, Any]] = field(default_factory=list)
    plans: list[str] = field(default_factory=list)
    error: str = ""


class Jobs:
    """Runs jobs, two at a time, and publishes how far they are."""

    def __init__(self, files: Files, plans: PlanStore, publish: Publish) -> None:
        self.files, self.plans, self.publish = files, plans, publish
        self._planners = Recent(MOST_PLANNERS)
        self._pool = ThreadPoolExecutor(AT_ONCE, "footfall-job")
        self._jobs: dict[str, Job] = {}
        self._watches: dict[str, Watch] = {}
        self._lock = threading.Lock()

    def list_jobs(self) -> list[dict[str, Any]]:
        """Return all jobs, the oldest first."""
        with self._lock:
            return [asdict(job) for job in self._jobs.values()]

    def get(self, job: str) -> dict[str, Any]:
        with self._lock:
            if job not in self._jobs:
                raise NotFoundError(f"there is no job {job[:40]!r}")
            return asdict(self._jobs[job])

    def start(self, request: AnyRequest) -> dict[str, Any]:
        """Begin a job, or let it wait; wrong input is refused before."""
        work = self._check(request)
        with self._lock:
            waiting = sum(job.status == "waiting" for job in self._jobs.values())
            if waiting >= MOST_WAITING:
                raise InputError(f"{waiting} jobs are waiting", remedy="cancel some")
            job = Job(secrets.token_hex(6), request.kind, request.name)
            self._jobs[job.id], self._watches[job.id] = job, Watch()
            for old in [j.id for j in self._jobs.values() if j.id not in self._watches][
                :-MOST_JOBS
            ]:
                del self._jobs[old]
            first = asdict(job)
        self._pool.submit(self._run, job, work)
        return first

    def cancel(self, job: str) -> dict[str, Any]:
        """Ask a job to stop."""
        self.get(job)
        watch = self._watches.get(job)
        if watch is not None:
            watch.cancel()
        return self.get(job)

    def stop(self) -> None:
        """Cancel everything and wait for it."""
        for watch in list(self._watches.values()):
            watch.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)

    # ---- a job in its thread ------------------------------------------------------------

    def _run(self, job: Job, work: Callable[[Job, Watch], None]) -> None:
        watch, began = self._watches[job.id], time.monotonic()
        last = [0.0]

        def listen(news: News) -> None:
            job.share, job.note, job.seconds = news.share, news.note, time.monotonic() - began
            job.cost, job.bound = _number(news.cost), _number(news.bound)
            if time.monotonic() - last[0] >= _EVERY_S:
                last[0] = time.monotonic()
                self._tell(job)

        watch.listener = listen
        try:
            watch.check()
            job.status = "running"
            self._tell(job)
            work(job, watch)
            job.status = "cancelled" if watch.flag[0] else "done"
        except Cancelled:
            job.status = "cancelled"
        except FootfallError as error:
            job.status, job.error = "failed", str(error)
        except Exception as error:  # a defect of a planner ends its job, not the studio
            job.status, job.error = "failed", f"planning failed ({type(error).__name__}: {error})"
        job.seconds, job.share = time.monotonic() - began, 1.0
        self._watches.pop(job.id, None)
        self._tell(job)

    def _tell(self, job: Job) -> None:
        self.publish({"type": "job", "job": asdict(job)})

    def _check(self, request: AnyRequest) -> Callable[[Job, Watch], None]:
        """Return the work of a request, after its values were checked."""
        if isinstance(request, FootprintRequest):
            from footfall.studio.editing import move_footprint

            self.plans.clip(request.plan)

            def move(job: Job, watch: Watch) -> None:
                self._keep(job, *move_footprint(self.plans, request))

            return move
        if isinstance(request, ReplanRequest):
            return self._replanning(request)
        return self._planning(request)

    def _replanning(self, request: ReplanRequest) -> Callable[[Job, Watch], None]:
        """Bend the motion where a point was moved; plan all of it again if that does not pass."""
        from footfall.studio.editing import bend_plan, changed_query

        tables = changed_query(self.plans.query(request.plan), request)
        name = request.name or str(self.plans.facts(request.plan)["name"])
        planned = PlanRequest.model_validate({**tables, "kind": "plan", "name": name})
        whole = self._planning(planned, self.plans.clip(request.plan))

        def work(job: Job, watch: Watch) -> None:
            watch.tell(0.05, note="bending the motion")
            bent = bend_plan(self.plans, request)
            if bent is None:
                whole(job, watch)
                return
            plan, extra = bent
            seed = int(planned.task.get("seed", 0))
            record = PlanRecord(_tables(planned, seed), name, seed=seed, of=job.id, extra=extra)
            self._keep(job, plan, record)

        return work

    def _planning(self, request: PlanRequest, before: Any = None) -> Callable[[Job, Watch], None]:
        task = check_task(request.task, self.files.make_scene(request.scene))
        planner = self._planner(request)

        def work(job: Job, watch: Watch) -> None:
            planner.prepare(task.query, watch.part(0.0, _PREPARED))
            for n in range(request.alternatives):
                query = replace(task.query, seed=task.query.seed + n)
                first, last = (k / request.alternatives for k in (n, n + 1))
                part = watch.part(*(_PREPARED + (1.0 - _PREPARED) * k for k in (first, last)))
                record = PlanRecord(
                    _tables(request, query.seed), _name(request, n), seed=query.seed, of=job.id
                )
                self._improve(job, planner, query, (watch, part), record, before)

        return work

    def _improve(
        self, job: Job, planner: Planner, query: Query, watches: tuple[Watch, Watch],
        record: PlanRecord, before: Any,
    ) -> None:  # fmt: skip
        """Keep the best plan that is found; better ones replace it as they come."""
        watch, part = watches
        best, saved, kept, shown = None, None, "", -math.inf

        def listen(news: News) -> bool:
            part.hear(news)
            return not watch.flag[0]

        def keep(plan: Plan) -> str:
            extra = {} if before is None else {"kept_s": _kept_seconds(before, plan)}
            return self._keep(job, plan, replace(record, extra=extra), kept)

        began = time.monotonic()
        for plan in planner.plans(query, listen):
            best = plan if best is None or plan.clip is not None or best.clip is None else best
            if plan.clip is None:
                continue
            found = {"cost": _number(plan.cost), "bound": _number(plan.bound)}
            job.improvements.append({"seconds": time.monotonic() - began, **found})
            if time.monotonic() - shown >= _KEPT_EVERY_S:
                kept, shown, saved = keep(plan), time.monotonic(), plan
            self._tell(job)
        assert best is not None
        if best.footholds is not None:
            points = best.footholds[:2000, :2].round(3).tolist()
            self.publish({"type": "frontier", "job": job.id, "points": points})
        if best.clip is None and watch.flag[0]:
            return
        if not kept or best is not saved:
            keep(best)

    def _planner(self, request: PlanRequest) -> Planner:
        """Return a planner that may have been prepared before."""
        from footfall.verbs.planner import planner

        library = self.files.library_place(request.library)
        character = self.files.character_place(request.character)
        options = json.dumps(request.options, sort_keys=True)
        key = (request.method, str(library), str(character), options)
        return self._planners.get(
            key,
            lambda: planner(
                request.method, library=library, character=character, **request.options
            ),
        )

    def forget_planners(self) -> None:
        """Prepare planners anew, as after a library was changed."""
        self._planners.clear()

    def _keep(self, job: Job, plan: Plan, record: PlanRecord, instead: str = "") -> str:
        """Keep a plan, instead of an earlier one if that is named; return its id."""
        facts = self.plans.add(plan, replace(record, of=job.id), instead)
        if not instead:
            job.plans.append(facts["id"])
        self.publish({"type": "plan", "plan": facts})
        self._tell(job)
        return str(facts["id"])


def _name(request: PlanRequest, number: int) -> str:
    """Return the name of one of several alternatives."""
    return f"{request.name}, {number + 1}" if request.alternatives > 1 else request.name


def _tables(request: PlanRequest, seed: int) -> dict[str, Any]:
    kept = ("task", "scene", "method", "options", "library", "character")
    tables = {key: getattr(request, key) for key in kept}
    return {**tables, "task": {**request.task, "seed": seed}}


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _kept_seconds(before: Any, plan: Plan) -> float:
    """Return for how long a motion is the same as the one before."""
    import numpy as np

    after = plan.clip
    if after is None or after.skeleton != before.skeleton or after.fps != before.fps:
        return 0.0
    count = min(len(before), len(after))
    same = np.abs(before.root[:count] - after.root[:count]).max(axis=1) < 1e-3
    return float(count if same.all() else int(np.argmin(same))) / float(after.fps)
