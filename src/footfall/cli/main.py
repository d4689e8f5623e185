"""`footfall`: the verbs put together, and one place where errors become one sentence."""

from __future__ import annotations

import json
import os
import sys

import typer

from footfall import __version__
from footfall.cli import clean, convert, demo, fit, inspect, render, scene, warmup
from footfall.errors import FootfallError

WRONG_INPUT = 2

app = typer.Typer(
    name="footfall",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (inspect, convert, render, fit, clean, scene, warmup, demo):
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


def main() -> None:
    """Run the program; wrong input is one sentence and exit code 2, never a traceback."""
    try:
        app()
    except FootfallError as error:
        sentence = " ".join(str(error).split())
        if "--json" in sys.argv:
            sys.stdout.write(json.dumps({"status": "wrong input", "error": sentence}) + "\n")
        sys.stderr.write(f"footfall: {sentence}\n")
        sys.exit(WRONG_INPUT)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()
