"""A page to compose pictures on: paper, type, and labels that keep clear of each other."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from footfall.render.raster import Picture

INK = "#2d2b28"
SOFT = "#86817a"
FAINT = "#d9d5cd"
ACCENT = "#c2503a"
PAPER = "#f7f6f3"
CHARACTERS = (
    "#a8926f", "#c2503a", "#3f7cac", "#5b8c5a", "#d19a2a", "#7d5ba6", "#3d3d45", "#b86f8f",
)  # fmt: skip
"""One colour after the other for characters, and their paths, that are seen together."""

ENDS = ("#1b7f5a", "#b3312c")
"""The colours of starts and goals."""

Box = tuple[float, float, float, float]


@lru_cache(maxsize=64)
def font(pixels: int, bold: bool = False) -> Any:
    """DejaVu Sans, which matplotlib brings along; Pillow's own face if it cannot be found."""
    from PIL import ImageFont

    found = find_spec("matplotlib")
    for folder in (found.submodule_search_locations or []) if found else []:
        name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
        file = Path(folder) / "mpl-data" / "fonts" / "ttf" / name
        if file.is_file():
            return ImageFont.truetype(str(file), max(6, pixels))
    return ImageFont.load_default(max(6, pixels))


class Page:
    """A sheet of paper of `size` pixels; `unit` scales type and lines."""

    def __init__(self, size: tuple[int, int], unit: float) -> None:
        from PIL import Image, ImageDraw

        self.unit = unit
        self.image = Image.new("RGB", size, PAPER)
        self._pen = ImageDraw.Draw(self.image)
        self._taken: list[Box] = []

    def paste(self, picture: Picture, left: int, top: int) -> None:
        """Put a picture (H, W, 3) on the page."""
        from PIL import Image

        self.image.paste(Image.fromarray(picture), (left, top))

    def text(
        self, x: float, y: float, words: str, *, size: float = 19.0, colour: str = SOFT,
        anchor: str = "ls", bold: bool = False, clear: bool = False, halo: bool = False,
    ) -> bool:  # fmt: skip
        """Write `words` at (x, y) in Pillow's anchor code; with `clear`, only where no other
        text is. Returns whether it was written."""
        face = font(round(size * self.unit), bold)
        box = self._pen.textbbox((x, y), words, font=face, anchor=anchor)
        gap = 5.0 * self.unit
        if clear and (self._meets(box, gap) or box[0] < gap or box[2] > self.image.width - gap):
            return False
        self._taken.append(box)
        stroke = round(3 * self.unit) if halo else 0
        self._pen.text(
            (x, y), words, font=face, anchor=anchor, fill=colour,
            stroke_width=stroke, stroke_fill=PAPER,
        )  # fmt: skip
        return True

    def shortened(self, words: str, width: float, size: float, bold: bool = False) -> str:
        """`words`, cut with an ellipsis if they are wider than `width` pixels."""
        face = font(round(size * self.unit), bold)
        if face.getlength(words) <= width:
            return words
        while words and face.getlength(words + "…") > width:
            words = words[:-1]
        return words + "…"

    def rule(self, x0: float, x1: float, y: float, colour: str = FAINT, width: float = 1.5) -> None:
        """A level line."""
        self._block(x0, y, x1, y + max(1.0, width * self.unit), colour)

    def scale_bar(self, right: float, bottom: float, pixels_per_metre: float) -> None:
        """A bar of a round length in metres, its right end at (right, bottom)."""
        lengths = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000]
        wanted = 150 * self.unit
        metres = min(lengths, key=lambda m: abs(np.log(m * pixels_per_metre / wanted)))
        left = right - metres * pixels_per_metre
        if left < 0:
            return
        cap, thick = 5.0 * self.unit, max(1.0, 2.0 * self.unit)
        self._block(left, bottom - thick / 2, right, bottom + thick / 2, SOFT)
        for x in (left, right - thick):
            self._block(x, bottom - cap, x + thick, bottom + cap, SOFT)
        self.text(
            (left + right) / 2, bottom - 10 * self.unit, f"{metres:g} m", size=17, anchor="ms"
        )

    def _block(self, x0: float, y0: float, x1: float, y1: float, colour: str) -> None:
        corners = (
            round(x0),
            round(y0),
            max(round(x0), round(x1) - 1),
            max(round(y0), round(y1) - 1),
        )
        self._pen.rectangle(corners, fill=colour)

    def _meets(self, box: Box, gap: float) -> bool:
        return any(
            box[0] - gap < b[2] and b[0] - gap < box[2] and box[1] < b[3] and b[1] < box[3]
            for b in self._taken
        )
