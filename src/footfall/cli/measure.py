"""`footfall measure CLIP…`: skating, paths, smoothness, physics, effort, beside the sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.cli.options import Force, Seed, command
from footfall.cli.output import Output, Progress
from footfall.cli.reading import Reading, clip_files

if TYPE_CHECKING:
    from footfall.body.clip import Clip
    from footfall.files.options import ReadOptions
    from footfall.measures.all import Measures


@command
def measure(
    files: list[Path],
    read: Reading,
    output: Output,
    path: str | None = None,
    abstraction: str = "pelvis",
    scene: str | None = None,
    sources: list[Path] | None = None,
    against: Path | None = None,
    transitions: str = "",
    plot: Path | None = None,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Measure clips: posture, skating, drift, path, sway, pops, jerk, physics, effort, naturalness.

    files        Clips or folders of them: BVH, AMC, GLB, glTF, NPZ, USD.
    path         The path to follow: a name, or a .toml, .svg or .csv file.
    abstraction  Which path abstraction is compared: pelvis, gaussian, extrema … .
    scene        The world of the clips: a name or a file.
    sources      What the clips were made from: a library, folder or clip.
    against      A library of real clips, to measure naturalness.
    transitions  Frames where clips were joined: 30,74,118.
    plot         Draw the measures of one clip: measures.png, .svg, .pdf.

    Examples:
      footfall measure walk.bvh --sources takes/
      footfall measure walk.bvh --path zigzag --plot out/measures.png
      footfall measure takes/ --against takes/ --json
    """
    from footfall.errors import InputError
    from footfall.files.results import check_results, remember_results
    from footfall.files.scene.read import load_scene
    from footfall.files.task.paths import load_path
    from footfall.measures.all import compare_against, source_clips, values_beside

    files = clip_files(files)
    if len(files) > 1 and (plot is not None or transitions):
        which = "--plot" if plot is not None else "--transitions"
        raise InputError(f"{which} is for one clip, not {len(files)}", remedy="give one file")
    pictures = [] if plot is None else [plot]
    check_results(pictures, [*files, path, scene, *(sources or ()), *read.files], force=force)
    how: dict[str, Any] = {
        "path": None if path is None else load_path(path).points,
        "abstraction": abstraction,
        "scene": None if scene is None else load_scene(scene),
        "transitions": _frames(transitions),
    }
    options = read.options()
    with output.progress("measuring") as progress:
        made_from = [clip for one in sources or [] for clip in source_clips(one, read=options)]
        beside = values_beside(made_from, lambda f: progress(0.3 * f)) if made_from else {}
        clips, found, failed = _measure_each(files, options, how, made_from, beside, seed, progress)
        compared = compare_against(clips, against, seed) if against and clips else None
        if plot is not None and found:
            from footfall.plots.measures import save_measure_plot

            drawn = {key: how[key] for key in ("path", "scene", "transitions")}
            save_measure_plot(clips[0], plot, found=found[0], **drawn)
            remember_results(pictures)
        progress(1.0)
    _show(output, found, plot)
    if compared is not None:
        from footfall.verbs.measure_table import comparison_text

        output.say("\n".join(comparison_text(compared, str(against))))
    drawn_to = {} if plot is None else {"plot": str(plot)}
    together = None if compared is None else compared.as_dict()
    result = {"clips": [one.as_dict() for one in found], "errors": failed, "against": together}
    output.result(result | drawn_to, failed)


def _frames(text: str) -> tuple[int, ...]:
    from footfall.errors import InputError

    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise InputError(
            f"--transitions is {text!r}", remedy="it takes frames like 30,74,118"
        ) from None


def _measure_each(
    files: list[Path], options: ReadOptions, how: dict[str, Any], made_from: list[Clip],
    beside: Any, seed: int, progress: Progress,
) -> tuple[list[Clip], list[Measures], list[str]]:  # fmt: skip
    """Return the clips, their measures, and a sentence for each file that could not be measured."""
    from dataclasses import replace

    from footfall.errors import InputError
    from footfall.files.formats import load
    from footfall.measures.all import measure as take
    from footfall.measures.all import nearness

    clips, found, failed = [], [], []
    for number, file in enumerate(files):
        try:
            clip = load(file, options)
            one = take(clip, seed=seed, **how)
            near = nearness(clip, made_from, seed)
            found.append(replace(one, beside=beside, to_sources=near))
            clips.append(clip)
        except InputError as error:
            if len(files) == 1:
                raise
            failed.append(str(error))
        progress(0.3 + 0.6 * (number + 1) / len(files))
    return clips, found, failed


def _show(output: Output, found: list[Measures], plot: Path | None) -> None:
    from footfall.verbs.measure_table import comparison_text, headline, table_text

    for one in found:
        output.say(f"{one.name}: {headline(one)}")
        for line in table_text(one):
            output.say(line)
        if one.to_sources is not None:
            output.say("\n".join(comparison_text(one.to_sources, "its sources")))
    if plot is not None:
        output.say(f"  wrote {plot}")
