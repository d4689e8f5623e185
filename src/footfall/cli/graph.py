"""`footfall graph build|info`: build and describe motion graphs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.options import Force, Tag, To, command, make_group
from footfall.cli.output import Output

if TYPE_CHECKING:
    from footfall.graph.build import Clips
    from footfall.graph.model import MotionGraph

graph_app = make_group("graph", "Make motion graphs from clips and look at them.")
Picture = Annotated[
    Path | None,
    typer.Option("--picture", help="Draw distances and transitions: a .png, .svg or .pdf file."),
]
Compare = Annotated[
    bool, typer.Option("--compare", help="All three metrics in the picture, at as many edges each.")
]


@graph_app.command("build")
@command
def build(
    library: list[str],
    output: Output,
    to: To = Path("out/motion.graph"),
    metric: str = "point_cloud",
    threshold: float | None = None,
    percentile: float | None = None,
    edges: int | None = None,
    window: float = 1.0 / 3.0,
    fps: float = 30.0,
    contacts: bool = False,
    mirror: bool = False,
    tag: Tag = None,
    picture: Picture = None,
    compare: Compare = False,
    force: Force = False,
) -> None:
    """Make a motion graph: transitions wherever the clips are alike, and no dead ends.

    library     default, default:GROUP, a library, a folder, or clips.
    to          The file the graph goes to.
    metric      point_cloud, joint_angles or principal_components.
    threshold   Largest distance of a transition: m², rad² or rad.
    percentile  … or the share of all pairs that is nearer (2 %).
    edges       … or how many edges the graph gets.
    window      Seconds that are compared, and blended.
    fps         Frames per second of the graph.
    contacts    Only transitions where the same feet stand.
    mirror      The mirror image of every clip as well.

    Examples:
      footfall graph build default:basten -o out/basten.graph
      footfall graph build takes --metric joint_angles --edges 1260 -o out/takes.graph
      footfall graph build walk.bvh turn.bvh --percentile 1 --picture out/distances.png
    """
    from footfall.files.results import replacing
    from footfall.graph.build import build_graph
    from footfall.graph.store import save_graph

    results = [to] if picture is None else [to, picture]
    with replacing(results, library, force=force), output.progress("comparing") as progress:
        graph = build_graph(
            _clips(library), metric=metric, threshold=threshold, percentile=percentile,
            edges=edges, window_s=window, fps=fps, contact_compatible=contacts,
            tags=tuple(tag or ()), mirror=mirror, progress=progress,
        )  # fmt: skip
        save_graph(graph, to)
        _draw(graph, picture, compare)
    _show(output, to, graph, picture)


@graph_app.command("info")
@command
def info(
    file: Path,
    output: Output,
    picture: Picture = None,
    compare: Compare = False,
    force: Force = False,
) -> None:
    """Describe a motion graph: its size, its cycles, and which clips it joins.

    file  A motion graph.

    Examples:
      footfall graph info out/basten.graph
      footfall graph info out/basten.graph --picture out/metrics.png --compare
    """
    from footfall.files.results import replacing
    from footfall.graph.store import load_graph

    graph = load_graph(file)
    with replacing([] if picture is None else [picture], [file], force=force):
        _draw(graph, picture, compare)
    _show(output, file, graph, picture)


def _clips(names: list[str]) -> Clips:
    """Return one name is a library or becomes one; several are clips."""
    if len(names) == 1:
        return names[0]
    from dataclasses import replace

    from footfall.files.formats import load

    clips = [load(name) for name in names]
    return [replace(c, name=c.name or Path(n).stem) for c, n in zip(clips, names, strict=True)]


def _draw(graph: MotionGraph, picture: Path | None, compare: bool) -> None:
    if picture is not None:
        from footfall.plots.distances import by_every_metric, save_distance_picture

        save_distance_picture(by_every_metric(graph) if compare else graph, picture)


def _show(output: Output, file: Path, graph: MotionGraph, picture: Path | None) -> None:
    from footfall.graph.facts import graph_facts
    from footfall.pose.metrics import UNITS

    facts = graph_facts(graph)
    unit = UNITS[graph.metric]
    least, _, middle, _, most = facts.distance.tolist()
    output.say(str(file))
    rows = [
        ("clips", f"{facts.clips_used} of {len(graph.names)}, at {graph.fps:g} frames a second"),
        ("metric", f"{graph.metric}, windows of {graph.window} frames"),
        ("threshold", f"{graph.threshold:.4g} {unit}"),
        ("nodes", str(facts.nodes)),
        ("edges", f"{facts.edges}: {facts.pieces} pieces, {facts.transitions} transitions"),
        ("frames", f"{facts.frames} on all edges; {facts.seconds:.1f} s of clips"),
        ("minima", f"{facts.minima} that could be transitions both ways"),
        ("distances", f"{least:.3g} to {most:.3g} {unit}, half of them below {middle:.3g}"),
        ("ways out", f"{facts.out_degree:.2f} a node, at most {facts.most_out_degree}"),
        ("shortest cycles", f"{facts.cycle_edges:.1f} edges on average"),
        ("within a clip", f"{100.0 * facts.self_share:.0f} % of all transitions"),
    ]
    output.table(rows)
    entered = sorted(zip(facts.into_clip.tolist(), graph.names, strict=True), reverse=True)
    if facts.self_share < 1.0:
        output.say("  from other clips into")
        shares: list[Any] = [(name, f"{100.0 * s:.0f} %") for s, name in entered[:12] if s > 0.0]
        output.table([(f"  {name}", share) for name, share in shares])
    if picture is not None:
        output.say(str(picture))
    output.result(
        {
            "file": str(file), "metric": graph.metric, "threshold": graph.threshold, "unit": unit,
            "window": graph.window, "fps": graph.fps, "clips": list(graph.names),
            **facts.as_dict(), "picture": str(picture) if picture else None,
        }
    )  # fmt: skip
