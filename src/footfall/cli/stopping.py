"""Stop the program on Ctrl-C or on a request to end, also while compiled code runs.

Python calls signal handlers between two of its own instructions. A kernel that runs for a minute
delays them for a minute. A thread that the system's own handler wakes ends the program then.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any, NoReturn

GRACE_S, SAVING_S, DELIBERATE_S = 1.2, 30.0, 0.3
"""How long unwinding may take, how long saving what was found may take, and after how long a
second signal ends the program at once: a shell may send the first one twice."""
_AGAIN_S = 0.01
_NUMBERS = (signal.SIGINT, signal.SIGTERM)


class Stopped(SystemExit):
    """A request to end: unwinds the program, so that no temporary file is left."""


class Stopping:
    """The signals that came, and the thread that ends the program if it does not end itself.

    numbers  of the signals so far
    """

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.saving = False
        self._close: Callable[[], None] = lambda: None

    def begin(self) -> None:
        """Heed Ctrl-C and requests to end from now on."""
        for number in _NUMBERS:
            # A program that is started in the background may have to ignore Ctrl-C.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._handle)
        sys.unraisablehook = self._stop_again
        self._watch()

    def end(self) -> None:
        """Ignore signals from now on: the program is about to end, without a traceback."""
        for number in _NUMBERS:
            signal.signal(number, signal.SIG_IGN)
        sys.unraisablehook = sys.__unraisablehook__
        self._close()

    def allow_saving(self) -> None:
        """Let the program take some seconds to save what it has; a second signal ends it."""
        self.saving = True

    def _handle(self, number: int, frame: FrameType | None) -> NoReturn:
        self.numbers.append(number)
        if number == signal.SIGINT:
            raise KeyboardInterrupt  # a command may catch it, to save what it has
        raise Stopped(128 + number)

    def _watch(self) -> None:
        import threading

        read, write, self._close = _open_channel()
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        threading.Thread(target=self._end_after, args=(read,), daemon=True).start()

    def _end_after(self, read: Callable[[float | None], bytes | None]) -> None:
        """Wait for a signal; end the program if it is still there after its time."""
        import time

        number = None
        while number is None:
            came = read(None)
            if came == b"":  # closed: the program has ended by itself
                return
            number = next((n for n in came or b"" if n in _NUMBERS), None)
        start = time.monotonic()
        while (since := time.monotonic() - start) < (SAVING_S if self.saving else GRACE_S):
            again = read(0.1)
            if again == b"":
                return
            if again and since > DELIBERATE_S:
                break
        sys.stderr.write("footfall: stopped\n")
        end_now(128 + number)

    def _stop_again(self, lost: Any) -> None:
        """Ask to stop once more where a finaliser swallowed it; show other errors as usual.

        Python ignores what is raised while an object is thrown away, wherever a signal finds it.
        """
        if not (self.numbers and isinstance(lost.exc_value, Stopped | KeyboardInterrupt)):
            sys.__unraisablehook__(lost)
            return
        import threading

        again = threading.Timer(_AGAIN_S, _send_to_main, (self.numbers[-1],))
        again.daemon = True
        again.start()


STOPPING = Stopping()
"""Of this program; there is one, since signals are of the whole process."""


def end_now(code: int) -> NoReturn:
    """End the program without waiting for threads; no process or temporary file is left."""
    from footfall.files.atomic import remove_temporaries
    from footfall.processes import kill_children

    kill_children()
    remove_temporaries()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _open_channel() -> tuple[Callable[[float | None], bytes | None], int, Callable[[], None]]:
    """Return a reader of signal numbers, the handle that the system writes to, and a closer.

    The reader gets a time limit in seconds and returns None after it, nothing when it is closed.
    """
    import select

    read: Callable[[int], bytes]
    if os.name == "nt":  # Windows waits for sockets only
        import socket

        one, other = socket.socketpair()
        other.setblocking(False)
        first, second, read = one.fileno(), other.fileno(), one.recv
        close: Callable[[], None] = other.close
    else:
        first, second = os.pipe()
        os.set_blocking(second, False)
        read, close = partial(os.read, first), partial(os.close, second)

    def wait(limit: float | None) -> bytes | None:
        ready, _, _ = select.select([first], [], [], limit)
        return read(64) if ready else None

    def end() -> None:
        signal.set_wakeup_fd(-1)
        close()

    return wait, second, end


def _send_to_main(number: int) -> None:
    """Send a signal to the main thread, out of its sleep where the system can do that."""
    import _thread
    import threading

    main_thread = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main_thread is not None:
        signal.pthread_kill(main_thread, number)
    else:
        _thread.interrupt_main(signal.Signals(number))
