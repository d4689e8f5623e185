"""`footfall`: where the program begins, and where errors and signals become one sentence.

Nothing heavy is imported before `main` runs, so that Ctrl-C is heeded from the first moment on.
"""

from __future__ import annotations

import signal
import sys
from typing import Any

from footfall.cache_paths import keep_bytecode
from footfall.cli.stopping import STOPPING, Stopped, end_now
from footfall.cli.streams import guard_streams, output_problem

WRONG_INPUT = 2


def main() -> None:
    """Run the program; wrong input is one sentence and exit code 2, never a traceback."""
    STOPPING.begin()
    guard_streams()
    keep_bytecode()
    try:
        code = _run()
        if code == 128 + signal.SIGINT:  # typer makes an exit code of Ctrl-C
            code = _say_stopped(signal.SIGINT)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
        if isinstance(error, Stopped):
            code = _say_stopped(STOPPING.numbers[-1])
    except KeyboardInterrupt:
        code = _say_stopped(signal.SIGINT)
    except BaseException:
        # A package that was interrupted in its import may say so in words of its own.
        if not STOPPING.numbers:
            raise
        code = _say_stopped(STOPPING.numbers[-1])
    STOPPING.end()
    if STOPPING.numbers:  # threads may still be at work; nobody waits for them
        end_now(code)
    sys.exit(code)


def _run() -> int:
    """Return the verb's exit code."""
    import gc
    import warnings

    # Imports make many objects that stay; looking through them again and again costs 0.1 s.
    gc.set_threshold(200_000, 50, 50)
    import typer

    from footfall.cli.app import app
    from footfall.errors import FootfallError

    # What a command line that cannot be understood raises; typer hands on only its children.
    usage_error: Any = typer.BadParameter.__mro__[1]
    # What a picture's font cannot show is a box in it, nothing to read about here.
    warnings.filterwarnings("ignore", message="Glyph .* missing from")
    try:
        code = app(standalone_mode=False)
        lost = output_problem()
        if lost:
            sys.stderr.write(f"footfall: standard output cannot be written ({lost})\n")
            return WRONG_INPUT
    except FootfallError as error:
        return _refuse(str(error))
    except usage_error as error:
        context = error.ctx
        if type(error).__name__ == "NoArgsIsHelpError":  # no command: print the whole help
            sys.stderr.write(error.format_message() + "\n")
            return WRONG_INPUT
        verb = context.command_path if context else "footfall"
        problem = error.format_message()
        return _refuse(f"{problem.rstrip('.')}; see {verb} --help")
    except typer.Abort:
        raise KeyboardInterrupt from None
    except OSError as error:  # a full disk, a folder nobody may write to
        where = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{where}{error.strerror or error}")
    return code if isinstance(code, int) else 0


def _refuse(problem: str) -> int:
    """Say what is wrong in one line, as JSON too if that was asked for; the exit code."""
    import json

    sentence = " ".join(problem.split())
    if "--json" in sys.argv:
        sys.stdout.write(json.dumps({"status": "wrong input", "error": sentence}) + "\n")
    sys.stderr.write(f"footfall: {sentence}\n")
    return WRONG_INPUT


def _say_stopped(number: int) -> int:
    """Return one word about having been stopped; the exit code that shells expect."""
    sys.stderr.write("footfall: stopped\n")
    return 128 + number


if __name__ == "__main__":
    main()
