"""The player's page in Chromium, from disk and without a network."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.render.player.document import PlayedMotion, motion_document
from footfall.render.player.page import is_built, write_page
from tests.chromium import CHROMIUM, FLAGS
from tests.render.clips import walk

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}"),
    pytest.mark.skipif(not is_built(), reason="the player was not built (Node.js)"),
]


def picture(page: Any) -> Any:
    from PIL import Image

    shot = page.locator("canvas").screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=np.int32)


def test_the_page_plays_scrubs_and_shows_a_body(tmp_path: Path) -> None:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    document = motion_document([PlayedMotion(walk())], footfall.load_scene("plaza"))
    file = write_page(document, tmp_path / "walk.html")
    errors: list[str] = []
    requests: list[str] = []
    with api.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        context = browser.new_context(offline=True, viewport={"width": 640, "height": 480})
        page = context.new_page()
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(file.as_uri())
        page.wait_for_selector("#player[data-ready]", timeout=120_000)
        clock = "footfallPlayer.viewer.clock"
        page.wait_for_function(f"{clock}.time > 0.05", timeout=120_000)
        page.keyboard.press("Space")
        assert not page.evaluate(f"{clock}.playing")
        page.locator(".scrubber").fill("1")
        assert page.evaluate(f"{clock}.time") == pytest.approx(1.0)
        page.keyboard.press("ArrowRight")
        assert page.evaluate(f"{clock}.time") > 1.0
        page.wait_for_timeout(500)
        body = picture(page)
        page.evaluate("footfallPlayer.viewer.showMotion(0, false)")
        page.wait_for_timeout(500)
        empty = picture(page)
        browser.close()
    changed = (np.abs(body - empty).sum(axis=2) > 30).mean()
    assert changed > 0.005
    assert errors == []
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
