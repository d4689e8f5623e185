"""Figures 1, 2, 12 and 13 of Safonova & Hodgins, and Table 4 as a plot, drawn from our runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.body.clip import Clip
from footfall.gait.footprints import footprints_of
from footfall.papers import safonova_paper as paper
from footfall.papers.drawing import draw_footprints, make_axes, png_of_figure, png_of_picture
from footfall.papers.safonova_figures import CompareRun, CourseRun
from footfall.papers.safonova_problems import winding_path
from footfall.papers.safonova_runs import HeuristicRun, MotionRun, Solution
from footfall.render.in_scene import picture_in_scene
from footfall.world.scene import Scene, rectangle

_COLOURS = ("#b23a48", "#c98a1b", "#2a7f62", "#1f5fa8", "#8d6a9f")


def greedy_picture(runs: Sequence[MotionRun]) -> bytes | None:
    """Figure 1: the first and the best solution of each motion, one above the other."""
    shown = [(run, row) for run in runs if run.rows for row in (run.first, run.rows[-1])]
    if not shown:
        return None
    return _bodies([
        (row, _scene_of(run.query.scene, row.clip),
         f"{run.printed.name}, {'first' if row is run.first else 'best'}: "
         f"{row.strategy}, {row.cost / 1e6:.2f} M")
        for run, row in shown
    ])  # fmt: skip


def columns_picture(run: CompareRun) -> bytes | None:
    """Figure 12: the columns with interpolation and without."""
    shown = [
        (
            one,
            _scene_of(run.query.scene, one.clip),
            f"{name}: {one.strategy}, {one.cost / 1e6:.2f} M",
        )
        for name, one in (("interpolated", run.interpolated), ("without", run.plain))
        if one is not None
    ]
    return _bodies(shown) if shown else None


def _bodies(shown: Sequence[tuple[Solution, Scene, str]]) -> bytes:
    """Motions seen from the side, two in a row, with what they are."""
    rows = (len(shown) + 1) // 2
    figure, axes = make_axes(2, rows, wide=6.0, high=2.7)
    for one in axes:
        one.axis("off")
    for one, (solution, scene, title) in zip(axes, shown, strict=False):
        one.imshow(picture_in_scene(solution.clip, scene, view="side", size=(900, 380)))
        one.set_title(title, fontsize=9)
    return png_of_figure(figure)


def _scene_of(scene: Scene | None, clip: Clip) -> Scene:
    """Return the scene of a motion, or a plain around it."""
    if scene is not None:
        return scene
    at = clip.root[:, [0, 2]]
    return Scene("plain", rectangle(at.min(axis=0) - 1.5, at.max(axis=0) + 1.5))


def curve_picture(run: CompareRun) -> bytes:
    """Figure 13: the curve, the root along it, and the feet, with interpolation and without."""
    figure, axes = make_axes(2, wide=3.4, high=4.6)
    path = winding_path()
    named = zip(axes, (run.interpolated, run.plain), ("interpolated", "without"),
                run.corridors_m, strict=True)  # fmt: skip
    for one, solution, name, corridor_m in named:
        one.plot(-path[:, 0], path[:, 1], color="#54a24b", linewidth=1.5)
        one.set(aspect="equal", xlim=(-1.6, 0.6), xlabel="m")
        if solution is None:
            one.set_title(f"{name}: none", fontsize=9)
            continue
        root = solution.clip.root[:, [0, 2]]
        one.plot(-root[:, 0], root[:, 1], color="#1f5fa8", linewidth=1.2)
        draw_footprints(one, footprints_of(solution.clip), 0.6, side=-1.0)
        one.set_title(f"{name}, {100 * corridor_m:.0f} cm: {solution.steps} steps", fontsize=9)
    return png_of_figure(figure)


def course_picture(run: CourseRun) -> bytes | None:
    """Figure 2: the body along the course."""
    if run.plan.clip is None:
        return None
    return png_of_picture(
        picture_in_scene(run.plan.clip, run.scene, view="corner", size=(1400, 700))
    )


def expansions_picture(run: HeuristicRun) -> bytes:
    """Table 4: states expanded by way to estimate and bound, and those that were given up."""
    figure, (axes,) = make_axes(wide=6.4, high=3.2)
    names = [*(one.name for one in paper.HEURISTICS), "plain sum"]
    mean, solved = run.expansions.mean(axis=2), run.solved.mean(axis=2)
    wide = 0.16
    for h, name in enumerate(names):
        at = np.arange(len(paper.BOUNDS)) + (h - 2) * wide
        axes.bar(at, np.maximum(mean[h], 1.0), wide, color=_COLOURS[h], label=name)
        for x, height, share in zip(at, mean[h], solved[h], strict=True):
            if share < 1.0:
                axes.text(x, height, f"{100 * share:.0f} %", ha="center", va="bottom", fontsize=7)
    axes.set(yscale="log", ylabel="states expanded (mean)")
    axes.set_xticks(np.arange(len(paper.BOUNDS)), [f"ε = {e:g}" for e in paper.BOUNDS])
    axes.legend(frameon=False, fontsize=8, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return png_of_figure(figure)
