"""`footfall`: where the program begins, and where errors and signals become one sentence.

Nothing heavy is imported before `main` runs, so that Ctrl-C finds somebody to answer it from the
first moment on.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any, NoReturn

WRONG_INPUT = 2
_AGAIN_S = 0.01


class _Stopped(SystemExit):
    """Ctrl-C, or a request to end: unwinds the program, so that no temporary file is left."""


def main() -> None:
    """Run the program; wrong input is one sentence and exit code 2, never a traceback."""
    stops: list[int] = []

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        stops.append(number)
        if number == signal.SIGINT:
            raise KeyboardInterrupt  # a verb may catch it, to save what it has
        raise _Stopped(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        # Who starts programs in the background may have them ignore Ctrl-C.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)
    sys.unraisablehook = lambda lost: _stop_again(lost, stops)
    try:
        code = _run()
        if code == 128 + signal.SIGINT:  # typer makes an exit code of Ctrl-C
            code = _say_stopped(signal.SIGINT)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
        if isinstance(error, _Stopped):
            code = _say_stopped(stops[-1])
    except KeyboardInterrupt:
        code = _say_stopped(signal.SIGINT)
    except BaseException:
        # A package that was interrupted in its import may say so in words of its own.
        if not stops:
            raise
        code = _say_stopped(stops[-1])
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the end is near; it needs no traceback
    sys.unraisablehook = sys.__unraisablehook__
    sys.exit(code)


def _stop_again(lost: Any, stops: list[int]) -> None:
    """Ask to stop once more where a finaliser swallowed it; other errors are shown as usual.

    Python ignores what is raised while an object is thrown away, wherever a signal finds it.
    """
    if not (stops and isinstance(lost.exc_value, _Stopped | KeyboardInterrupt)):
        sys.__unraisablehook__(lost)
        return
    import threading

    again = threading.Timer(_AGAIN_S, _send_to_main, (stops[-1],))
    again.daemon = True
    again.start()


def _send_to_main(number: int) -> None:
    """Send a signal to the main thread, out of its sleep where the system can do that."""
    import _thread
    import threading

    main_thread = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main_thread is not None:
        signal.pthread_kill(main_thread, number)
    else:
        _thread.interrupt_main(signal.Signals(number))


def _run() -> int:
    """The verb's exit code."""
    import gc
    import io
    import warnings

    # Imports make many objects that stay; looking through them again and again costs 0.1 s.
    gc.set_threshold(200_000, 50, 50)
    import typer

    from footfall.cli.app import app
    from footfall.errors import FootfallError

    # What a command line that cannot be understood raises; typer hands on only its children.
    usage_error: Any = typer.BadParameter.__mro__[1]
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
        return _refuse(str(error))
    except usage_error as error:
        if not sys.argv[1:]:  # no verb: the whole help is the answer
            error.show()
            return WRONG_INPUT
        context = error.ctx
        verb = context.command_path if context else "footfall"
        problem = error.format_message()
        return _refuse(f"{problem.rstrip('.')}; see {verb} --help")
    except typer.Abort:
        raise KeyboardInterrupt from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
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
    """One word about having been stopped; the exit code that shells expect."""
    sys.stderr.write("footfall: stopped\n")
    return 128 + number


if __name__ == "__main__":
    main()
