"""The studio as an ASGI application."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from footfall.errors import FootfallError, InputError
from footfall.studio.guard import Guard
from footfall.studio.openapi import Endpoint
from footfall.studio.routes import TooLargeError, make_endpoints
from footfall.studio.sockets import LiveSocket, serve_events
from footfall.studio.state import Studio
from footfall.studio.work import NotFoundError, ReadOnlyError, StaleRevisionError

FRONT_END = Path(__file__).resolve().parent / "static"
_NOT_BUILT = """<!doctype html><meta charset="utf-8"><title>Footfall studio</title>
<h1>The studio's page was not built</h1>
<p>The server runs, but this installation has no front end. From a clone, with Node 20 or newer:</p>
<pre>cd web && npm ci && npm run build</pre>"""


def make_app(studio: Studio, host: str = "127.0.0.1", token: str = "") -> Starlette:
    """Return the application of a studio that listens on a host."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        studio.loop = asyncio.get_running_loop()
        yield
        await asyncio.to_thread(studio.jobs.stop)

    async def events(socket: WebSocket) -> None:
        await serve_events(studio, socket)

    async def live(socket: WebSocket) -> None:
        await LiveSocket(studio, socket).serve()

    async def no_endpoint(request: Request) -> Response:
        problem = f"there is no {request.url.path[:80]!r}"
        return _error(NotFoundError(problem, remedy="see /api/openapi.json"), 404)

    async def page(_: Request) -> Response:
        return HTMLResponse(_NOT_BUILT, 503)

    routes: list[Any] = [_route(studio, one) for one in make_endpoints(studio)]
    routes += [WebSocketRoute("/api/events", events), WebSocketRoute("/api/live", live)]
    routes.append(Route("/api/{rest:path}", no_endpoint))
    built = (FRONT_END / "index.html").is_file()
    routes.append(Mount("/", StaticFiles(directory=FRONT_END, html=True)) if built
                  else Route("/{rest:path}", page))  # fmt: skip
    return Starlette(
        routes=routes, lifespan=lifespan, middleware=[Middleware(Guard, host=host, token=token)],
        exception_handlers={HTTPException: _refuse_route},
    )  # fmt: skip


def _route(studio: Studio, one: Endpoint) -> Route:
    async def handle(request: Request) -> Response:
        return await _answer(studio, one.handle, request)

    return Route(one.path, handle, methods=[one.method])


async def _answer(
    studio: Studio, work: Callable[[Request], Awaitable[Any]], request: Request
) -> Response:
    """Return what an endpoint gives as a response, its errors as JSON."""
    try:
        found = await work(request)
    except StaleRevisionError as error:
        present = {"revision": studio.work.revision, "session": studio.work.session.model_dump()}
        return _error(error, 409, present)
    except FootfallError as error:
        return _error(error, _status(error))
    except (json.JSONDecodeError, UnicodeDecodeError):
        return _error(InputError("the body is no JSON"), 400)
    return found if isinstance(found, Response) else JSONResponse(found)


def _status(error: FootfallError) -> int:
    kinds = {NotFoundError: 404, ReadOnlyError: 409, TooLargeError: 413}
    return next((code for kind, code in kinds.items() if isinstance(error, kind)), 422)


def _error(error: FootfallError, status: int, more: dict[str, Any] | None = None) -> Response:
    problem, where = getattr(error, "problem", str(error)), getattr(error, "where", "")
    body = {"error": problem, "where": where, "remedy": getattr(error, "remedy", "")}
    return JSONResponse({**body, **(more or {})}, status)


async def _refuse_route(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    text = {404: "there is no such page", 405: "this method is not allowed here"}
    body = {"error": text.get(status, "it cannot be served"), "where": "", "remedy": ""}
    return JSONResponse(body, status, headers)
