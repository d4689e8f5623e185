"""Draw the pictures of the documentation.

python examples/pictures_of_the_docs.py [FOLDER [WIDTH]]
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

import footfall
from footfall.body.clip import Clip
from footfall.body.mannequin import mannequin
from footfall.body.skeleton import Skeleton
from footfall.generate.gait.steady import steady
from footfall.generate.skeleton import default_skeleton
from footfall.maths.quaternions import from_rotation_vector
from footfall.render.camera import orthographic
from footfall.render.in_scene import render_in_scene
from footfall.render.instants import bodies_at
from footfall.render.raster import Style, draw

WIDTH = 1080
FINER = 2
"""Pictures are drawn so many times as large and then made smaller, for smooth edges."""
PROPORTIONS = {
    "child": {"all": 0.78, "top": 1.2, "knee": 0.82, "ankle": 0.82, "elbow": 0.87, "wrist": 0.87},
    "average": {},
    "long legs": {"knee": 1.2, "ankle": 1.2, "elbow": 1.12, "wrist": 1.12},
    "broad": {"shoulder": 1.3, "hip": 1.3, "knee": 0.92, "ankle": 0.92},
}
"""How much longer the bones are that lead to some joints."""
TURNS_DEG = (0.0, 45.0, 90.0)


def save_small(picture: Image.Image, path: Path) -> None:
    """Write a PNG file with a palette, in which a colour counts little more if it is common."""
    size = (picture.width // FINER, picture.height // FINER)
    fine = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    colours, counts = np.unique(np.asarray(fine).reshape(-1, 3), axis=0, return_counts=True)
    each_once = Image.fromarray(np.repeat(colours, np.minimum(counts, 12), axis=0)[None])
    palette = colours[counts.argmax()].tolist() + each_once.quantize(255).getpalette()[:765]
    holder = Image.new("P", (1, 1))
    holder.putpalette(palette)
    fine.quantize(palette=holder, dither=Image.Dither.FLOYDSTEINBERG).save(path, optimize=True)


def sheet(
    clip: Clip, path: Path, width: int, views: tuple[str, ...] = ("side", "top", "front")
) -> None:
    """A sheet as `footfall render` makes it."""
    footfall.render(clip, path, views=views, width=width * FINER)
    with Image.open(path) as page:
        save_small(page, path)


def character(longer: dict[str, float]) -> Skeleton:
    """The default character in other proportions."""
    plain = default_skeleton().scaled(longer.get("all", 1.0))
    offsets, ends = np.array(plain.offsets), np.array(plain.end_offsets)
    for role, joint in plain.roles.items():
        offsets[joint] *= longer.get(role.split("_")[-1], 1.0)
    ends[plain.end_joints == plain.roles["head"]] *= longer.get("top", 1.0)
    return replace(plain, offsets=offsets, end_offsets=ends)


def standing(skeleton: Skeleton) -> Clip:
    """One frame: upright with arms down."""
    vectors = np.zeros((1, len(skeleton), 3))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        vectors[0, skeleton.roles[f"{side}_shoulder"]] = (0.0, 0.0, -1.38 * sign)
        vectors[0, skeleton.roles[f"{side}_elbow"]] = (0.0, -0.3 * sign, 0.0)
        vectors[0, skeleton.roles[f"{side}_hip"]] = (0.0, 0.0, 0.05 * sign)
    return Clip(skeleton, 30.0, skeleton.offsets[:1], from_rotation_vector(vectors))


def line_of_mannequins(path: Path, pixels: int) -> None:
    """Each character from the front, at an angle and from the side."""
    size = (FINER * pixels, FINER * pixels * 37 // 120)
    items, x = [], 0.0
    for longer in PROPORTIONS.values():
        skeleton = character(longer)
        posed = bodies_at(standing(skeleton), mannequin(skeleton), np.zeros(1, np.int32))
        floor = float(posed.vertices[..., 1].min())
        for turn in TURNS_DEG:
            half = 0.5 * float(np.ptp(posed.item(0, yaw=np.radians(turn)).vertices[:, 0]))
            shift = np.array([x + half, -floor, 0.0])
            items.append(posed.item(0, yaw=np.radians(turn), shift=shift))
            x += 2 * half + 0.08
        x += 0.12
    width = x - 0.2
    metres = (width + 0.4) * size[1] / size[0]
    camera = orthographic((width / 2, 0.47 * metres, 0.0), (0.0, -0.12, -1.0), height=metres)
    style = Style(
        stage=((0.0, 0.0), (width, 0.0)), stage_radius=2.0, vignette=60.0 * FINER, grid=0.0
    )
    save_small(Image.fromarray(draw(items, camera, size, style)), path)


def line_of_performers(path: Path, pixels: int) -> None:
    """Eight drawn performers who walk beside each other, turned half to the side."""
    size = (FINER * pixels, FINER * pixels * 11 // 40)
    items, apart, count = [], 1.0, 8
    for n, who in enumerate(footfall.draw_performers(count)):
        clip = steady("walk", 1.1, seconds=2.0, fps=30.0, who=who, seed=n, variation=1.0)
        frame = 7 * n % len(clip)
        root = clip.root - clip.root[frame] * [1.0, 0.0, 1.0]
        posed = bodies_at(replace(clip, root=root), mannequin(clip.skeleton), np.array([frame]))
        shift = np.array([apart * n, 0.0, 0.0])
        items.append(posed.item(0, yaw=np.radians(55.0), shift=shift))
    width = apart * (count - 1)
    metres = (width + 1.1) * size[1] / size[0]
    camera = orthographic((width / 2, 0.42 * metres, 0.0), (0.0, -0.12, -1.0), height=metres)
    style = Style(
        stage=((0.0, 0.0), (width, 0.0)), stage_radius=2.0, vignette=60.0 * FINER, grid=0.0
    )
    save_small(Image.fromarray(draw(items, camera, size, style)), path)


def main(folder: Path, width: int = WIDTH) -> None:
    """Write every picture."""
    folder.mkdir(parents=True, exist_ok=True)
    sheet(replace(steady("walk", 1.4, seconds=3.0), name="Walk"), folder / "walk.png", width)
    run = replace(steady("run", 3.0, seconds=1.6), name="Run")
    sheet(run, folder / "run.png", width, ("side", "top"))
    curve = replace(steady("walk", 1.2, 0.34, seconds=5.4), name="Walk in a curve")
    sheet(curve, folder / "curve.png", width)
    on_hills = footfall.fit(steady("walk", 1.2, seconds=6.0), "hills", at="-6,8,100")
    hills = render_in_scene(
        on_hills.clip,
        on_hills.scene,
        folder / "hills.png",
        size=(width * FINER, width * 440 // WIDTH * FINER),
    )
    with Image.open(hills) as view:
        save_small(view, hills)
    line_of_mannequins(folder / "mannequin.png", width * 10 // 9)
    line_of_performers(folder / "performers.png", width * 10 // 9)


if __name__ == "__main__":
    images = Path(__file__).resolve().parents[1] / "docs" / "images"
    given = sys.argv[1:]
    main(Path(given[0]) if given else images, int(given[1]) if len(given) > 1 else WIDTH)
