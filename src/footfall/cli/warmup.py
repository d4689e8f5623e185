"""`footfall warmup`: compile the kernels once, with a progress bar."""

from __future__ import annotations

import typer

from footfall.cli.output import Json, Output, Quiet


def warmup(as_json: Json = False, quiet: Quiet = False) -> None:
    """Compile the numerical kernels once, so that no later command waits for them.

    Takes a minute or two after an installation and a few seconds when there is nothing to do.

    Example:

      footfall warmup
    """
    from footfall.report.warmup import warmup as warm

    output = Output(as_json=as_json, quiet=quiet)
    with output.progress("compiling") as progress:
        done = warm(progress)
    output.table([(name, f"{seconds:.1f} s") for name, seconds in done.steps])
    output.say(
        f"{done.modules} modules of kernels are ready: {done.compiled} kernels compiled and "
        f"{done.loaded} found compiled, in {done.seconds:.1f} s"
    )
    output.result(
        {
            "steps": dict(done.steps),
            "compiled": done.compiled,
            "loaded": done.loaded,
            "modules": done.modules,
            "seconds": done.seconds,
        }
    )


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("warmup")(warmup)
