"""The views of a sheet: what each one shows, from where, and what is written in it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.maths.arrays import Floats
from footfall.maths.runs import runs
from footfall.render.camera import Camera, Size, fit_camera, orthographic
from footfall.render.instants import STEPS_S, PosedBodies, RootPath, even_pick
from footfall.render.pictures import ACCENT, INK, SOFT
from footfall.render.raster import Colour, DrawItem, DrawnLine, Picture, Style, draw, srgb

UP = np.array([0.0, 1.0, 0.0])
SINK_M = 0.15
"""Feet that dip this far under the floor are still drawn: real clips' floors drift."""

_SMALLEST = 140.0
"""Pixels per metre, on a page of the usual width, under which bodies side by side are thinned."""


@dataclass(frozen=True)
class Label:
    """Words at a pixel of a panel, in Pillow's anchor code; of a group, the first that fits."""

    x: float
    y: float
    words: str
    anchor: str = "ms"
    colour: str = SOFT
    halo: bool = False
    group: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """One view: what is in it, the camera, its size in pixels and what is written over it."""

    items: list[DrawItem]
    camera: Camera
    size: Size
    style: Style
    lines: list[DrawnLine] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)

    def drawn(self) -> Picture:
        """The picture (H, W, 3)."""
        return draw(self.items, self.camera, self.size, self.style, lines=self.lines)

    @property
    def pixels_per_metre(self) -> float:
        """How large a metre is, for a camera without perspective."""
        return self.size[1] / self.camera.height


@dataclass(frozen=True)
class PanelLook:
    """What all panels of a sheet share.

    unit    scales widths of lines           floor  its height, metres
    origin  (2,) x, z where the way begins   right  (3,) level, along the way
    """

    unit: float
    floor: float
    origin: Floats
    right: Floats
    supersample: int = 2

    @property
    def away(self) -> Floats:
        """(3,) level, from the viewer of the side view into the picture."""
        return np.cross(UP, self.right)

    def style(self, segment: Floats, radius: float) -> Style:
        """The stage round a segment (2, 2) of ground points."""
        ends = ((segment[0, 0], segment[0, 1]), (segment[1, 0], segment[1, 1]))
        return Style(
            floor=self.floor, sink=SINK_M, stage=ends, stage_radius=radius,
            supersample=self.supersample, vignette=70.0 * self.unit,
            grid_at=(self.origin[0], self.origin[1]), grid_along=(self.right[0], self.right[2]),
        )  # fmt: skip


def fades(count: int, most: float = 0.6) -> list[float]:
    """How much each of `count` instants fades: the first `most`, the last not at all."""
    return [most * (1.0 - n / (count - 1)) if count > 1 else 0.0 for n in range(count)]


def clock(seconds: float) -> str:
    """A time as it is written under a character."""
    if seconds >= 100.0:
        return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
    text = f"{seconds:.2f}"
    return text[:-1] if text.endswith("0") else text


def strip(bodies: PosedBodies, look: PanelLook, width: int, scale: float, way: RootPath) -> Panel:
    """The bodies where they are along a straight way, without perspective, seen from the side.

    `scale` is pixels per metre.
    """
    pitch = math.radians(9.0)
    direction = math.cos(pitch) * look.away - math.sin(pitch) * UP
    items = [bodies.item(n, fade=fade) for n, fade in enumerate(fades(len(bodies)))]
    camera = orthographic(middle_of(bodies, look), direction, height=1.0)
    return _level_panel(items, bodies, camera, look, width, scale, way.points[[0, -1]])


def middle_of(bodies: PosedBodies, look: PanelLook) -> Floats:
    """(3,) the middle of all bodies across the side view, on the floor."""
    across = bodies.vertices @ look.right
    aside = bodies.vertices @ look.away
    out = look.right * (across.min() + across.max()) / 2 + look.away * float(np.median(aside))
    return np.asarray(out + UP * look.floor)


