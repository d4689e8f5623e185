"""`study serve`: let people grade the clips of a study until it is stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from footfall.errors import MissingDependencyError


def serve_study(
    folder: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8766,
    token: str = "",
    started: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve a rating study until it is stopped by Ctrl-C or a request to end.

    folder   where `make_study` wrote it; ratings are kept there
    port     0 takes any that is free
    token    what the address must carry; on other addresses than loopback one is made
    started  called with the address to open once the server listens
    """
    try:
        from footfall.studio.rating.app import make_app
        from footfall.studio.serve import serve_app
    except ModuleNotFoundError as error:
        raise MissingDependencyError(str(error.name), "studio", "the rating study") from None
    serve_app(lambda token: make_app(folder, host, token), host, port, token, started)
