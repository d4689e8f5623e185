"""All verbs put together into one program."""

from __future__ import annotations

import sys

import typer

from footfall import __version__
from footfall.cli import (
    clean,
    convert,
    crowd,
    demo,
    fit,
    graph,
    inspect,
    library,
    measure,
    plan,
    render,
    reproduce,
    roadmap,
    scene,
    verify,
    warmup,
)

app = typer.Typer(
    name="footfall",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (
    plan,
    inspect,
    convert,
    render,
    crowd,
    reproduce,
    fit,
    clean,
    measure,
    verify,
    library,
    graph,
    roadmap,
    scene,
    warmup,
    demo,
):
    verb.add_to(app)


@app.callback(invoke_without_command=True)
def footfall(
    version: bool = typer.Option(False, "--version", help="Print the version and leave."),
) -> None:
    """Turn motion clips, a scene and a task into natural full-body human locomotion.

    Try: footfall demo -o out/demo
    """
    if version:
        sys.stdout.write(f"footfall {__version__}\n")
        raise typer.Exit
