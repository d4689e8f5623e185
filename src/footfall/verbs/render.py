"""`render`: a clip as a page of pictures or as an animation, on a machine without a screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from footfall.body.clip import Clip
from footfall.errors import InputError, check_range, check_whole, choices
from footfall.files.atomic import atomic_file
from footfall.files.formats import as_clip
from footfall.world.scene import Scene

SHEETS = (".png",)
FILMS = (".gif", ".webp")
PAGES = (".html",)
SHEET_VIEWS = ("side", "front", "top")
FILM_VIEWS = ("corner", "side", "front", "top")
PICTURE_VIEWS = ("corner", "side", "above")
MOST_INSTANTS = 40
_SHEET_WIDTH = 1800
_FILM_WIDTH = 640


def render(
    clip: Clip | str | Path,
    path: str | Path,
    *,
    scene: Scene | str | Path | None = None,
    views: Sequence[str] | None = None,
    instants: int | None = None,
    width: int | None = None,
    height: int | None = None,
    fps: float = 25.0,
    progress: Callable[[float], None] | None = None,
) -> Path:
    """Draw a clip and write it to `path`; the suffix says what is made.

    .png         a page: the mannequin at regular instants from the side and from the front,
                 and its way from above
    .html        a page that plays it in a browser
    .gif, .webp  an animation of the first 30 seconds, the camera going
                 along; it lasts as long as the clip

    scene     the world the clip is in, drawn with it; a page is then one picture
    views     which of "side", "front", "top" are on the page (all); which of "corner", "side",
              "front", "top" stand side by side in the animation ("corner"); of a picture in a
              scene one of "side", "corner", "above" ("corner")
    instants  how many bodies the page shows (as many as stand clear of each other)
    width     pixels (1800 for a page, 640 for each view of an animation)
    height    pixels of an animation (three quarters of its width); a page finds its own
    fps       frames per second of an animation
    progress  is called with the share that is done, 0 to 1
    """
    clip = as_clip(clip)
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SHEETS + FILMS + PAGES:
        raise InputError(
            f"cannot draw a file that ends in {path.suffix!r}", where=path.name,
            remedy=choices(SHEETS + FILMS + PAGES, suffix),
        )  # fmt: skip
    still = suffix in SHEETS
    if scene is not None and not isinstance(scene, Scene):
        from footfall.files.scene.read import load_scene

        scene = load_scene(scene)
    if suffix in PAGES:
        from footfall.verbs.player import save_player

        return save_player(clip, path, scene)
    inside = still and scene is not None
    views = _check_views(views, PICTURE_VIEWS if inside else SHEET_VIEWS if still else FILM_VIEWS)
    for name, value, least, most in (
        ("instants", instants, 1, MOST_INSTANTS),
        ("the width", width, 320 if still else 16, 8000 if still else 4096),
        ("the height", height, 16, 4096),
    ):
        if value is not None:
            check_whole(name, value, least, most)
    from footfall.body.mannequin import mannequin

    if inside:
        from footfall.render.in_scene import render_in_scene

        assert scene is not None
        across = width or _SHEET_WIDTH
        return render_in_scene(
            clip, scene, path, view=(views or PICTURE_VIEWS)[0],
            size=(across, height or round(0.5 * across)), instants=instants,
        )  # fmt: skip
    with atomic_file(path) as temporary:
        body = mannequin(clip.skeleton)
        if still:
            from footfall.render.sheet import sheet

            page = sheet(
                clip, body, views=views or SHEET_VIEWS, instants=instants,
                width=width or _SHEET_WIDTH, progress=progress,
            )  # fmt: skip
            page.save(temporary, format="PNG", compress_level=6)
        else:
            from footfall.render.film import film

            across = width or _FILM_WIDTH
            size = (across, height or round(0.75 * across))
            film(
                clip, body, temporary, views=views or FILM_VIEWS[:1], size=size, scene=scene,
                fps=check_range("fps", fps, 1.0, 50.0), progress=progress,
            )  # fmt: skip
    return path


def _check_views(views: Sequence[str] | None, valid: Sequence[str]) -> tuple[str, ...]:
    """Return the views that are asked for, each once; none if nothing is asked for."""
    if views is None:
        return ()
    views = (views,) if isinstance(views, str) else tuple(views)
    for view in views:
        if view not in valid:
            raise InputError(f"there is no view {view!r}", remedy=choices(valid, str(view)))
    if not views:
        raise InputError("no view was asked for", remedy=choices(valid))
    return tuple(dict.fromkeys(views))
