"""`footfall roadmap build|postures`: roadmaps of scenes, and what clips offer them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.options import Force, Seed, To, command, make_group
from footfall.cli.output import Output
from footfall.cli.warmup import compile_first

if TYPE_CHECKING:
    from footfall.roadmap.facts import RoadmapFacts
    from footfall.roadmap.moves import Moves
    from footfall.roadmap.options import RoadmapOptions

roadmap_app = make_group("roadmap", "Make roadmaps of footholds and look at them.")
Clips = Annotated[
    str, typer.Argument(help="default, default:GROUP, a library, a folder, or a clip.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="NAME=VALUE: an option of the method roadmap (repeatable)."),
]
USUAL = "default:choi"


@roadmap_app.command("build")
@command
def build(
    output: Output,
    library: Clips = USUAL,
    scene: str = "dungeon",
    options: Settings = None,
    picture: Path | None = None,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Build the roadmap of a scene, keep it for `plan`, and print its figures.

    A roadmap is kept in the cache folder by the address of clips, scene and settings: the
    next request for the same ones loads it, here and in `plan --method roadmap`.

    scene    A built-in scene or a scene file.
    picture  Draw it from above: a .png, .svg or .pdf file.

    Examples:
      footfall roadmap build --scene room
      footfall roadmap build --scene dungeon --picture out/dungeon.png
      footfall roadmap build takes --scene yard.toml --set nodes=5000 --set more=2500
    """
    from footfall.files.results import replacing
    from footfall.files.scene.read import load_scene
    from footfall.library.library import check_library_name
    from footfall.roadmap.facts import roadmap_facts
    from footfall.verbs.warmup_jobs import planning_jobs

    results = [] if picture is None else [picture]
    with replacing(results, [library, scene], force=force):
        asked = _options(options)
        world = load_scene(scene)
        check_library_name(library)
        compile_first(output, planning_jobs("roadmap"))
        with output.progress("building the roadmap") as progress:
            moves = _moves(library, asked)
            made, seconds, kept = _build(moves, asked, world, seed, progress)
        if picture is not None:
            from footfall.plots.roadmap_map import save_roadmap_map

            save_roadmap_map(made, picture, world)
    facts = roadmap_facts(made)
    output.say(f"the roadmap of {world.name!r} with {library}")
    output.table([*_rows(facts), ("took", f"{seconds:.2f} s{', kept from before' * kept}")])
    output.files(results)
    output.result({
        "scene": world.name, "library": library, **facts.as_dict(), "seconds": seconds,
        "kept": kept, "picture": None if picture is None else str(picture),
    })  # fmt: skip


@roadmap_app.command("postures")
@command
def postures(
    output: Output,
    library: Clips = USUAL,
    to: To = Path("out/postures.png"),
    options: Settings = None,
    force: Force = False,
) -> None:
    """Draw the posture transition graph of a library: where its clips can be joined, and how.

    Figures are postures that clips can be cut in; arrows are the moves between them, coloured by
    what they show. Where there are too many postures, or too few, change posture_m.

    to  The picture: a .png, .svg or .pdf file.

    Examples:
      footfall roadmap postures -o postures.png
      footfall roadmap postures default:locomotion --set posture_m=0.15 -o finer.png
    """
    from footfall.files.results import replacing
    from footfall.library.library import check_library_name
    from footfall.plots.posture_graph import save_posture_graph
    from footfall.roadmap.posture_graph import posture_graph
    from footfall.verbs.warmup_jobs import planning_jobs

    with replacing([to], [library], force=force):
        asked = _options(options)
        check_library_name(library)
        compile_first(output, planning_jobs("roadmap"))
        with output.progress("finding moves"):
            moves = _moves(library, asked)
            save_posture_graph(moves, to)
    graph = posture_graph(moves)
    stuck = len(graph.dead_ends())
    output.table([
        ("clips", len(moves.clips)), ("moves", len(moves)), ("kinds of them", len(graph.tails)),
        ("postures", f"{graph.postures}, {int(graph.at_rest.sum())} of them at rest"),
        ("dead ends", stuck),
    ])  # fmt: skip
    output.files([to])
    output.result({
        "library": library, "clips": len(moves.clips), "moves": len(moves),
        "types": len(graph.tails), "postures": graph.postures,
        "at_rest": int(graph.at_rest.sum()), "dead_ends": stuck, "picture": str(to),
    })  # fmt: skip


def _options(words: list[str] | None) -> RoadmapOptions:
    from footfall.cli.task_options import split_options
    from footfall.roadmap.options import RoadmapOptions
    from footfall.task.options import make_options, parse_options

    given = parse_options(RoadmapOptions, split_options(words or []))
    made: RoadmapOptions = make_options(RoadmapOptions, given, "roadmap")
    return made


def _moves(library: str, asked: RoadmapOptions) -> Moves:
    from footfall.errors import InputError
    from footfall.library.library import open_library
    from footfall.roadmap.store import kept_moves

    name = USUAL if library == "default" else library
    moves = kept_moves(tuple(open_library(name)), asked.posture_m)
    if not len(moves):
        raise InputError(
            "no clip leads from one stance to another", where=library,
            remedy="roadmaps need clips that step or walk, with feet that touch the ground",
        )  # fmt: skip
    return moves


def _build(
    moves: Moves, asked: RoadmapOptions, scene: Any, seed: int, progress: Any
) -> tuple[Any, float, bool]:
    """Return the roadmap, the seconds that it took, and whether it was kept from before."""
    import time

    from footfall.roadmap.store import kept_roadmap, kept_table, load_roadmap, roadmap_address
    from footfall.world.scene_edit import without_moving

    settings = asked.settings(seed)
    began = time.perf_counter()
    key = roadmap_address(moves, settings, without_moving(scene))
    found = load_roadmap(key, kept_table(moves, settings)) if key else None
    made = found or kept_roadmap(moves, settings, scene, progress)
    return made, time.perf_counter() - began, found is not None


def _rows(facts: RoadmapFacts) -> list[tuple[str, object]]:
    shown = ", ".join(f"{name} {count:,}" for name, count in facts.behaviours.items())
    return [
        ("made of", f"{facts.moves:,} moves of {facts.clips} clips, {facts.postures} postures"),
        ("footholds", f"{facts.footholds:,}, {facts.alone} of them without a way in or out"),
        ("edges", f"{facts.edges:,}, {facts.edges_a_foothold:.1f} a foothold"),
        ("edges by behaviour", shown),
        ("parts", f"{facts.components}, {100.0 * facts.largest_share:.0f} % in the largest"),
    ]
