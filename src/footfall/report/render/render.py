"""`render`: a clip as a page of pictures or as an animation, on a machine without a screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from footfall.body.clip import Clip
from footfall.errors import InputError, choices
from footfall.files.atomic import atomic_file

SHEETS = (".png",)
FILMS = (".gif", ".webp")
SHEET_VIEWS = ("side", "front", "top")
FILM_VIEWS = ("corner", "side", "front", "top")
MOST_INSTANTS = 40
_SHEET_WIDTH = 1800
_FILM_WIDTH = 640


def render(
    clip: Clip,
    path: str | Path,
    *,
    views: Sequence[str] | None = None,
    instants: int | None = None,
    width: int | None = None,
    height: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> Path:
    """Draw a clip and write it to `path`; the suffix says what is made.

    .png         a page: the mannequin at regular instants from the side and from the front,
                 and its way from above
    .gif, .webp  an animation of the first 30 seconds at 25 frames per second, the camera going
                 along; it lasts as long as the clip

    views     which of "side", "front", "top" are on the page (all); which of "corner", "side",
              "front", "top" stand side by side in the animation ("corner")
    instants  how many figures the page shows (as many as stand clear of each other)
    width     pixels (1800 for a page, 640 for each view of an animation)
    height    pixels of an animation (three quarters of its width); a page finds its own
    progress  is called with the share that is done, 0 to 1
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SHEETS + FILMS:
        raise InputError(
            f"cannot draw a file that ends in {path.suffix!r}", where=path.name,
            remedy=choices(SHEETS + FILMS, suffix),
        )  # fmt: skip
    still = suffix in SHEETS
    views = _checked_views(views, SHEET_VIEWS if still else FILM_VIEWS, still)
    _check_number("instants", instants, 1, MOST_INSTANTS)
    _check_number("the width", width, 320 if still else 16, 8000 if still else 4096)
    _check_number("the height", height, 16, 4096)
    from footfall.body.mannequin import mannequin

    with atomic_file(path) as temporary:
        body = mannequin(clip.skeleton)
        if still:
            from footfall.report.render.sheet import sheet

            page = sheet(
                clip, body, views=views, instants=instants, width=width or _SHEET_WIDTH,
                progress=progress,
            )  # fmt: skip
            page.save(temporary, format="PNG", compress_level=6)
        else:
            from footfall.report.render.film import film

            across = width or _FILM_WIDTH
            size = (across, height or round(0.75 * across))
            film(clip, body, temporary, views=views, size=size, progress=progress)
    return path


def _checked_views(
    views: Sequence[str] | None, valid: Sequence[str], still: bool
) -> tuple[str, ...]:
    if views is None:
        return tuple(valid) if still else ("corner",)
    views = (views,) if isinstance(views, str) else tuple(views)
    for view in views:
        if view not in valid:
            raise InputError(f"there is no view {view!r}", remedy=choices(valid, str(view)))
    if not views:
        raise InputError("no view was asked for", remedy=choices(valid))
    return tuple(dict.fromkeys(views))


def _check_number(name: str, value: int | None, low: int, high: int) -> None:
    if value is not None and not low <= value <= high:
        raise InputError(f"{name} is {value}", remedy=f"it must be from {low} to {high}")
