"""The player's page: what its document holds, and that it stands alone."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.body.clip import Clip
from footfall.maths.quaternions import normalise
from footfall.render.player.document import PlayedMotion, motion_document
from footfall.render.player.page import is_built, notebook_frame, write_page
from tests.render.clips import walk

needs_player = pytest.mark.skipif(not is_built(), reason="the player was not built (Node.js)")
MOST_BYTES = 3_000_000


def unpack(document: dict[str, Any], packed: dict[str, Any]) -> Any:
    """Return an array as the viewer's `Arrays.floats` does."""
    data = zlib.decompress(base64.b64decode(document["buffer"]))
    kind = np.dtype(f"<{packed['type']}")
    count = int(np.prod(packed["shape"]))
    piece = np.frombuffer(data, np.uint8, count * kind.itemsize, packed["at"])
    array = np.ascontiguousarray(piece.reshape(kind.itemsize, count).T).view(kind)
    array = array.reshape(packed["shape"])
    if packed.get("delta"):
        array = np.cumsum(array, axis=0, dtype=kind)
    return array * np.array(packed.get("scale", 1.0)) + np.array(packed.get("offset", 0.0))


def test_the_document_holds_the_motion() -> None:
    clip = walk()
    document = motion_document([PlayedMotion(clip)])
    entry = document["motions"][0]
    rotations = normalise(unpack(document, entry["rotations"]))
    shown = Clip(clip.skeleton, entry["fps"], unpack(document, entry["root"]), rotations)
    assert np.abs(shown.world.positions - clip.world.positions).max() < 2e-4


def test_the_document_holds_every_obstacle_of_a_scene() -> None:
    scene = footfall.load_scene("room")
    document = motion_document([PlayedMotion(walk())], scene)
    shapes = document["scene"]["shapes"]
    assert [s["index"] for s in shapes if s["index"] >= 0] == list(range(len(scene.obstacles)))
    assert shapes[0]["kind"] == "ground"


@needs_player
def test_a_page_stands_alone_and_is_small(tmp_path: Path) -> None:
    clip = walk()
    longer = clip[np.arange(round(30.0 * clip.fps)) % len(clip)]
    document = motion_document([PlayedMotion(longer)], footfall.load_scene("hills"))
    page = write_page(document, tmp_path / "walk.html")
    text = page.read_text("utf-8")
    assert page.stat().st_size < MOST_BYTES
    for way_out in ('src="', '<link rel="stylesheet', "@import", "url(http"):
        assert way_out not in text
    assert "default-src 'none'" in text


@needs_player
def test_a_notebook_shows_the_page_in_a_frame() -> None:
    frame = notebook_frame(motion_document([PlayedMotion(walk())]))
    assert frame.startswith("<iframe srcdoc=")
    assert "<script" not in frame


def test_a_seat_is_shown_under_who_sits_without_a_scene() -> None:
    library = footfall.open_library("default")
    clip = library.clip(next(name for name in library.names if name.startswith("sit")))
    document = motion_document([PlayedMotion(clip), PlayedMotion(walk())])
    (seat,) = document["seats"]
    frame = int(np.flatnonzero(clip.touches[:, 2]).mean())
    hips = clip.positions[frame, [clip.skeleton.roles[f"{side}_hip"] for side in ("left", "right")]]
    assert np.hypot(*(np.array(seat["position"]) - hips.mean(axis=0))[[0, 2]]) < 0.2
    corners = unpack(document, seat["vertices"])
    under = corners[(np.abs(corners[:, [0, 2]]) < 0.3).all(axis=1), 1] + seat["position"][1]
    seat_height = under[under < hips[:, 1].mean()].max()
    assert 0.03 < hips[:, 1].mean() - seat_height < 0.2
    assert motion_document([PlayedMotion(clip)], footfall.load_scene("course"))["seats"] == []
