"""Commands as functions: their docstrings hold the help of their options.

A row of a docstring that begins with the name of a parameter is that parameter's help. A parameter
without a default is an argument, any other the option of its name, unless its type is annotated
otherwise. A parameter whose type is a dataclass stands for a group of options, its fields, which
several commands share.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from footfall.cli.completion import COMPLETERS

Force = Annotated[
    bool, typer.Option("--force", help="Replace files that were not written by footfall.")
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of everything random; same seed, same result.")
]
To = Annotated[Path, typer.Option("--output", "-o", help="A file, or a stem for --formats.")]
Tag = Annotated[
    list[str] | None, typer.Option("--tag", help="Only clips that show this (repeat for more).")
]


def make_group(name: str, text: str) -> typer.Typer:
    """Return a command that has commands of its own."""
    return typer.Typer(name=name, no_args_is_help=True, rich_markup_mode=None, help=text)


def command(verb: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function: give it the options of its groups and their help."""
    signature = inspect.signature(verb, eval_str=True)
    text, helps = _split_help(verb.__doc__ or "", signature.parameters)
    own, shared = [], []
    groups: dict[str, Any] = {}
    for one in signature.parameters.values():
        if is_dataclass(one.annotation):
            groups[one.name] = one.annotation
            shared += _options_of(one.annotation)
        else:
            own.append(_option(one.name, one.annotation, one.default, helps))
    options = own + shared  # in this order they stand in the help

    @functools.wraps(verb)
    def filled(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in fields(group)})
        verb(**given)

    filled.__doc__ = text
    filled.__signature__ = signature.replace(parameters=options)  # type: ignore[attr-defined]
    filled.__annotations__ = {p.name: p.annotation for p in options}
    return filled


def _options_of(group: Any) -> list[inspect.Parameter]:
    types = get_type_hints(group, include_extras=True)
    _, helps = _split_help(group.__doc__, types)
    return [_option(f.name, types[f.name], f.default, helps) for f in fields(group)]


def _option(name: str, kind: Any, default: Any, helps: dict[str, str]) -> inspect.Parameter:
    """Return a parameter with its type annotated as typer takes it."""
    is_argument = default is inspect.Parameter.empty
    flag = "--" + name.replace("_", "-")
    how: Any = typer.Argument() if is_argument else typer.Option(flag)
    if get_origin(kind) is Annotated:
        kind, how = get_args(kind)
    how = copy(how)
    how.help = helps.get(name, how.help)
    how.autocompletion = COMPLETERS.get(name)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, how]
    )


def _split_help(text: str, names: Iterable[str]) -> tuple[str, dict[str, str]]:
    """Return a docstring without its rows of help, and these by the names of parameters."""
    known, kept, helps = set(names), [], {}
    last = ""
    for line in inspect.cleandoc(text).splitlines():
        name, _, words = line.partition("  ")
        if name in known and words:
            helps[name], last = words.strip(), name
        elif last and line.startswith("    "):
            helps[last] += " " + line.strip()
        else:
            # Each example is a paragraph of its own, so that it is not run into the next.
            kept.append("\n" + line if line.startswith("  ") else line)
            last = ""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)), helps
