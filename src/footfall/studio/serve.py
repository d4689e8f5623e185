"""`studio`: serve the studio until it is stopped."""

from __future__ import annotations

import secrets
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from footfall.errors import InputError, MissingDependencyError

STOP_S = 1
"""How long open connections may take when the server is stopped."""


def studio(
    *,
    work: str | Path = "footfall-studio",
    host: str = "127.0.0.1",
    port: int = 8765,
    token: str = "",
    started: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve the studio until it is stopped by Ctrl-C or a request to end.

    work     the folder that session, scenes and plans are kept in
    port     0 takes any that is free
    token    what requests must carry; on other addresses than loopback one is made if none is given
    started  called with the address to open once the server listens
    """
    try:
        from footfall.studio.app import make_app
        from footfall.studio.state import Studio
    except ModuleNotFoundError as error:
        raise MissingDependencyError(str(error.name), "studio", "the studio") from None
    serve_app(lambda token: make_app(Studio(work), host, token), host, port, token, started)


def serve_app(
    make: Callable[[str], Any], host: str, port: int, token: str, started: Callable[[str], None]
) -> None:
    """Serve the application that `make` returns for a token, until it is stopped."""
    try:
        import uvicorn
        import websockets  # noqa: F401

        from footfall.studio.guard import LOOPBACK
    except ModuleNotFoundError as error:
        raise MissingDependencyError(str(error.name), "studio", "a server") from None
    if host not in LOOPBACK and not token:
        token = secrets.token_urlsafe(18)
    app = make(token)
    listener = _listen(host, port)
    config = uvicorn.Config(
        app, log_level="error", access_log=False, timeout_graceful_shutdown=STOP_S,
        ws_max_size=16 << 20, server_header=False, lifespan="on",
    )  # fmt: skip
    place = f"[{host}]" if ":" in host else host
    address = f"http://{place}:{listener.getsockname()[1]}/"
    started(f"{address}?token={token}" if token else address)
    server = uvicorn.Server(config)
    # Its own way sends the signal again when it has stopped, as if somebody had lost patience.
    server.capture_signals = lambda: _stop_at_signals(server.handle_exit)  # type: ignore[method-assign]
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        pass  # it has stopped cleanly, and says so by returning
    finally:
        listener.close()


@contextmanager
def _stop_at_signals(stop: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Call `stop` at Ctrl-C and at a request to end, once each has come."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; a port that is taken is refused in one sentence."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        raise InputError(
            f"it cannot listen on {host}, port {port} ({getattr(error, 'strerror', error)})",
            remedy="choose another with --port, or 0 for any",
        ) from None
    return listener
