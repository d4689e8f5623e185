"""Strips of default clips beside the nearest recording: python -m bench.acting.strips

Each behaviour is shown at even instants from the side, the front and above, and, if recordings are
given, under it the one of the same behaviour whose poses are nearest. Recordings stay where they
are: pictures with them are for looking at; those of the docs are drawn without, by

python -m bench.acting.strips --pixels 88 -o docs/images/strips
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
from footfall.library.default import generate_clip
from footfall.render.camera import orthographic
from footfall.render.instants import bodies_at, floor_of
from footfall.render.raster import Style, draw

INSTANTS = 14
_TALL_M = {"side": 2.15, "front": 2.15, "top": 1.5}
_AHEAD_M = 0.18
"""How far ahead of the hips the middle of the view from above is."""
_LIVELY = 0.12
"""A clip acts from where to where joints move by this share of its liveliest moments."""
_PARTS = tuple(f"{side}_{part}" for side in plain.SIDES
               for part in ("ankle", "knee", "hip", "wrist", "elbow", "shoulder"))  # fmt: skip


@dataclass(frozen=True)
class Behaviour:
    """A behaviour: the default clip that stands for it, the recordings that show the same, from
    when to when it is shown, seconds (all of what acts unless given), and how wide, metres, each
    instant is."""

    clip: str
    recorded: tuple[str, ...] = ()
    span_s: tuple[float, float] | None = None
    wide_m: float = 1.05


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
    "backward": Behaviour("back_0.8", ("walk_backward",), _STRIDE),
    "back_start": Behaviour("back_start_left", ("walk_backward",), (0.4, 2.6)),
    "sidestep": Behaviour("sidestep_left_0.5", ("sidestep_left", "sidestep_both")),
    "jump": Behaviour("jump_0.8", ("jump_forward",)),
    "long_jump": Behaviour("jump_1.4", ("jump_forward",)),
    "leap": Behaviour("leap_1.15_right", (), (2.2, 3.8), 1.2),
    "long_leap": Behaviour("leap_1.4_left", (), (2.1, 3.7), 1.3),
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
    "turn_sit": Behaviour("turn_sit_0.45_left", ("sit_stand",), (0.9, 5.8)),
    "stand_up": Behaviour("stand_up_0.45", ("sit_stand",)),
    "stairs_up": Behaviour("stairs_up_right", ("stairs_up", "stairs_up_down")),
    "stairs_down": Behaviour("stairs_down_right", ("stairs_up_down",)),
    "pass": Behaviour("pass_left", (), (0.8, 6.6)),
    "beam": Behaviour("beam_right", ("beam",), (1.0, 4.6), 1.6),
    "idle": Behaviour("stand_1", (), (0.0, 5.0)),
    "idle_stepping": Behaviour("stand_2", (), (0.0, 5.0)),
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


@dataclass(frozen=True)
class Look:
    """How large an instant is drawn: metres and pixels across."""

    wide_m: float
    pixels: int

    @property
    def scale(self) -> float:
        """Pixels for each metre."""
        return self.pixels / self.wide_m


def strip(clip: Any, first: int, last: int, title: str, look: Look) -> Image.Image:
    """Bodies at even instants, side by side, from the side, the front and above."""
    frames = np.linspace(first, last, INSTANTS).round().astype(np.int32)
    shape = mannequin(clip.skeleton)
    posed = bodies_at(clip, shape, frames)
    floor = floor_of(clip, shape)
    facing = posed.facing[: max(2, INSTANTS // 4)].mean(axis=0)
    ahead = math.atan2(facing[0], facing[1])
    rows = [_row(posed, view, ahead, floor, look) for view in _TALL_M]
    page = Image.new("RGB", (rows[0].width, sum(r.height for r in rows) + 30), "white")
    pen, y = ImageDraw.Draw(page), 30
    pen.text((6, 2), title, fill="black")
    for n, frame in enumerate(frames):
        pen.text((look.pixels * (n + 0.4), 16), f"{frame / clip.fps:.2f} s", fill="gray")
    for row in rows:
        page.paste(row, (0, y))
        y += row.height
    return page


def _row(posed: Any, view: str, ahead: float, floor: float, look: Look) -> Image.Image:
    items = []
    # Seen from the side they go to the right, from the front they come, from above they go up.
    yaw = {"side": 0.5 * math.pi, "front": 0.0, "top": math.pi}[view] - ahead
    for n in range(len(posed)):
        x, z = posed.places[n]
        shift = np.array([look.wide_m * (n + 0.5) - x, -floor, -z])
        items.append(posed.item(n, yaw=yaw, shift=shift))
    wide, tall = look.wide_m * len(posed), _TALL_M[view]
    if view == "top":
        camera = orthographic((0.5 * wide, 1.0, -_AHEAD_M), (0.0, -1.0, -1e-4), height=tall)
    else:
        low = float(np.percentile(posed.vertices[..., 1].min(axis=1), 10)) - floor
        tall += max(float(posed.vertices[..., 1].max()) - floor - low - 1.95, 0.0)
        middle = (0.5 * wide, low + 0.5 * tall - 0.12, 0.0)
        camera = orthographic(middle, (0.0, -0.04, -1.0), height=tall)
    size = (look.pixels * len(posed), round(look.scale * tall))
    style = Style(stage=((0.0, 0.0), (wide, 0.0)), stage_radius=3.0, grid=0.0)
    return Image.fromarray(draw(items, camera, size, style))


class Recordings:
    """Recordings of a folder with an INDEX.csv, by what they show."""

    def __init__(self, folder: Path | None) -> None:
        self.folder, self.kinds = folder, {}
        if folder is not None:
            with (folder / "INDEX.csv").open() as index:
                rows = list(csv.DictReader(index))
            self.kinds = {r["file"]: r["behaviour"] for r in rows if r["file"].endswith(".bvh")}

    def strips(self, one: Behaviour, shown: Floats, seconds: float, look: Look
               ) -> list[Image.Image]:  # fmt: skip
        """The strip of the recording nearest to the poses shown; none if nothing shows that."""
        files = [file for file, kind in self.kinds.items() if kind in one.recorded]
        if self.folder is None or not files:
            return []
        clips = {file: load(self.folder / file) for file in files}
        bodies = {file: plain.body_of(clip) for file, clip in clips.items()}
        file, begin, end = nearest(shown, seconds, bodies)
        return [strip(clips[file], begin, end, file, look)]


def draw_behaviour(one: Behaviour, clip: Any, recordings: Recordings, pixels: int) -> Image.Image:
    """The page of a behaviour: its default clip and, under it, the nearest recording."""
    body, look = plain.body_of(clip), Look(one.wide_m, pixels)
    first, last = acts(body) if one.span_s is None else (round(t * clip.fps) for t in one.span_s)
    last = min(last, len(clip) - 1)
    seconds = (last - first) / clip.fps
    pages = [strip(clip, first, last, one.clip, look)]
    pages += recordings.strips(one, poses(body, first, last), seconds, look)
    page = Image.new("RGB", (pages[0].width, sum(p.height for p in pages)), "white")
    y = 0
    for part in pages:
        page.paste(part, (0, y))
        y += part.height
    return page


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.acting.strips", description=__doc__)
    words.add_argument("behaviours", nargs="*", help=", ".join(BEHAVIOURS))
    words.add_argument("--recorded", type=Path, help="a folder of recordings with INDEX.csv")
    words.add_argument("--pixels", type=int, default=142, help="how wide an instant is")
    words.add_argument("-o", "--output", type=Path, default=Path("out/strips"))
    given = words.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    recordings = Recordings(given.recorded)
    for name in given.behaviours or BEHAVIOURS:
        one = BEHAVIOURS[name]
        page = draw_behaviour(one, generate_clip(one.clip), recordings, given.pixels)
        page.quantize(64, dither=Image.Dither.NONE).save(
            given.output / f"{name}.png", optimize=True
        )
        print(given.output / f"{name}.png", flush=True)


if __name__ == "__main__":
    main()
