"""The studio's endpoints: each checks its request and calls one function of the work."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from footfall import __version__
from footfall.errors import InputError
from footfall.studio import contacts, models
from footfall.studio.editing import object_stages
from footfall.studio.openapi import Endpoint, openapi_document
from footfall.studio.plans import task_toml
from footfall.studio.state import Studio

JSON_BYTES, UPLOAD_BYTES = 16 << 20, 256 << 20
_MEDIA = {
    ".glb": "model/gltf-binary", ".bvh": "text/plain", ".usda": "text/plain", ".html": "text/html",
    ".npz": "application/octet-stream", ".toml": "application/toml",
}  # fmt: skip


class TooLargeError(InputError):
    """A body has more bytes than are taken."""


async def read_body(request: Request, most: int) -> bytes:
    """Return the bytes of a request, refused as soon as there are too many."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise TooLargeError(f"the body has more than {most >> 20} MB", remedy="send less")
        parts.append(part)
    return b"".join(parts)


async def read_model(request: Request, model: Any) -> Any:
    """Return the JSON body of a request, checked by its model."""
    content = await read_body(request, JSON_BYTES)
    try:
        return TypeAdapter(model).validate_python(json.loads(content))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise InputError(str(first["msg"]), where=where) from None
    except RecursionError:
        raise InputError("the body is nested too deeply") from None


async def in_thread(work: Callable[..., Any], *values: Any) -> Any:
    """Return what some work gives, done beside the event loop."""
    return await asyncio.to_thread(work, *values)


def make_endpoints(studio: Studio) -> list[Endpoint]:
    """Return all endpoints of a studio."""
    made = [*_session(studio), *_scenes(studio), *_libraries(studio), *_jobs(studio)]
    made += _plans(studio)

    async def document(_: Request) -> Response:
        return JSONResponse(openapi_document(made))

    return [*made, Endpoint("GET", "/api/openapi.json", "This document", document)]


def _session(studio: Studio) -> list[Endpoint]:
    work = studio.work

    async def state(_: Request) -> Any:
        jobs, plans = studio.jobs.list_jobs(), studio.plans.list_plans()
        usd = find_spec("pxr") is not None
        return {
            **_present(studio), "version": __version__, "jobs": jobs, "plans": plans, "usd": usd,
        }  # fmt: skip

    async def get(_: Request) -> Any:
        return _present(studio)

    async def put(request: Request) -> Any:
        given = await read_model(request, models.PutSession)
        revision = await in_thread(work.put_session, given.session, given.revision)
        studio.publish({"type": "session", "revision": revision, "client": given.client})
        return {"revision": revision}

    async def save(_: Request) -> Response:
        content = await in_thread(studio.pack_session)
        return _download(content, "footfall-session.zip", "application/zip")

    async def restore(request: Request) -> Any:
        content = await read_body(request, UPLOAD_BYTES)
        revision = await in_thread(studio.unpack_session, content)
        studio.publish({"type": "session", "revision": revision, "client": ""})
        return {"revision": revision}

    return [
        Endpoint("GET", "/api/state", "Everything that a tab needs at first", state),
        Endpoint("GET", "/api/session", "The session", get),
        Endpoint("PUT", "/api/session", "Change the session", put, models.PutSession),
        Endpoint("GET", "/api/session/file", "Download", save, answers="application/zip"),
        Endpoint("POST", "/api/session/file", "Restore a session file", restore, bytes),
    ]


def _present(studio: Studio) -> dict[str, Any]:
    return {"revision": studio.work.revision, "session": studio.work.session.model_dump()}


