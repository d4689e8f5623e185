"""Strips of default clips beside the nearest recording: python -m bench.acting.strips

Each behaviour is shown at even instants from the side, the front and above, and under it the
recording of the same behaviour whose poses are nearest. Recordings stay where they are: pictures
with them are for looking at, not for the docs.
"""

from __future__ import annotations

import argparse
import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from bench.limits import plain
from bench.limits.plain import Floats
from footfall import load
from footfall.body.mannequin import mannequin
from footfall.library.library import open_library
from footfall.report.render.camera import orthographic
from footfall.report.render.instants import bodies_at, floor_of
from footfall.report.render.raster import Style, draw

INSTANTS = 14
_METRES, _PIXELS = 1.05, 142
"""How wide the column of an instant is."""
_TALL_M = {"side": 2.15, "front": 2.15, "top": 1.25}
_LIVELY = 0.12
"""A clip acts from where to where joints move by this share of its liveliest moments."""
_PARTS = tuple(f"{side}_{part}" for side in plain.SIDES
               for part in ("ankle", "knee", "hip", "wrist", "elbow", "shoulder"))  # fmt: skip


@dataclass(frozen=True)
class Behaviour:
    """A behaviour: the default clip that stands for it, the recordings that show the same, and
    from when to when it is shown, seconds; all of what acts unless given."""

    clip: str
    recorded: tuple[str, ...] = ()
    span_s: tuple[float, float] | None = None


_STRIDE = (1.0, 2.3)
BEHAVIOURS: dict[str, Behaviour] = {
    "walk": Behaviour("park_walk_1.1", ("walk_straight",), _STRIDE),
    "fast_walk": Behaviour("park_walk_1.7", ("walk_straight",), _STRIDE),
    "curve": Behaviour("walk_curve_left", ("walk_curve_left",), (0.5, 3.0)),
    "turn": Behaviour("turn_left_90", ("walk_turn_left_tight",)),
    "turn_back": Behaviour("turn_right_180", ("walk_turn_around",)),
    "start": Behaviour("start_right_1.4", ("walk_start",), (0.6, 2.4)),
    "stop": Behaviour("stop_left_1.4", ("walk_stop",), (1.4, 3.6)),
    "run": Behaviour("run_3.4", ("run_straight",), (1.0, 1.8)),
    "run_curve": Behaviour("park_run_2.4_left_0.9", ("run_curve_left",), (1.0, 2.0)),
    "run_start": Behaviour("run_start_right", ("run_start",), (0.6, 2.2)),
    "run_stop": Behaviour("run_stop_left", ("run_stop",), (1.2, 3.6)),
    "walk_to_run": Behaviour("walk_to_run_right", ("walk_to_run",), (1.6, 3.2)),
    "turn_in_place": Behaviour("turn_in_place_left_90", ("turn_in_place_left",)),
    "backward": Behaviour("back_0.7", ("walk_backward",), _STRIDE),
    "back_start": Behaviour("back_start_left", ("walk_backward",), (0.4, 2.6)),
    "sidestep": Behaviour("sidestep_left_0.5", ("sidestep_left", "sidestep_both")),
    "jump": Behaviour("jump_0.8", ("jump_forward",)),
    "long_jump": Behaviour("jump_1.4", ("jump_forward",)),
    "hop": Behaviour("hop_right"),
    "running_jump": Behaviour("running_jump_1.6_right", ("hurdle",)),
    "hurdle": Behaviour("hurdle_0.5_right", ("hurdle",)),
    "step_over": Behaviour("step_over_0.30_right", ("step_over",)),
    "step_onto": Behaviour("step_onto_0.30_right", ("stairs_up",)),
    "step_off": Behaviour("step_off_0.30_right"),
    "duck": Behaviour("duck_0.9_right", ("duck_under",)),
    "duck_little": Behaviour("duck_1.2_right", ("duck_under",)),
    "pick_high": Behaviour("pick_1.30_0.50"),
    "pick_middle": Behaviour("pick_0.50_0.70", ("pick_up",)),
    "pick_floor": Behaviour("pick_0.00_0.35", ("pick_up",)),
    "sit": Behaviour("sit_0.45", ("sit_stand",)),
    "stand_up": Behaviour("stand_up_0.45", ("sit_stand",)),
    "stairs_up": Behaviour("stairs_up_right", ("stairs_up", "stairs_up_down")),
    "stairs_down": Behaviour("stairs_down_right", ("stairs_up_down",)),
    "beam": Behaviour("beam_right", ("beam",), (1.0, 4.6)),
    "idle": Behaviour("stand_1", (), (0.0, 5.0)),
}


def acts(body: plain.Body) -> tuple[int, int]:
    """From which frame to which anything much moves."""
    places = np.stack([body.at[part] for part in _PARTS], axis=1)
    speed = np.linalg.norm(np.diff(places, axis=0), axis=2).mean(axis=1)
    lively = np.flatnonzero(speed > _LIVELY * np.percentile(speed, 95))
    wait = round(0.2 * body.fps)
    return max(int(lively[0]) - wait, 0), min(int(lively[-1]) + wait, body.frames - 1)


def poses(body: plain.Body, first: int, last: int) -> Floats:
    """(N, P + 1, 3) places of joints against the hips, as the hips face, and, last, how far the
    hips have come, as they faced at first; leg lengths."""
    frames = np.linspace(first, last, INSTANTS).round().astype(int)
    left, right = (body.at[f"{side}_hip"][frames] for side in plain.SIDES)
    across = left - right
    yaw = np.arctan2(-across[:, 2], across[:, 0])
    places = np.stack([body.at[part][frames] for part in _PARTS], axis=1)
    hips = 0.5 * (left + right)
    own = _turned(places - hips[:, None], yaw[:, None])
    travel = _turned(hips - hips[0], yaw[:1])
    return np.concatenate([own, travel[:, None]], axis=1) / body.leg_m


