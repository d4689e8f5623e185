"""`footfall`: the verbs put together, and one place where errors become one sentence."""

from __future__ import annotations

import io
import json
import os
import sys
import warnings
from typing import Any, NoReturn

import typer

from footfall import __version__
from footfall.cli import (
    clean,
    convert,
    demo,
    fit,
    graph,
    inspect,
    library,
    measure,
    plan,
    render,
    reproduce,
    scene,
    warmup,
)
from footfall.errors import FootfallError

WRONG_INPUT = 2

_UsageError: Any = typer.BadParameter.__mro__[1]
"""What a command line that cannot be understood raises; typer hands on only its children."""

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
    reproduce,
    fit,
    clean,
    measure,
    library,
    graph,
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


def main() -> None:
    """Run the program; wrong input is one sentence and exit code 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # File names may hold what the terminal's encoding cannot show.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # What a picture's font cannot show is a box in it, nothing to read about here.
    warnings.filterwarnings("ignore", message="Glyph .* missing from")
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except FootfallError as error:
        _leave(str(error))
    except _UsageError as error:
        if not sys.argv[1:]:  # no verb: the whole help is the answer
            error.show()
            sys.exit(WRONG_INPUT)
        verb = error.ctx.command_path if error.ctx else "footfall"
        _leave(f"{error.format_message().rstrip('.')}; see {verb} --help")
    except typer.Abort:
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:  # a full disk, a folder nobody may write to
        where = f"{error.filename}: " if error.filename else ""
        _leave(f"{where}{error.strerror or error}")
    sys.exit(code if isinstance(code, int) else 0)


def _leave(problem: str) -> NoReturn:
    """Say what is wrong in one line, as JSON too if that was asked for, and end."""
    sentence = " ".join(problem.split())
    if "--json" in sys.argv:
        sys.stdout.write(json.dumps({"status": "wrong input", "error": sentence}) + "\n")
    sys.stderr.write(f"footfall: {sentence}\n")
    sys.exit(WRONG_INPUT)


if __name__ == "__main__":
    main()