def _scenes(studio: Studio) -> list[Endpoint]:
    files = studio.files

    async def listed(_: Request) -> Any:
        return await in_thread(files.list_scenes)

    async def get(request: Request) -> Any:
        return await in_thread(files.read_scene, request.path_params["name"])

    async def put(request: Request) -> Any:
        given, name = await read_model(request, models.PutScene), request.path_params["name"]
        await in_thread(files.save_scene, name, _table(given.table))
        studio.publish({"type": "files", "kind": "scenes"})
        return {"name": name}

    async def remove(request: Request) -> Any:
        await in_thread(files.remove_scene, request.path_params["name"])
        studio.publish({"type": "files", "kind": "scenes"})
        return {}

    async def draw(request: Request) -> Response:
        given = await read_model(request, models.SceneRequest)
        return JSONResponse(await in_thread(lambda: studio.draw_scene(_table(given.scene))))

    async def text(request: Request) -> Response:
        given = await read_model(request, models.SceneRequest)
        return PlainTextResponse(await in_thread(files.scene_toml, _table(given.scene)))

    async def stages(request: Request) -> Any:
        given = await read_model(request, models.StagesRequest)
        table = _table(given.scene)
        return await in_thread(lambda: object_stages(files.make_scene(table), given.obstacle))  # type: ignore[arg-type]

    async def task(request: Request) -> Response:
        given = await read_model(request, models.TaskRequest)
        return PlainTextResponse(_as_toml(given.task, given.scene_name))

    return [
        Endpoint("GET", "/api/scenes", "All scenes", listed),
        Endpoint("GET", "/api/scenes/{name}", "A scene as a table", get),
        Endpoint("PUT", "/api/scenes/{name}", "Keep a scene", put, models.PutScene),
        Endpoint("DELETE", "/api/scenes/{name}", "Remove a scene", remove),
        Endpoint("POST", "/api/scene/document", "Draw a scene", draw, models.SceneRequest),
        Endpoint("POST", "/api/scene/toml", "A scene file", text, models.SceneRequest,
                 answers="text/plain"),
        Endpoint("POST", "/api/scene/stages", "What to do with an object", stages,
                 models.StagesRequest),
        Endpoint("POST", "/api/task/toml", "A task file", task, models.TaskRequest,
                 answers="text/plain"),
    ]  # fmt: skip


def _as_toml(task: dict[str, Any], scene_name: str) -> str:
    try:
        return task_toml(task, scene_name)
    except Exception as error:  # tomlkit refuses what TOML cannot hold in many ways
        raise InputError(f"the task cannot be written ({error})"[:200]) from None


def _table(scene: Any) -> Any:
    """Return a checked scene as the table that its file holds; None stays None."""
    return None if scene is None else scene.model_dump(by_alias=True, exclude_unset=True)


def _libraries(studio: Studio) -> list[Endpoint]:
    files = studio.files

    async def listed(_: Request) -> Any:
        return await in_thread(files.list_libraries)

    async def copy(request: Request) -> Any:
        given = await read_model(request, models.CopyLibrary)
        count = await in_thread(contacts.copy_clips, files, given.name, given.source, given.clips)
        studio.publish({"type": "files", "kind": "libraries"})
        return {"name": given.name, "clips": count}

    async def get(request: Request) -> Any:
        return await in_thread(studio.describe_library, request.path_params["name"])

    async def clip(request: Request) -> Response:
        names = _query(request, "library"), _query(request, "clip")
        return JSONResponse(await in_thread(lambda: studio.draw_clip(*names)))

    async def read(request: Request) -> Any:
        names = _query(request, "library"), _query(request, "clip")
        return await in_thread(contacts.read_contacts, files, *names)

    async def write(request: Request) -> Any:
        given = await read_model(request, models.PutContacts)
        names = _query(request, "library"), _query(request, "clip")
        found = await in_thread(contacts.write_contacts, files, *names, given.points)
        studio.jobs.forget_planners()
        studio.publish({"type": "files", "kind": "libraries"})
        return found

    async def characters(_: Request) -> Any:
        return await in_thread(files.list_characters)

    async def character(request: Request) -> Response:
        name = request.path_params["name"]
        return JSONResponse(await in_thread(lambda: studio.draw_character(name)))

    async def upload(request: Request) -> Any:
        kind, name = _query(request, "kind"), _query(request, "name")
        content = await read_body(request, UPLOAD_BYTES)
        library = request.query_params.get("library", "")
        done = await in_thread(files.upload, kind, name, content, library)
        kinds = {"scene": "scenes", "clip": "libraries", "character": "characters"}
        if kind in kinds:
            studio.publish({"type": "files", "kind": kinds[kind]})
        return done

    where = (("library", True), ("clip", True))
    return [
        Endpoint("GET", "/api/libraries", "All libraries", listed),
        Endpoint("POST", "/api/libraries", "Copy clips", copy, models.CopyLibrary),
        Endpoint("GET", "/api/libraries/{name}", "A library's clips", get),
        Endpoint("GET", "/api/clip", "Draw a clip", clip, query=where),
        Endpoint("GET", "/api/clip/contacts", "A clip's contacts", read, query=where),
        Endpoint("PUT", "/api/clip/contacts", "Correct them", write, models.PutContacts, where),
        Endpoint("GET", "/api/characters", "All characters", characters),
        Endpoint("GET", "/api/characters/{name}", "Draw a character", character),
        Endpoint("POST", "/api/uploads", "Upload a file", upload, bytes,
                 (("kind", True), ("name", True), ("library", False))),
    ]  # fmt: skip


