"""`footfall studio`: the browser studio."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.options import command
from footfall.cli.output import Output
from footfall.cli.stopping import STOPPING


@command
def studio(
    output: Output,
    work: Path = Path("footfall-studio"),
    port: Annotated[int, typer.Option("--port", min=0, max=65535)] = 8765,
    host: str = "127.0.0.1",
    token: str = "",
    open_page: Annotated[bool, typer.Option("--open/--no-open")] = True,
) -> None:
    """Open the studio in the browser: edit scenes and tasks, plan, steer live, export.

    It runs until Ctrl-C and keeps everything in its work folder.

    work       The folder for its session, scenes and plans.
    port       0 takes any that is free.
    host       The address to listen on; others than this machine's need the token.
    token      What the address must carry (default: a random one where it is needed).
    open_page  Open the browser, if there is one.

    Examples:
      footfall studio --port 9000
    """
    from footfall.studio.serve import studio as serve

    def show(address: str) -> None:
        output.say(f"the studio is at {address}")
        output.say("  Ctrl-C stops it; everything is kept")
        sys.stdout.flush()  # whoever reads a pipe waits for the address
        STOPPING.allow_saving()  # jobs are cancelled and plans written before it ends
        if open_page:
            _open(address)

    serve(work=work, host=host, port=port, token=token, started=show)
    output.say("stopped")
    output.result({"work": str(work)})


def _open(address: str) -> None:
    """Open a page without waiting for the browser."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
