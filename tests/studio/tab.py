"""A tab of Chromium that shows the studio, used as people use it: by clicks, drags and keys."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.chromium import CHROMIUM, FLAGS

SIZE = {"width": 1024, "height": 640}
Spot = Sequence[float]
"""A place in the scene: x and z on the ground, or x, y and z."""


class Tab:
    """One page; its errors are collected."""

    def __init__(self, context: Any, address: str) -> None:
        self.page, self.errors = context.new_page(), []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.open(address)

    def _note(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.wait("!!window.studio && studio.app.ready && studio.app.connected")

    def run(self, script: str, *values: Any) -> Any:
        """Return what a script gives in the page."""
        return self.page.evaluate(script, *values)

    def wait(self, condition: str, seconds: float = 300.0) -> None:
        """Wait until a condition holds in the page; its policy forbids to evaluate texts there."""
        until = time.monotonic() + seconds
        while not self.run(condition):
            if time.monotonic() > until:
                said = [self.page.inner_text("#status-text"), *self.toasts(), *self.errors]
                raise AssertionError(f"never: {condition}; {said}")
            self.page.wait_for_timeout(40)

    def toasts(self) -> list[str]:
        return list(self.page.locator(".toast").all_inner_texts())

    def plan_shown(self) -> str:
        """Wait until nothing is being planned; return the id of the plan that is shown first."""
        self.page.wait_for_timeout(30)
        self.wait("!studio.app.busy && studio.app.shown.length > 0")
        return str(self.run("studio.app.shown[0]"))

    def task(self) -> list[dict[str, Any]]:
        return list(self.run("studio.app.store.doc.stages"))

    # ---- the view -----------------------------------------------------------------------

    def look(self, at: Spot, beside: Spot) -> None:
        """Put the camera beside a point."""
        self.run(
            """([at, beside]) => { const { view } = studio.app; const point = view.camera.position;
            view.lookFrom(point.clone().set(...at), point.clone().set(...beside)); }""",
            [list(at), list(beside)],
        )

    def pixel(self, spot: Spot) -> tuple[float, float]:
        """Return where a place of the scene is on the page."""
        x, y, z = (spot[0], None, spot[1]) if len(spot) == 2 else spot
        at = self.run(
            """([x, y, z]) => { const { view } = studio.app; view.camera.updateMatrixWorld();
            const p = view.toPage(view.camera.position.clone().set(x, y ?? view.height(x, z), z));
            return [p.x, p.y]; }""",
            [x, y, z],
        )
        return float(at[0]), float(at[1])

    def click(self, spot: Spot, **how: Any) -> None:
        self.page.mouse.click(*self.pixel(spot), **how)

    def drag(self, *spots: Spot, hold: bool = False) -> None:
        """Press at the first place, go through the others, and let go."""
        first, *others = (self.pixel(spot) for spot in spots)
        self.page.mouse.move(*first)
        self.page.mouse.down()
        for one in others:
            self.page.mouse.move(*one, steps=4)
        if not hold:
            self.page.mouse.up()

    def choose(self, spot: Spot, item: str) -> list[str]:
        """Click something, choose from its menu, and return what the menu offers."""
        self.click(spot)
        self.page.wait_for_selector(".menu")
        offers = self.page.locator(".menu button").all_inner_texts()
        self.page.locator(".menu button", has_text=item).first.click()
        return [offer.split("\n")[0] for offer in offers]

    # ---- files --------------------------------------------------------------------------

    def give(self, *files: Path) -> None:
        """Open files as with the button; wait until they are taken or refused."""
        count = self.run("studio.app.taken") + len(files)
        self.page.locator("input[type=file]").set_input_files([str(file) for file in files])
        self.wait(f"studio.app.taken === {count}")

    def export(self, kind: str, folder: Path) -> Path:
        """Save something with the export dialog; return the file."""
        self.page.keyboard.press("Control+e")
        with self.page.expect_download(timeout=120_000) as saved:
            self.page.locator(f"#export-{kind}").click()
        file = folder / saved.value.suggested_filename
        saved.value.save_as(file)
        return file


@contextmanager
def chromium() -> Iterator[Any]:
    """Start the browser; give a context whose pages do not play motions by themselves."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser.new_context(viewport=SIZE, accept_downloads=True, reduced_motion="reduce")
        browser.close()