def lineup(
    bodies: PosedBodies, look: PanelLook, width: int, tallest: float, *, front: bool
) -> Panel:  # fmt: skip
    """The bodies side by side, at even distances: from the side, or each from its own front.

    `tallest` is the most pixels that a metre may have. Where outstretched arms would make the
    bodies too small, some of them are left out.
    """
    count = len(bodies)
    yaws = [_turn_between(facing, -look.away) if front else 0.0 for facing in bodies.facing]
    spans = [bodies.item(n, yaw=yaw).vertices @ look.right for n, yaw in enumerate(yaws)]
    apart = max(float(np.percentile([np.ptp(s) for s in spans], 90)) * 1.1 + 0.15, 0.75)
    free = width - 100.0 * look.unit
    room = max(3, math.floor(free / (apart * _SMALLEST * look.unit)))
    if count > room:
        return lineup(
            bodies.only(even_pick(np.arange(count), room)), look, width, tallest, front=front
        )
    items, homes = [], np.empty((count, 3))
    for n, span in enumerate(spans):
        homes[n] = look.right * apart * (n - (count - 1) / 2) + UP * look.floor
        root = np.array([bodies.places[n, 0], 0.0, bodies.places[n, 1]])
        middle = look.right * (span.min() + span.max()) / 2 + look.away * (root @ look.away)
        shift = homes[n] - UP * look.floor - middle
        items.append(bodies.item(n, yaw=yaws[n], shift=shift))
    pitch = math.radians(9.0)
    direction = math.cos(pitch) * look.away - math.sin(pitch) * UP
    camera = orthographic(UP * look.floor, direction, height=1.0)
    scale = min(tallest, free / (apart * count))
    ends = homes[[0, -1]][:, [0, 2]]
    return _level_panel(items, bodies, camera, look, width, scale, ends, homes)


def _level_panel(
    items: list[DrawItem], bodies: PosedBodies, camera: Camera, look: PanelLook, width: int,
    scale: float, ends: Floats, homes: Floats | None = None,
) -> Panel:  # fmt: skip
    """A panel round items seen by an orthographic camera, time written under each character."""
    seen = np.concatenate([camera.view(item.vertices)[:, 1] for item in items])
    ground = float(camera.view((UP * look.floor)[None] + _level(camera.eye)[None])[0, 1])
    top = float(seen.max()) + 0.1
    bottom = min(float(seen.min()), ground - 0.1) - 46.0 * look.unit / scale
    height = math.ceil((top - bottom) * scale)
    eye = camera.eye + camera.axes[1] * (top + bottom) / 2
    camera = Camera(eye, camera.axes, height / scale, perspective=False)
    size = (width, height)
    if homes is None:
        homes = _on_floor(bodies.places, look)
    xs = camera.project(homes, size)[:, 0]
    labels = [
        Label(float(x), height - 12.0 * look.unit, f"{clock(t)} s")
        for x, t in zip(xs, bodies.times, strict=True)
    ]
    return Panel(items, camera, size, look.style(ends, 2.6), labels=labels)