def _query(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if not value or len(value) > 200:
        raise InputError(f"{name} is missing or too long", remedy=f"give ?{name}=…")
    return value


def _jobs(studio: Studio) -> list[Endpoint]:
    jobs = studio.jobs

    async def listed(_: Request) -> Any:
        return jobs.list_jobs()

    async def start(request: Request) -> Response:
        given = await read_model(request, models.JobRequest)
        return JSONResponse(await in_thread(jobs.start, given), 201)

    async def get(request: Request) -> Any:
        return jobs.get(request.path_params["name"])

    async def cancel(request: Request) -> Any:
        return jobs.cancel(request.path_params["name"])

    async def methods(_: Request) -> Any:
        return await in_thread(studio.describe_methods)

    return [
        Endpoint("GET", "/api/methods", "The planners", methods),
        Endpoint("GET", "/api/jobs", "All jobs", listed),
        Endpoint("POST", "/api/jobs", "Begin a job", start, models.JobRequest, status=201),
        Endpoint("GET", "/api/jobs/{name}", "A job", get),
        Endpoint("DELETE", "/api/jobs/{name}", "Cancel a job", cancel),
    ]


def _plans(studio: Studio) -> list[Endpoint]:
    plans = studio.plans

    async def listed(_: Request) -> Any:
        return plans.list_plans()

    async def get(request: Request) -> Any:
        return plans.facts(request.path_params["name"])

    async def draw(request: Request) -> Response:
        content = await in_thread(plans.document, request.path_params["name"])
        return Response(content, media_type="application/json")

    async def query(request: Request) -> Any:
        return await in_thread(plans.query, request.path_params["name"])

    async def rename(request: Request) -> Any:
        given = await read_model(request, models.Rename)
        facts = await in_thread(plans.rename, request.path_params["name"], given.name)
        studio.publish({"type": "plan", "plan": facts})
        return facts

    async def remove(request: Request) -> Any:
        await in_thread(plans.remove, request.path_params["name"])
        studio.publish({"type": "plan removed", "plan": request.path_params["name"]})
        return {}

    async def export(request: Request) -> Response:
        name, kind = request.path_params["name"], _query(request, "format")

        def write() -> tuple[bytes, str]:
            with tempfile.TemporaryDirectory() as folder:
                file = plans.export(name, kind, Path(folder))
                return file.read_bytes(), file.name

        content, file = await in_thread(write)
        return _download(content, file, _MEDIA.get(Path(file).suffix, "application/octet-stream"))

    async def play(request: Request) -> Response:
        names = _query(request, "plans").split(",")
        page = await in_thread(plans.play_together, names)
        policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        policy += "img-src data: blob:; connect-src data: blob:; sandbox allow-scripts"
        return HTMLResponse(page, headers={"content-security-policy": policy})

    return [
        Endpoint("GET", "/api/plans", "All plans", listed),
        Endpoint("GET", "/api/plans/{name}", "A plan's facts", get),
        Endpoint("PATCH", "/api/plans/{name}", "Rename a plan", rename, models.Rename),
        Endpoint("DELETE", "/api/plans/{name}", "Remove a plan", remove),
        Endpoint("GET", "/api/plans/{name}/document", "Draw a plan", draw),
        Endpoint("GET", "/api/plans/{name}/query", "What a plan answers", query),
        Endpoint("GET", "/api/plans/{name}/export", "Download a plan", export,
                 query=(("format", True),), answers="application/octet-stream"),
        Endpoint("GET", "/api/player", "Play several plans", play, query=(("plans", True),),
                 answers="text/html"),
    ]  # fmt: skip


def _download(content: bytes, name: str, media: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media, headers=headers)
