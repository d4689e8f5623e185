"""Turns what pydantic says about a scene file into one sentence a person can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.errors import FileFormatError, choices

if TYPE_CHECKING:
    from pydantic import ValidationError

_LISTS = ("obstacle", "water", "hole", "query", "path", "part", "bump", "channel")
_SAYS = {
    "greater_than": "it must be > {gt:g}",
    "greater_than_equal": "it must be >= {ge:g}",
    "less_than": "it must be < {lt:g}",
    "less_than_equal": "it must be <= {le:g}",
    "finite_number": "it must be a finite number",
    "float_type": "it must be a number",
    "int_type": "it must be a whole number",
    "bool_type": "it must be true or false",
    "string_type": "it must be text in quotes",
    "list_type": "it must be a list in square brackets",
    "model_type": "it must be a table of keys",
    "string_pattern_mismatch": 'it must be a colour like "#8a5a2b"',
}


def scene_error(
    error: ValidationError, data: dict[str, Any], file: str, model: Any = None
) -> FileFormatError:
    """Return the first thing that is wrong, as an error that names the key, the value and a remedy.

    model  what the file is checked against, if it is no scene
    """
    from footfall.files.scene.schema import SMALLEST

    first = error.errors(include_url=False, include_context=True)[0]
    place, key, value = _locate(first["loc"], data)
    kind, context = first["type"], first.get("ctx", {})
    where = ": ".join([file, *place])
    if kind == "extra_forbidden":
        valid = _keys_at(first["loc"]) if model is None else _keys_of(model)
        return FileFormatError(f"unknown key {_show(key)}", where=where, remedy=choices(valid, key))
    if kind == "missing":
        return FileFormatError(f"the key {key!r} is missing", where=where, remedy="add it")
    if kind in ("literal_error", "union_tag_invalid"):
        valid = _literals(context)
        key = "shape" if place and place[-1].startswith("part") else key
        given = context.get("tag", value)
        problem = f"{key if kind == 'literal_error' else _tag(place)} is {given!r}"
        return FileFormatError(problem, where=where, remedy=choices(valid, str(given)))
    if kind == "union_tag_not_found":
        problem = f"the key {_tag(place)!r} is missing"
        return FileFormatError(problem, where=where, remedy="it says what the thing is")
    if kind in ("too_short", "too_long", "string_too_long"):
        return FileFormatError(f"{key} has {_count(first, value)}", where=where)
    remedy = _SAYS[kind].format(**context) if kind in _SAYS else str(first["msg"])
    if kind == "greater_than_equal" and context["ge"] == SMALLEST and value <= 0:
        remedy = "it must be > 0"
    return FileFormatError(f"{key} is {_show(value)}", where=where, remedy=remedy)


def _locate(location: tuple[int | str, ...], data: Any) -> tuple[list[str], str, Any]:
    """Return the place as people count ("obstacle 3 (box)"), the key in it, and the value there."""
    place: list[str] = []
    key, value = "", data
    n = 0
    while n < len(location):
        step = location[n]
        if step in _LISTS and n + 1 < len(location) and isinstance(location[n + 1], int):
            value = _get(_get(value, step), location[n + 1])
            what = value.get("kind", value.get("shape", "")) if isinstance(value, dict) else ""
            name = value.get("name", "") if isinstance(value, dict) else ""
            label = f" ({what})" if isinstance(what, str) and what else ""
            label += f" {name!r}" if isinstance(name, str) and name else ""
            place.append(f"{step} {int(location[n + 1]) + 1}{label}")
            n += 2
            # A tagged union puts the tag in the location, which is no key of the file.
            if n < len(location) and location[n] == what and isinstance(value, dict):
                n += 1
            continue
        if isinstance(step, int):
            key += f"[{step}]"
        else:
            key = f"{key}.{step}" if key else str(step)
        value = _get(value, step)
        n += 1
    return place, key or "it", value


def _get(value: Any, step: int | str) -> Any:
    try:
        return value[step]
    except (KeyError, IndexError, TypeError):
        return None


def _keys_at(location: tuple[int | str, ...]) -> list[str]:
    """Return the keys that are valid where the location's last step was not."""
    from footfall.files.scene import schema

    models: dict[str, Any] = {
        "water": schema.WaterSpec, "hole": schema.HoleSpec, "query": schema.QuerySpec,
        "path": schema.PathSpec, "ground": schema.GroundSpec, "import": schema.ImportSpec,
        "noise": schema.NoiseSpec, "bump": schema.BumpSpec, "channel": schema.ChannelSpec,
        "motion": schema.MotionSpec, **schema.OBSTACLE_SPECS,
    }  # fmt: skip
    model: Any = schema.SceneFile
    steps = [s for s in location[:-1] if isinstance(s, str)]
    if "parts" in steps and "part" in steps:
        model = schema.SolidPartSpec
    elif "part" in steps:
        model = schema.BoxPartSpec if steps[-1] == "box" else schema.CylinderPartSpec
    elif steps:
        model = models.get(steps[-1], model)
    return _keys_of(model)


def _keys_of(model: Any) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _tag(place: list[str]) -> str:
    return "shape" if place and place[-1].startswith("part") else "kind"


def _literals(context: dict[str, Any]) -> list[str]:
    text = str(context.get("expected", context.get("expected_tags", "")))
    return [
        part.strip().strip("'") for part in text.replace(" or ", ", ").split(",") if part.strip()
    ]


def _count(first: Any, value: Any) -> str:
    context = first.get("ctx", {})
    have = len(value) if isinstance(value, list | str) else context.get("actual_length", "?")
    if "min_length" in context:
        return f"{have} entries; it needs at least {context['min_length']}"
    return f"{have} entries; at most {context.get('max_length')} are allowed"


def _show(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
