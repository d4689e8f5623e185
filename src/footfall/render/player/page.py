"""The player's page: one HTML file with the program and the motion document inside."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from footfall.errors import InputError
from footfall.files.atomic import atomic_file, make_folder_of

BUNDLE = Path(__file__).parent / "static" / "player.js"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Footfall">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
img-src data: blob:; connect-src data: blob:">
<title>{title}</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="player"></div>
<noscript>This page plays a motion and needs JavaScript and WebGL 2.</noscript>
<script id="document" type="application/json">{document}</script>
<script>{program}</script>
</body>
</html>
"""


def is_built() -> bool:
    """Whether the player's program was built with the package."""
    return BUNDLE.is_file()


def check_built() -> None:
    """Refuse to write pages where the player's program is missing."""
    if not is_built():
        raise InputError(
            "the player was not built with this installation",
            remedy="install Node.js 20 or newer and install Footfall again, or use a wheel",
        )


def player_page(document: dict[str, Any]) -> str:
    """Return the page that plays a motion document; it needs neither files nor a network."""
    check_built()
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    return _PAGE.format(
        title=html.escape(document["title"] or "Footfall"),
        document=text.replace("<", "\\u003c"),  # no end tag inside
        program=BUNDLE.read_text("utf-8").replace("</script", "<\\/script"),
    )


def write_page(document: dict[str, Any], path: str | Path) -> Path:
    """Write the page that plays a motion document."""
    path = Path(path)
    make_folder_of(path)
    page = player_page(document)
    with atomic_file(path) as temporary:
        temporary.write_text(page, "utf-8")
    return path


def notebook_frame(document: dict[str, Any], height: int = 560) -> str:
    """Return HTML that shows the player inside a notebook."""
    page = html.escape(player_page(document), quote=True)
    return (
        f'<iframe srcdoc="{page}" title="Footfall player" '
        f'style="width:100%;height:{height}px;border:0" sandbox="allow-scripts"></iframe>'
    )