def _turned(places: Floats, yaw: Floats) -> Floats:
    c, s = np.cos(yaw), np.sin(yaw)
    x, z = places[..., 0] * c - places[..., 2] * s, places[..., 0] * s + places[..., 2] * c
    return np.stack([x, places[..., 1], z], axis=-1)


def nearest(shown: Floats, seconds: float, bodies: dict[str, plain.Body]) -> tuple[str, int, int]:
    """The recording and its frames whose poses at even instants are nearest to those shown."""
    best = (math.inf, "", 0, 0)
    for name, body in bodies.items():
        first, last = acts(body)
        for share in (0.7, 0.85, 1.0, 1.2, 1.5):
            long = round(share * seconds * body.fps)
            ends = range(first, max(last - long, first) + 1, max(round(0.08 * body.fps), 1))
            for begin in ends:
                end = min(begin + long, body.frames - 1)
                off = np.abs(poses(body, begin, end) - shown).mean(axis=(0, 2))
                far = float(off[:-1].mean() + off[-1])
                best = min(best, (far, name, begin, end))
    return best[1:]


def strip(clip: Any, first: int, last: int, title: str) -> Image.Image:
    """Bodies at even instants, side by side, from the side, the front and above."""
    frames = np.linspace(first, last, INSTANTS).round().astype(np.int32)
    shape = mannequin(clip.skeleton)
    posed = bodies_at(clip, shape, frames)
    floor = floor_of(clip, shape)
    facing = posed.facing[: max(2, INSTANTS // 4)].mean(axis=0)
    ahead = math.atan2(facing[0], facing[1])
    rows = [_row(posed, view, ahead, floor) for view in _TALL_M]
    page = Image.new("RGB", (rows[0].width, sum(r.height for r in rows) + 18), "white")
    pen, y = ImageDraw.Draw(page), 18
    pen.text((6, 3), title, fill="black")
    for n, frame in enumerate(frames):
        pen.text((_PIXELS * n + 90, 3), f"{frame / clip.fps:.2f} s", fill="gray")
    for row in rows:
        page.paste(row, (0, y))
        y += row.height
    return page


def _row(posed: Any, view: str, ahead: float, floor: float) -> Image.Image:
    items = []
    # Seen from the side they go to the right, from the front they come, from above they go up.
    yaw = {"side": 0.5 * math.pi, "front": 0.0, "top": math.pi}[view] - ahead
    for n in range(len(posed)):
        x, z = posed.places[n]
        shift = np.array([_METRES * (n + 0.5) - x, -floor, -z])
        items.append(posed.item(n, yaw=yaw, shift=shift))
    wide, tall = _METRES * len(posed), _TALL_M[view]
    size = (_PIXELS * len(posed), round(_PIXELS * tall / _METRES))
    if view == "top":
        camera = orthographic((0.5 * wide, 1.0, 0.0), (0.0, -1.0, -1e-4), height=tall)
    else:
        low = float(np.percentile(posed.vertices[..., 1].min(axis=1), 10)) - floor
        rise = max(float(posed.vertices[..., 1].max()) - floor - low - 1.95, 0.0)
        camera = orthographic((0.5 * wide, low + 0.5 * (tall + rise) - 0.12, 0.0),
                              (0.0, -0.04, -1.0), height=tall + rise)  # fmt: skip
        size = (size[0], round(_PIXELS * (tall + rise) / _METRES))
    style = Style(stage=((0.0, 0.0), (wide, 0.0)), stage_radius=3.0, grid=0.0)
    return Image.fromarray(draw(items, camera, size, style))


def draw_all(folder: Path, recorded: Path | None, names: list[str]) -> None:
    """Write the strips of these behaviours, or of all, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    clips = {clip.name: clip for clip in open_library("default")}
    kinds: dict[str, str] = {}
    if recorded is not None:
        with (recorded / "INDEX.csv").open() as index:
            kinds = {row["file"]: row["behaviour"] for row in csv.DictReader(index)}
    for name in names or BEHAVIOURS:
        one = BEHAVIOURS[name]
        clip = clips[one.clip]
        body = plain.body_of(clip)
        span = one.span_s
        first, last = acts(body) if span is None else (round(t * clip.fps) for t in span)
        last = min(last, len(clip) - 1)
        pages = [strip(clip, first, last, one.clip)]
        files = [f for f, kind in kinds.items() if kind in one.recorded and f.endswith(".bvh")]
        if recorded is not None and files:
            others = {file: load(recorded / file) for file in files}
            shown = poses(body, first, last)
            seconds = (last - first) / clip.fps
            bodies = {file: plain.body_of(other) for file, other in others.items()}
            file, begin, end = nearest(shown, seconds, bodies)
            pages.append(strip(others[file], begin, end, file))
        page = Image.new("RGB", (pages[0].width, sum(p.height for p in pages)), "white")
        y = 0
        for part in pages:
            page.paste(part, (0, y))
            y += part.height
        page.save(folder / f"{name}.png")
        print(folder / f"{name}.png", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("behaviours", nargs="*", help=", ".join(BEHAVIOURS))
    parser.add_argument("--recorded", type=Path, help="a folder of recordings with INDEX.csv")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/strips"))
    asked = parser.parse_args()
    draw_all(asked.output, asked.recorded, asked.behaviours)
