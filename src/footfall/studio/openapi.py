"""The OpenAPI document of the studio, made from the models that check its requests."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from footfall import __version__
from footfall.studio.models import NAME_PATTERN

_ERRORS = {
    "400": "Not valid", "403": "Refused", "404": "Not found", "405": "Not allowed",
    "409": "Conflict", "413": "Too large", "422": "Invalid values",
}  # fmt: skip


@dataclass(frozen=True)
class Endpoint:
    """One method of one path.

    body     the model of its JSON body, or bytes for a raw one; None for none
    query    its parameters in the address: name -> required
    answers  the media type of what it returns
    """

    method: str
    path: str
    summary: str
    handle: Callable[..., Awaitable[Any]]
    body: Any = None
    query: Sequence[tuple[str, bool]] = ()
    answers: str = "application/json"
    status: int = 200


def openapi_document(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Return the document for all endpoints."""
    models: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}
    for one in endpoints:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, models)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Footfall studio", "version": __version__},
        "paths": paths,
        "components": {"schemas": models},
    }


def _operation(one: Endpoint, models: dict[str, Any]) -> dict[str, Any]:
    names = re.findall(r"{(\w+)}", one.path)
    text = {"type": "string", "pattern": NAME_PATTERN}
    parameters = [{"name": n, "in": "path", "required": True, "schema": text} for n in names]
    parameters += [
        {"name": n, "in": "query", "required": must, "schema": {"type": "string"}}
        for n, must in one.query
    ]
    answer = {"description": "OK", "content": {one.answers: {"schema": {}}}}
    error = {"application/json": {"schema": {"type": "object"}}}
    out: dict[str, Any] = {
        "summary": one.summary,
        "operationId": f"{one.method.lower()}_{re.sub(r'[^a-z]+', '_', one.path).strip('_')}",
        "parameters": parameters,
        "responses": {
            str(one.status): answer,
            **{c: {"description": w, "content": error} for c, w in _ERRORS.items()},
        },
    }
    if one.body is not None:
        kind = "application/octet-stream" if one.body is bytes else "application/json"
        schema = {} if one.body is bytes else _schema(one.body, models)
        out["requestBody"] = {"required": True, "content": {kind: {"schema": schema}}}
    return out


def _schema(model: Any, models: dict[str, Any]) -> dict[str, Any]:
    made = TypeAdapter(model).json_schema(ref_template="#/components/schemas/{model}")
    models.update(made.pop("$defs", {}))
    return made
