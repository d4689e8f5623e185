"""The posture transition graph as a picture: small figures, and arrows by the moves between."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.maths.arrays import Floats, Ints
from footfall.plots.files import figure_file, save_figure
from footfall.roadmap.moves import Moves
from footfall.roadmap.posture_graph import PostureGraph, posture_graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (
    "#d62728", "#ff7f0e", "#e377c2", "#8c564b", "#bcbd22", "#9a8f2a", "#7f7f7f", "#5b3a8c",
    "#17becf", "#2ca02c", "#9467bd", "#c2503a", "#1f77b4", "#444444", "#999999",
)  # fmt: skip
"""Of behaviours, in the order of `BEHAVIOURS`; the last is any other."""
_SIDES = ("#2f6fb0", "#c2571a", "#2d2b28")
"""Of the left limbs, the right ones and the trunk."""
_WIDE, _HIGH, _TALL = 1.0, 0.72, 0.1
"""Half the size of the ring that figures stand on, and how tall they are."""


def save_posture_graph(moves: Moves, path: str | Path) -> Path:
    """Draw which postures moves begin and end in, and what leads between them."""
    path = figure_file(path)
    return save_figure(posture_figure(moves), path)


def posture_figure(moves: Moves) -> Figure:
    """Return the picture: standing in the middle, all else around it by what it belongs to.

    An arrow is as wide as its moves are many, in the colour of what most of them show. Left limbs
    are blue, right ones orange; the dot is the foot that the posture is seen from.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    graph = posture_graph(moves)
    places = _places(graph)
    figure = Figure(figsize=(12.0, 9.4), facecolor="#fbfaf8")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.01, 0.06, 0.98, 0.9))
    _draw_arrows(axes, graph, places)
    tall = _TALL * min(1.0, (60 / max(graph.postures, 1)) ** 0.5)
    for posture in range(graph.postures):
        _draw_character(axes, moves, graph, posture, places[posture], tall)
    axes.set(xlim=(-1.18, 1.18), ylim=(-0.92, 0.92), aspect="equal")
    axes.axis("off")
    axes.set_title(
        f"{graph.postures} postures, {len(moves)} moves of {len(moves.clips)} clips, "
        f"{len(graph.tails)} kinds of them",
        loc="left", fontsize=12,
    )  # fmt: skip
    _draw_legend(figure, graph)
    return figure


def _places(graph: PostureGraph) -> Floats:
    """Return (P, 2) positions of postures: rests inside, others on a ring by behaviour."""
    places = np.zeros((graph.postures, 2))
    kinds = graph.posture_kinds()
    ring = np.flatnonzero(~graph.at_rest)
    ring = ring[np.lexsort((graph.feet[ring], -kinds[ring]))]
    turn = 2.0 * np.pi * (np.arange(len(ring)) + 0.5) / max(len(ring), 1)
    near = np.where(np.arange(len(ring)) % 2 == 0, 1.0, 0.84)  # two rows, so that none overlap
    places[ring] = np.stack([_WIDE * np.sin(turn), _HIGH * np.cos(turn)], axis=1) * near[:, None]
    inside = np.flatnonzero(graph.at_rest)
    turn = 2.0 * np.pi * np.arange(len(inside)) / max(len(inside), 1)
    size = 0.0 if len(inside) < 2 else min(0.2, 0.06 * len(inside))
    places[inside] = size * np.stack([np.sin(turn), np.cos(turn)], axis=1)
    return places


def _draw_arrows(axes: Axes, graph: PostureGraph, places: Floats) -> None:
    from matplotlib.patches import Circle, FancyArrowPatch

    rows = zip(graph.tails, graph.heads, graph.counts, graph.kinds, strict=True)
    for tail, head, count, kind in rows:
        style = {"color": COLOURS[kind], "lw": 0.5 + 0.45 * np.log2(1 + count), "alpha": 0.55}
        if tail == head:
            middle = places[tail] + [0.0, 0.75 * _TALL]
            axes.add_patch(Circle((middle[0], middle[1]), 0.3 * _TALL, fill=False, **style))
            continue
        axes.add_patch(
            FancyArrowPatch(
                tuple(places[tail]), tuple(places[head]), connectionstyle="arc3,rad=0.12",
                arrowstyle="-|>", mutation_scale=7.0, shrinkA=14.0, shrinkB=16.0, **style,
            )
        )  # fmt: skip


def _draw_character(
    axes: Axes, moves: Moves, graph: PostureGraph, posture: int, place: Floats, tall: float
) -> None:
    """Draw a stick figure from its right side, on a disc of paper."""
    from matplotlib.patches import Circle

    number, frame = graph.moments[posture]
    clip = moves.clips[number]
    skeleton = clip.skeleton
    joints = clip[frame : frame + 1].positions[0]
    left, right = (joints[skeleton.role(f"{side}_hip")] for side in ("left", "right"))
    across = (left - right)[[0, 2]] / max(float(np.hypot(*(left - right)[[0, 2]])), 1e-9)
    # Seen almost from the side, so that the far leg shows as well.
    ahead = np.array([-across[1], across[0]]) + 0.25 * across
    flat = np.stack([(joints - 0.5 * (left + right))[:, [0, 2]] @ ahead, joints[:, 1]], axis=1)
    flat[:, 1] -= flat[:, 1].min()
    scale = tall / 1.75
    flat = place + scale * (flat - [0.0, 0.9])
    axes.add_patch(Circle((place[0], place[1]), 0.62 * tall, fc="#fbfaf8e0", ec="#d9d5cd", lw=0.6,
                          zorder=3))  # fmt: skip
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            colour = _SIDES[_side(skeleton.names[joint], joint, skeleton.roles)]
            axes.plot(*flat[[parent, joint]].T, color=colour, lw=1.1, zorder=4,
                      solid_capstyle="round")  # fmt: skip
    foot = skeleton.role(f"{('left', 'right')[graph.feet[posture]]}_ankle")
    axes.plot(*flat[foot], "o", color=_SIDES[graph.feet[posture]], markersize=3.0, zorder=5)
    axes.plot(*flat[skeleton.role("head")], "o", color=_SIDES[2], markersize=3.4, zorder=5)


def _side(name: str, joint: int, roles: dict[str, int]) -> int:
    """Return 0 for a joint on the left, 1 on the right, 2 in the middle."""
    role = next((r for r, j in roles.items() if j == joint), name).lower()
    return 0 if "left" in role else 1 if "right" in role else 2


def _draw_legend(figure: Figure, graph: PostureGraph) -> None:
    from matplotlib.lines import Line2D

    many: Ints = np.bincount(graph.kinds, graph.counts, len(graph.names)).astype(np.int32)
    shown = [k for k in range(len(graph.names)) if many[k]]
    lines = [Line2D([], [], color=COLOURS[k], lw=2.5) for k in shown]
    words = [f"{graph.names[k]} ({many[k]})" for k in shown]
    figure.legend(lines, words, loc="lower center", ncols=7, fontsize=9, frameon=False)
