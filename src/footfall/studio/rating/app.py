"""The rating study's server: one page, the clips, and grades over HTTP."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from footfall.errors import FootfallError, InputError
from footfall.render.player.page import check_built, player_page
from footfall.studio.guard import Guard
from footfall.studio.rating.pool import read_document, read_pool
from footfall.studio.rating.store import LEAST, MOST, GradedAlreadyError, Ratings
from footfall.studio.work import NotFoundError

PAGE = Path(__file__).resolve().parent / "page"
_FILES = {"/": "index.html", "/study.js": "study.js", "/study.css": "study.css"}
_MOST_BYTES = 1000
_IN_FRAME = {
    "content-security-policy": (
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        "img-src data: blob:; connect-src data: blob:; frame-ancestors 'self'"
    ),
    "x-frame-options": "SAMEORIGIN",
    "cache-control": "private, max-age=3600",
}
"""The page of a clip is shown in a frame of the study's page, and there alone."""


def make_app(folder: str | Path, host: str = "127.0.0.1", token: str = "") -> Starlette:
    """Return the application of a study that listens on a host."""
    check_built()
    study = _Study(folder)
    routes = [Route(path, _page(PAGE / name)) for path, name in _FILES.items()]
    routes += [
        Route("/clips/{clip}", _answer(study.show)),
        Route("/api/study", _answer(study.describe)),
        Route("/api/raters", _answer(study.admit), methods=["POST"]),
        Route("/api/raters/{rater}", _answer(study.resume)),
        Route("/api/raters/{rater}/grades", _answer(study.grade), methods=["POST"]),
    ]
    return Starlette(
        routes=routes, middleware=[Middleware(Guard, host=host, token=token)],
        exception_handlers={HTTPException: _refuse_route},
    )  # fmt: skip


class _Study:
    """What the routes of a study do."""

    def __init__(self, folder: str | Path) -> None:
        self.folder, self.pool = Path(folder), read_pool(folder)
        self.ratings = Ratings(folder, self.pool)
        self._clips = {clip.id: clip for clip in self.pool.clips}

    async def describe(self, _: Request) -> dict[str, Any]:
        return {"shown": self.pool.shown, "least": LEAST, "most": MOST}

    async def admit(self, _: Request) -> dict[str, Any]:
        return asdict(await run_in_threadpool(self.ratings.add_rater))

    async def resume(self, request: Request) -> dict[str, Any]:
        return asdict(await run_in_threadpool(self.ratings.rater, request.path_params["rater"]))

    async def grade(self, request: Request) -> dict[str, Any]:
        given = await _read_object(request)
        rater = request.path_params["rater"]
        await run_in_threadpool(self.ratings.grade, rater, given.get("clip"), given.get("grade"))
        return {"clip": given["clip"], "grade": given["grade"]}

    async def show(self, request: Request) -> Response:
        clip = self._clips.get(request.path_params["clip"])
        if clip is None:
            name = request.path_params["clip"][:40]
            raise NotFoundError(f"there is no clip {name!r}")
        document = await run_in_threadpool(read_document, self.folder, clip)
        return HTMLResponse(await run_in_threadpool(player_page, document), headers=_IN_FRAME)


async def _read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request's body."""
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > _MOST_BYTES:
            raise InputError(f"the body has more than {_MOST_BYTES} bytes", remedy="send less")
    try:
        given = json.loads(bytes(content))
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise InputError("the body is no JSON object", remedy='send {"clip": …, "grade": …}')
    return given


def _page(path: Path) -> Callable[[Request], Awaitable[Response]]:
    async def send(_: Request) -> Response:
        return FileResponse(path, headers={"cache-control": "no-cache"})

    return send


def _answer(work: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    """Return a route's function: what some work gives as a response, its errors as JSON."""

    async def handle(request: Request) -> Response:
        try:
            found = await work(request)
        except FootfallError as error:
            kinds: dict[type[FootfallError], int] = {NotFoundError: 404, GradedAlreadyError: 409}
            status = next((code for kind, code in kinds.items() if isinstance(error, kind)), 422)
            return _error(str(error), status)
        return found if isinstance(found, Response) else JSONResponse(found)

    return handle


def _error(sentence: str, status: int) -> Response:
    return JSONResponse({"error": sentence}, status)


async def _refuse_route(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    text = {404: "there is no such page", 405: "this method is not allowed here"}
    return _error(text.get(status, "it cannot be served"), status)
