"""Assemble all commands into one program."""

from __future__ import annotations

import sys

import typer

from footfall import __version__
from footfall.cli.batch import batch
from footfall.cli.clean import clean
from footfall.cli.convert import convert
from footfall.cli.crowd import crowd
from footfall.cli.demo import demo
from footfall.cli.doctor import doctor
from footfall.cli.fit import fit
from footfall.cli.graph import graph_app
from footfall.cli.inspect import inspect
from footfall.cli.library import library_app
from footfall.cli.measure import measure
from footfall.cli.options import command
from footfall.cli.plan import plan
from footfall.cli.render import render
from footfall.cli.reproduce import reproduce
from footfall.cli.roadmap import roadmap_app
from footfall.cli.scene import scene_app
from footfall.cli.studio import studio
from footfall.cli.study import study_app
from footfall.cli.verify import verify
from footfall.cli.warmup import warmup

app = typer.Typer(
    name="footfall",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for one in (
    plan, inspect, convert, render, crowd, reproduce, fit, clean, measure, verify, warmup, demo,
    batch, studio, doctor,
):  # fmt: skip
    app.command(one.__name__)(one)
for group in (library_app, graph_app, roadmap_app, scene_app, study_app):
    app.add_typer(group, name=group.info.name)


@app.callback(invoke_without_command=True)
@command
def footfall(version: bool = False) -> None:
    """Turn motion clips, a scene and a task into natural full-body human locomotion.

    version  Print the version and exit.

    Try: footfall demo -o out/demo
    """
    if version:
        sys.stdout.write(f"footfall {__version__}\n")
        raise typer.Exit
