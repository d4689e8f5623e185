"""Park, Shin & Shin's experiments: one path at three gaits, a pointer chased, hills, and speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from footfall.blending.build import SpaceSettings
from footfall.blending.model import BlendSpace
from footfall.blending.space import space_of
from footfall.errors import InputError, check_whole
from footfall.library.library import open_library
from footfall.papers.document import Block, Heading, Picture, ReportTable, Text
from footfall.papers.findings import Claim, DatabaseFindings, findings_table, printed_value
from footfall.papers.park_plots import draw_chase, draw_paths, draw_times
from footfall.papers.park_runs import (
    GAITS,
    ChaseRun,
    PathRun,
    chase_pointer,
    follow_spline,
    sway_cm,
    switch_examples,
    walk_hills,
)
from footfall.papers.park_times import MANY_EXAMPLES, Timing, time_characters, time_examples
from footfall.papers.reproduce import Given, Step, database_name
from footfall.papers.statistics import linear_fit

TITLE = "Park, Shin & Shin: on-line locomotion generation based on motion blending"
_EXAMPLES = SpaceSettings(mirrored=True)
"""People turn to both sides alike; the recorded performer may not have."""
PAPER_MS_20 = 1.2
"""Milliseconds a frame with 20 examples, printed; on an 800 MHz machine."""


def prepare(libraries: Sequence[Given], runs: int | None) -> ParkRuns:
    """Check what is asked for.

    runs  seconds that the pointer is chased; 30 by default
    """
    return ParkRuns(30 if runs is None else check_whole("runs", runs, 2, 1000))


@dataclass(frozen=True)
class ParkRuns:
    """All experiments, with the pointer chased for a number of seconds."""

    seconds: int
    steps: int = 1

    @property
    def introduction(self) -> str:
        return _introduction()

    def run(
        self, given: Given, label: str, seed: int, step: Step
    ) -> tuple[list[DatabaseFindings], list[Block]]:
        library = open_library("default:park" if str(given) == "default" else given)
        name = database_name(given)
        try:
            space, many = space_of(library, _EXAMPLES), space_of(library, MANY_EXAMPLES)
        except InputError as error:
            raise error.at(name) from None
        found, more = _experiments(space, many, label, float(self.seconds), seed)
        step()
        blocks = [Heading(f"On {name}"), Text(_contents(space)), *more]
        return [DatabaseFindings(name, found)], blocks


def _experiments(
    space: BlendSpace, many: BlendSpace, name: str, seconds: float, seed: int
) -> tuple[tuple[Claim, ...], list[Block]]:
    fastest = float(space.basis.values[:, 0].max())
    walked = [follow_spline(space, gait, min(speed, 0.95 * fastest)) for gait, speed in GAITS]
    chase = chase_pointer(space, seconds, seed)
    hills = walk_hills(space)
    times, crowds = time_examples(many), time_characters(space)
    found = (
        *_stride_findings(space), *_path_findings(walked), *_chase_findings(chase),
        *_hill_findings(hills), *_time_findings(times, crowds),
    )  # fmt: skip
    blocks: list[Block] = [
        _path_table([*walked, hills]),
        Picture("One B-spline path walked, run slowly and run fast, and the hills (Figures 9, 11)",
                f"{name}_paths", draw_paths([*walked, hills])),
        Picture("A pointer chased: speed, turn and style follow every frame (Figure 10)",
                f"{name}_chase", draw_chase(chase)),
        Picture("Time a frame against the number of examples (Figure 8), and of characters",
                f"{name}_times", draw_times(times, crowds)),
        findings_table(found),
    ]  # fmt: skip
    return found, blocks


def _stride_findings(space: BlendSpace) -> list[Claim]:
    warp, sway = switch_examples(space), sway_cm(space)
    return [
        Claim(
            "what an arc leaves of a stride is the sway of the hips (2 to 3 cm; Figure 2)",
            1.0 <= sway <= 4.0, f"{sway:.1f} cm beside the arc, root mean square",
        ),
        Claim(
            "times that are plainly blended run backwards, ours do not (Figures 3, 4)",
            warp.naive_s < 0.0 < warp.ours_s,
            f"{1000 * warp.naive_s:.0f} ms at worst, ours {1000 * warp.ours_s:.0f} ms, in a frame",
        ),
    ]  # fmt: skip


def _path_findings(walked: Sequence[PathRun]) -> list[Claim]:
    found = []
    for run in walked:
        off = abs(run.achieved_m_s / run.asked_m_s - 1.0)
        found += [
            Claim(
                f"{run.name}: the speed is that which was asked for (within 5 %)", off <= 0.05,
                f"{run.achieved_m_s:.2f} of {run.asked_m_s:.2f} m/s on straights and wide bends",
            ),
            Claim(
                f"{run.name}: it keeps to the path (heading within 5° RMS)",
                run.heading_deg <= 5.0, f"{run.heading_deg:.1f}°, {100 * run.off_m:.1f} cm off",
            ),
            Claim(
                f"{run.name}: feet that stand stay (drift below 0.5 mm)", run.drift_mm < 0.5,
                f"{run.drift_mm:.2f} mm at most",
            ),
        ]  # fmt: skip
    return found


def _chase_findings(run: ChaseRun) -> list[Claim]:
    return [
        Claim(
            "pointer chase: parameters change every frame without pops (1.5 times the examples)",
            run.ratio <= 1.5, f"{run.ratio:.2f} times at most ({run.joint})",
        ),
        Claim(
            "pointer chase: walking and running switch with the speed", run.switches >= 2,
            f"{run.switches} switches in {run.seconds:.0f} s",
        ),
        Claim(
            "pointer chase: no frame is missed at 60 Hz (99 % within 2 ms)",
            run.p99_ms < 2.0 and run.most_ms < 1000.0 / 60.0,
            f"99 % within {run.p99_ms:.2f} ms of the processor, all within {run.most_ms:.2f} ms",
        ),
    ]  # fmt: skip


def _hill_findings(run: PathRun) -> list[Claim]:
    return [
        Claim(
            "terrain: soles neither sink nor float (below 5 mm)", run.sole_mm < 5.0,
            f"{run.sole_mm:.1f} mm at most where feet stand",
        ),
        Claim(
            "terrain: feet that stand stay (below 5 mm)", run.drift_mm < 5.0,
            f"{run.drift_mm:.2f} mm at most",
        ),
    ]  # fmt: skip


def _time_findings(times: Sequence[Timing], crowds: Sequence[Timing]) -> list[Claim]:
    slope, r2 = linear_fit([t.count for t in times], [t.blend_us for t in times])
    few, most = times[0], times[-1]
    each, crowd_r2 = linear_fit([t.count for t in crowds], [t.frame_us for t in crowds])
    near = min(times, key=lambda t: abs(t.count - 20))
    return [
        Claim(
            "the time to blend grows linearly with the examples (R² above 0.98; Figure 8)",
            r2 > 0.98, f"R² {r2:.3f}, {slope:.3f} µs an example, all of them with weight",
        ),
        Claim(
            "the time a frame grows no faster than the examples do",
            most.frame_us * few.count <= few.frame_us * most.count,
            f"{few.frame_us:.1f} µs with {few.count} examples, {most.frame_us:.1f} µs with "
            f"{most.count}: few have weight at a time",
        ),
        Claim(
            "the time a frame grows linearly with the characters (R² above 0.98)",
            crowd_r2 > 0.98, f"R² {crowd_r2:.4f}, {each:.1f} µs each up to {crowds[-1].count:,}",
        ),
        printed_value(
            f"milliseconds a frame with {near.count} examples", PAPER_MS_20,
            near.frame_us / 1000.0, at_most=1.0, form="{:.3f}",
            note="another machine; blending, retargeting and ground, in a batch",
        ),
    ]  # fmt: skip


def _path_table(walked: Sequence[PathRun]) -> ReportTable:
    rows = [
        [
            run.name, f"{run.asked_m_s:.2f}", f"{run.achieved_m_s:.2f}", f"{100 * run.off_m:.1f}",
            f"{run.heading_deg:.1f}", f"{run.drift_mm:.2f}", f"{run.sole_mm:.1f}",
            f"{run.ratio:.2f}", f"{run.frame_us:.0f}",
        ]
        for run in walked
    ]  # fmt: skip
    return ReportTable(
        "Paths followed by blending",
        ["motion", "asked m/s", "achieved m/s", "off cm", "heading °", "drift mm", "sole mm",
         "joint ratio", "µs a frame"],
        rows,
    )  # fmt: skip


def _introduction() -> str:
    return (
        "Three experiments of the paper: one B-spline path walked, run slowly and run fast; a "
        "pointer chased that makes the character walk, run and turn; a path over hills. And "
        "Figure 8, the time of a frame against the number of examples. Data and machine are "
        "others than the paper's, so trends and ratios are what can be compared."
    )


def _contents(space: BlendSpace) -> str:
    values = space.basis.values
    made = sum("on the spot" in e.name for e in space.examples)
    return (
        f"{len(space) - made} example strides, mirror images among them, and {made} made ones "
        f"that step on the spot: "
        f"{values[values[:, 0] > 0.0, 0].min():.1f} to {values[:, 0].max():.1f} m/s, turning up to "
        f"{abs(values[:, 1]).max():.2f} rad/s."
    )
