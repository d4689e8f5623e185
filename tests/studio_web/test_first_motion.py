"""From opening the studio to an exported motion, in a real browser against the real server."""

from __future__ import annotations

import importlib.resources
import json
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall

CHROMIUM = shutil.which("chromium")
BUILT = Path(str(importlib.resources.files("footfall"))) / "studio" / "static" / "index.html"
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]

pytest.importorskip("playwright", reason="needs playwright")
pytest.importorskip("uvicorn", reason="needs footfall[studio]")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None or not BUILT.is_file(), reason="needs Chromium and the built front end"
)


def wait(page: Any, text: str, seconds: float = 120.0) -> None:
    """Wait until an expression of the page is true; the page forbids code made of strings."""
    end = time.monotonic() + seconds
    while not page.evaluate(text):
        assert time.monotonic() < end, f"waited in vain for {text}"
        time.sleep(0.1)


def is_wrong(message: Any) -> bool:
    """Tell whether the console names a mistake; refused requests are told there as well."""
    return message.type == "error" and not message.text.startswith("Failed to load resource")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    from footfall.studio.serve import studio

    told: list[str] = []
    work = tmp_path_factory.mktemp("work")
    threading.Thread(
        target=lambda: studio(work=work, port=0, started=told.append), daemon=True
    ).start()
    while not told:
        time.sleep(0.05)
    return told[0]


@pytest.fixture
def page(address: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    wrong: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: wrong.append(m.text) if is_wrong(m) else None)
        page.goto(address)
        wait(page, "document.getElementById('status-text')?.textContent === 'Ready.'")
        yield page
        browser.close()
    assert not wrong, wrong


def on_page(page: Any, x: float, z: float) -> tuple[float, float]:
    """Where a point of the floor is on the page."""
    found = page.evaluate(
        "([x, z]) => { const { view } = studio.app; const p = view.camera.position.clone();"
        " p.set(x, view.height(x, z), z); return view.toPage(p); }",
        [x, z],
    )
    return found["x"], found["y"]


def test_a_click_on_the_floor_walks_there_and_the_exported_bvh_ends_there(
    page: Any, tmp_path: Path
) -> None:
    x, z = -0.9, -1.2
    page.mouse.click(*on_page(page, x, z))
    wait(page, "studio.app.shown.length === 1 && !studio.app.job")
    goal = page.evaluate("studio.app.store.goal.at")
    assert np.hypot(goal[0] - x, goal[1] - z) < 0.1
    page.click("#export")
    with page.expect_download() as download:
        page.click("#export-bvh")
    download.value.save_as(tmp_path / "walk.bvh")
    clip = footfall.load(tmp_path / "walk.bvh")
    assert np.hypot(clip.root[-1, 0] - goal[0], clip.root[-1, 2] - goal[1]) < 0.25


def test_a_reloaded_page_shows_the_task_and_the_plan_again(page: Any) -> None:
    assert page.evaluate("studio.app.store.doc.stages.length") == 1
    assert page.evaluate("studio.app.shown.length") == 1


def test_live_mode_walks_with_a_key_held(page: Any) -> None:
    page.click("#mode-live")
    wait(page, "studio.live.framesSeen > 5")
    where = "JSON.stringify(studio.app.view.people.children.at(-1).skeleton.bones[0].position)"
    wait(page, "studio.app.view.people.children.length > 0")
    before = json.loads(page.evaluate(where))
    page.keyboard.down("w")
    page.wait_for_timeout(3000)
    page.keyboard.up("w")
    after = json.loads(page.evaluate(where))
    assert np.hypot(after["x"] - before["x"], after["z"] - before["z"]) > 0.3


def test_a_file_that_is_no_clip_is_refused_in_a_toast(page: Any, tmp_path: Path) -> None:
    (tmp_path / "broken.bvh").write_text("HIERARCHY nonsense")
    page.set_input_files("input[type=file]", str(tmp_path / "broken.bvh"))
    wait(page, "document.querySelector('.toast.error') !== null", 30)
