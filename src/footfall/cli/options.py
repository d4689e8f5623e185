"""Options that several verbs share: groups that stand for their options, and single ones.

A verb names a group as the type of a parameter; `with_groups` puts the group's options in its
place on the command line and hands the verb the filled group.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, get_type_hints

import typer

Force = Annotated[
    bool, typer.Option("--force", help="Replace files that were not written by footfall.")
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of everything random; same seed, same result.")
]


def with_groups(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the options of its groups: parameters whose type is a dataclass of options."""
    signature = inspect.signature(verb, eval_str=True)
    own, shared = [], []
    groups: dict[str, Any] = {}
    for parameter in signature.parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation
            shared += _options_of(parameter.annotation)
        else:
            own.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    options = own + shared  # in this order they stand in the help

    @functools.wraps(verb)
    def filled(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in fields(group)})
        verb(**given)

    filled.__signature__ = signature.replace(parameters=options)  # type: ignore[attr-defined]
    filled.__annotations__ = {p.name: p.annotation for p in options}
    return filled


def _options_of(group: Any) -> list[inspect.Parameter]:
    types = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY,
            default=field.default, annotation=types[field.name],
        )
        for field in fields(group)
    ]  # fmt: skip
