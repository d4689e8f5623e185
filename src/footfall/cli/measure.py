"""`footfall measure CLIP…`: skating, paths, sway, smoothness and physics, beside the sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.output import Json, Output, Progress, Quiet, Seed
from footfall.cli.reading import FirstFrame, Roles, SourceFps, SourceScale, SourceUp, read_options

if TYPE_CHECKING:
    from footfall.body.clip import Clip
    from footfall.files.options import ReadOptions
    from footfall.measures.all import Measures


def measure(
    files: Annotated[
        list[Path], typer.Argument(help="Clips or folders of them: BVH, AMC, GLB, glTF, NPZ, USD.")
    ],
    path: Annotated[
        str | None,
        typer.Option("--path", help="The path to follow: a name, or a .toml, .svg or .csv file."),
    ] = None,
    abstraction: Annotated[
        str,
        typer.Option(
            "--abstraction",
            help="Which path abstraction is compared: pelvis, gaussian, extrema … .",
        ),
    ] = "pelvis",
    scene: Annotated[
        str | None, typer.Option("--scene", help="The world of the clips: a name or a file.")
    ] = None,
    sources: Annotated[
        list[Path] | None,
        typer.Option("--sources", help="What the clips were made from: a library, folder or clip."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", help="A library of real clips, to tell how natural they are."),
    ] = None,
    transitions: Annotated[
        str, typer.Option("--transitions", help="Frames where clips were joined: 30,74,118.")
    ] = "",
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw the measures of one clip: measures.png, .svg, .pdf."),
    ] = None,
    source_scale: SourceScale = None,
    source_up: SourceUp = None,
    source_fps: SourceFps = None,
    first_frame: FirstFrame = "auto",
    roles: Roles = None,
    as_json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 0,
) -> None:
    """Measure clips: skating, drift, ground, path, sway, pops, jerk, physics, naturalness.

    Examples:

      footfall measure walk.bvh --sources takes/

      footfall measure walk.bvh --path zigzag --plot out/measures.png

      footfall measure takes/ --against takes/ --json
    """
    from footfall.errors import InputError
    from footfall.files.scene.read import load_scene
    from footfall.files.task.paths import load_path
    from footfall.measures.all import compare_against, source_clips, values_beside

    output = Output(as_json=as_json, quiet=quiet)
    files = _clips(files)
    if len(files) > 1 and (plot is not None or transitions):
        which = "--plot" if plot is not None else "--transitions"
        raise InputError(f"{which} is for one clip, not {len(files)}", remedy="give one file")
    options = read_options(source_scale, source_up, source_fps, first_frame, roles)
    how: dict[str, Any] = {
        "path": None if path is None else load_path(path).points,
        "abstraction": abstraction,
        "scene": None if scene is None else load_scene(scene),
        "transitions": _frames(transitions),
    }
    with output.progress("measuring") as progress:
        made_from = [clip for one in sources or [] for clip in source_clips(one)]
        beside = values_beside(made_from, lambda f: progress(0.3 * f)) if made_from else {}
        clips, found, failed = _measured(files, options, how, made_from, beside, seed, progress)
        compared = compare_against(clips, against, seed) if against and clips else None
        if plot is not None and found:
            from footfall.report.plots.measures import save_measure_plot

            drawn = {key: how[key] for key in ("path", "scene", "transitions")}
            save_measure_plot(clips[0], plot, found=found[0], **drawn)
        progress(1.0)
    _say(output, found, plot)
    if compared is not None:
        from footfall.report.measuring import comparison_text

        output.say("\n".join(comparison_text(compared, str(against))))
    for sentence in failed:
        typer.echo(f"footfall: {sentence}", err=True)
    drawn_to = {} if plot is None else {"plot": str(plot)}
    together = None if compared is None else compared.as_dict()
    result = {"clips": [one.as_dict() for one in found], "errors": failed, "against": together}
    output.result(result | drawn_to)
    if failed:
        raise typer.Exit(2)


def _clips(files: list[Path]) -> list[Path]:
    from footfall.conversion import clips_in
    from footfall.files.formats import is_folder

    return [clip for file in files for clip in (clips_in(file) if is_folder(file) else [file])]


def _frames(text: str) -> tuple[int, ...]:
    from footfall.errors import InputError

    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise InputError(
            f"--transitions is {text!r}", remedy="it takes frames like 30,74,118"
        ) from None


def _measured(
    files: list[Path], options: ReadOptions, how: dict[str, Any], made_from: list[Clip],
    beside: Any, seed: int, progress: Progress,
) -> tuple[list[Clip], list[Measures], list[str]]:  # fmt: skip
    """The clips, their measures, and a sentence for each file that could not be measured."""
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


def _say(output: Output, found: list[Measures], plot: Path | None) -> None:
    from footfall.report.measuring import comparison_text, headline, table_text

    for one in found:
        output.say(f"{one.name}: {headline(one)}")
        for line in table_text(one):
            output.say(line)
        if one.to_sources is not None:
            output.say("\n".join(comparison_text(one.to_sources, "its sources")))
    if plot is not None:
        output.say(f"  wrote {plot}")


def add_to(app: typer.Typer) -> None:
    """Make this verb known."""
    app.command("measure")(measure)