def overview(bodies: PosedBodies, look: PanelLook, size: Size, way: RootPath) -> Panel:
    """The bodies where they are along a curved way, in perspective, from the side and above."""
    pitch = math.radians(20.0)
    direction = math.cos(pitch) * look.away - math.sin(pitch) * UP
    items = [bodies.item(n, fade=fade) for n, fade in enumerate(fades(len(bodies), 0.5))]
    lowest = bodies.vertices.reshape(-1, 3)[:: max(1, bodies.vertices.size // 300_000)]
    points = np.concatenate([lowest, _on_floor(bodies.places, look) - UP * 0.32])
    camera = fit_camera(points, direction, size=size, field_of_view=math.radians(22.0), margin=0.05)
    across = np.array([look.right[0], look.right[2]])
    centre = (way.points.min(axis=0) + way.points.max(axis=0)) / 2
    ends = centre + np.outer([-0.5, 0.5], across) * float(np.ptp(way.points @ across))
    labels = []
    for n, time in enumerate(bodies.times):
        seen = camera.project(bodies.vertices[n], size)
        x = (np.nanmin(seen[:, 0]) + np.nanmax(seen[:, 0])) / 2
        y = np.nanmax(seen[:, 1]) + 26.0 * look.unit
        labels.append(Label(float(x), float(y), f"{clock(time)} s", halo=True))
    radius = 2.2 + 0.5 * way.extent
    line = _path_line(way, look, 2.6)
    return Panel(items, camera, size, look.style(ends, radius), [line], labels)


def plan_view(
    clip: Clip, bodies: PosedBodies, look: PanelLook, size: Size, way: RootPath, *,
    scale: float | None = None, middle: Floats | None = None, crowded: bool = False,
) -> Panel:  # fmt: skip
    """The way from above: path, ticks of time, heading, footprints and bodies.

    With `scale` and `middle` given it lies exactly under the side view, whose times serve it as
    well. `crowded` leaves all bodies out but the first and the last.
    """
    shown = sorted({0, len(bodies) - 1}) if crowded else list(range(len(bodies)))
    fade = fades(len(shown), 0.6)
    items = [bodies.item(n, fade=fade[k]) for k, n in enumerate(shown)]
    every = np.concatenate([*(item.vertices for item in items), _on_floor(way.points, look)])
    across, along = every @ look.right, every @ look.away
    aligned = scale is not None
    if middle is None:
        middle = look.right * (across.min() + across.max()) / 2
        middle = middle + look.away * (along.min() + along.max()) / 2
    if scale is None:
        room = np.array(size) - 2 * np.array([84.0, 64.0]) * look.unit
        scale = float(min(room[0] / max(np.ptp(across), 1.6), room[1] / max(np.ptp(along), 1.6)))
    target = _level(middle) + UP * (look.floor + 3.0)
    camera = orthographic(target, -UP, height=size[1] / scale, up=look.away)
    lines = [_path_line(way, look, 2.4, on_top=True)]
    labels: list[Label] = []
    for time in bodies.times if aligned else _round_times(clip, way):
        k = min(int(np.searchsorted(way.times, time - 1e-9)), len(way.points) - 1)
        lines += _tick(way.points[k], way.facing[k], look, scale)
        if not aligned:
            labels += _beside(f"{clock(time)} s", way, k, look, camera, size, scale)
    style = replace(
        look.style(way.points[[0, -1]], 1.6 + 0.75 * way.extent), light=(-0.45, 2.4, 0.55)
    )
    prints = footprints(clip, way, look)
    for sole in prints:
        red, green, blue = np.asarray(sole.colours, np.float64).tolist()
        rim = sole.vertices[np.arange(-1, len(sole.vertices))]
        lines.insert(0, DrawnLine(rim, (red, green, blue), 2.0 * look.unit, on_top=True))
    return Panel([*prints, *items], camera, size, style, lines, labels)


def _round_times(clip: Clip, way: RootPath) -> Floats:
    """(N,) at most seven round times; the first alone if the character stays where it is."""
    step = next((s for s in STEPS_S if s >= 0.5 and clip.seconds / s <= 6.0), STEPS_S[-1])
    return np.arange(0.0, clip.seconds + 1e-9, step) if way.extent > 0.5 else np.zeros(1)


def _tick(point: Floats, facing: Floats, look: PanelLook, scale: float) -> list[DrawnLine]:
    """A dot on the path and a small arrow before it that shows where the character faces."""
    at, ahead = _on_floor(point[None], look)[0], np.array([facing[0], 0.0, facing[1]])
    side = np.cross(UP, ahead)
    tip, half = 24.0 * look.unit / scale, 6.0 * look.unit / scale
    barbs = [at + ahead * (tip - half) + side * half, at + ahead * tip,
             at + ahead * (tip - half) - side * half]  # fmt: skip
    accent = srgb(ACCENT)
    return [
        DrawnLine(np.stack([at, at]), accent, 9.0 * look.unit, on_top=True),
        DrawnLine(np.stack(barbs), accent, 2.2 * look.unit, on_top=True),
    ]


def _beside(
    words: str, way: RootPath, k: int, look: PanelLook, camera: Camera, size: Size, scale: float
) -> list[Label]:
    """A time beside the path, clear of a character's shoulders: two places to choose from."""
    before, after = way.points[max(0, k - 20)], way.points[min(len(way.points) - 1, k + 20)]
    ahead = after - before if np.linalg.norm(after - before) > 1e-6 else way.facing[k]
    side = np.array([ahead[1], 0.0, -ahead[0]]) / np.linalg.norm(ahead)
    at = _on_floor(way.points[k][None], look)[0]
    out = []
    for sign in (-1.0, 1.0):
        spot = at + sign * side * (0.36 + 24.0 * look.unit / scale)
        x, y, _ = camera.project(spot[None], size)[0]
        out.append(Label(float(x), float(y), words, anchor="mm", colour=INK, group=words))
    return out


def footprints(clip: Clip, way: RootPath, look: PanelLook) -> list[DrawItem]:
    """Soles on the floor where the clip says that a foot stands; nothing if it does not say."""
    if clip.contacts is None or not clip.skeleton.roles:
        return []

    out = []
    for side, columns, colour in (("left", [0, 1], "#5a93cc"), ("right", [2, 3], "#dd8a5a")):
        ankle = clip.skeleton.roles[f"{side}_ankle"]
        toe = clip.skeleton.roles.get(f"{side}_toe")
        down = np.asarray(clip.contacts[way.frames][:, columns].any(axis=1))
        for middle in (runs(down)[:200].sum(axis=1) - 1) // 2:
            frames = way.frames[[middle]]
            poses = clip[frames].world
            heel = poses.positions[0, ankle]
            x, z = 0.12 * way.facing[middle]
            ball = heel + np.array([x, 0.0, z]) if toe is None else poses.positions[0, toe]
            out.append(_sole(heel, ball, look, srgb(colour)))
    return out


def _sole(heel: Floats, ball: Floats, look: PanelLook, colour: Colour) -> DrawItem:
    """A flat sole from behind the heel to before the toes."""
    ahead = _level(ball - heel)
    length = max(float(np.linalg.norm(ahead)), 0.05)
    ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-9)
    side = np.cross(UP, ahead)
    start, span = heel - ahead * 0.35 * length, 2.0 * length
    turn = np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False)
    s, c = 0.5 - 0.5 * np.cos(turn), np.sin(turn)
    half = 0.38 * length * (0.72 + 0.36 * s)
    rim = start + np.outer(s * span, ahead) + np.outer(c * half, side)
    rim[:, 1] = look.floor + 0.001
    fan = np.array([[0, k, k + 1] for k in range(1, 23)], dtype=np.int32)
    return DrawItem(rim, fan, colours=colour, casts_shadow=False, lit=False)


def _path_line(way: RootPath, look: PanelLook, width: float, on_top: bool = False) -> DrawnLine:
    points = _on_floor(way.points, look)
    if len(points) == 1:
        points = np.repeat(points, 2, axis=0)
    return DrawnLine(points, srgb(ACCENT), width * look.unit, on_top=on_top)


def _on_floor(points: Floats, look: PanelLook) -> Floats:
    """(N, 3) ground points (N, 2) on the floor."""
    return np.column_stack([points[:, 0], np.full(len(points), look.floor), points[:, 1]])


def _level(vector: Floats) -> Floats:
    return np.array([vector[0], 0.0, vector[2]])


def _turn_between(facing: Floats, viewer: Floats) -> float:
    """The yaw that turns ground direction `facing` (2,) into level direction `viewer` (3,)."""
    return math.atan2(viewer[0], viewer[2]) - math.atan2(facing[0], facing[1])
