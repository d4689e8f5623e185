"""All figures, and the table that holds them against what people do."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from bench.acting import figures as fig
from bench.acting.angles import Angles, angles_of
from bench.acting.figures import Figure, side_difference, stride_deviation

_ACTIONS = ("stairs_*", "step_over_*", "turn_in_place_*", "sit_0*", "hurdle_*", "sidestep_*",
            "jump_*", "pick_*", "duck_*", "beam_*")  # fmt: skip
_WALKS = ("walk_1", "walk_1.25", "walk_1.5", "park_walk_1.1", "park_walk_1.4")
_RUNS = ("run_2.8", "run_3.4", "park_run_2.4", "park_run_3.8")


def _f(group, name, clips, recorded, low, high, measure):  # type: ignore[no-untyped-def]
    return Figure(group, name, clips, recorded, low, high, measure)


FIGURES: tuple[Figure, ...] = (
    _f("trunk", "lateral range on stairs, °", ("stairs_*",), ("stairs_up", "stairs_up_down"),
       3, 10, fig.side_range),
    _f("trunk", "lateral range, step over, °", ("step_over_*",), ("step_over",), 6, 27,
       fig.side_range),
    _f("trunk", "lateral range, turn in place, °", ("turn_in_place_*",),
       ("turn_in_place_left", "turn_in_place_right"), 4, 5, fig.side_range),
    _f("trunk", "lateral range, sit, °", ("sit_0*",), ("sit_stand",), 4, 11, fig.side_range),
    _f("trunk", "lateral range, hurdle, °", ("hurdle_*",), ("hurdle",), 12, 22, fig.side_range),
    _f("trunk", "lateral range, sidestep, °", ("sidestep_*",),
       ("sidestep_left", "sidestep_right", "sidestep_both"), 5, 17, fig.side_range),
    _f("pelvis", "list, jumps, °", ("jump_*",), ("jump_forward",), 1, 8, fig.list_range),
    _f("pelvis", "list, picks, °", ("pick_*",), ("pick_up",), 2, 20, fig.list_range),
    _f("pelvis", "list, sits, °", ("sit_0*",), ("sit_stand",), 2, 15, fig.list_range),
    _f("head and hands", "head yaw in idling, °", ("stand_1", "stand_2"), (), 8, 40,
       fig.head_turns),
    _f("head and hands", "wrist turns in actions, °", _ACTIONS, ("pick_up", "jump_forward",
       "step_over"), 8, 60, fig.wrist_most),
    _f("head and hands", "collarbone turns in actions, °", _ACTIONS, ("pick_up", "jump_forward"),
       4, 25, fig.collar_most),
    _f("head and hands", "head down at landing, °", ("jump_0.5", "jump_0.8", "jump_1*"),
       ("jump_forward",), 34, 48, fig.head_at_landing),
    _f("first step", "ankle rises, cm", ("start_*",), ("walk_start", "walk_start_stop"), 6, 10,
       fig.first_rise_cm),
    _f("first step", "knee, °", ("start_*",), ("walk_start", "walk_start_stop"), 52, 72,
       fig.first_knee),
    _f("first step", "knee speed, °/s", ("start_*",), ("walk_start", "walk_start_stop"), 145, 315,
       fig.first_knee_rate),
    _f("first step", "toes up before contact, °", ("start_*",), ("walk_start",), 8, 30,
       fig.first_landing_pitch),
    _f("stairs down", "hip flexion, °", ("stairs_down_*",), (), 41, 46, fig.hip_most),
    _f("stairs down", "knee, °", ("stairs_down_*",), (), 97, 109, fig.knee_most),
    _f("lean", "running start, °", ("run_start_*",), ("run_start",), 36, 38, fig.lean_most),
    _f("lean", "steady run, °", _RUNS, ("run_straight",), 3.5, 19.5,
       lambda a: float(a.trunk_pitch.mean())),
    _f("lean", "running stop, braking knee, °", ("run_stop_*",), ("run_stop",), 37, 54,
       fig.braking_knee),
    _f("lean", "elbow range of runs, °", _RUNS, ("run_straight",), 35, 50, fig.elbow_range),
    _f("push-off", "foot at toe-off, walk, °", _WALKS, ("walk_straight",), -70, -50,
       fig.toe_off_pitch),
    _f("push-off", "foot at toe-off, run, °", _RUNS, ("run_straight",), -57, -31,
       fig.toe_off_pitch),
    _f("push-off", "toes' speed, °/s", (*_WALKS, *_RUNS), ("walk_straight",), 0, 500,
       fig.toe_rate),
    _f("push-off", "ankle range, walk, °", _WALKS, ("walk_straight",), 27, 37, fig.ankle_range),
    _f("weight", "knee yields, °", _WALKS, ("walk_straight",), 11.7, 23.5, fig.knee_yield),
    _f("weight", "… most at % of the stride", _WALKS, ("walk_straight",), 13, 19,
       fig.knee_yield_share),
    _f("weight", "least stance knee, °", _WALKS, ("walk_straight",), 8, 13,
       fig.least_stance_knee),
    _f("weight", "hips rise, cm", _WALKS, ("walk_straight",), 2.4, 4.0, fig.hips_rise_cm),
    _f("variation", "lateral lean, SD, °", _WALKS, ("walk_straight",), 0.3, 0.7,
       stride_deviation(lambda a: a.trunk_side)),
    _f("variation", "pelvis list, SD, °", _WALKS, ("walk_straight",), 0.3, 0.7,
       stride_deviation(lambda a: a.pelvis_list)),
    _f("variation", "elbow, SD, °", _WALKS, ("walk_straight",), 1.2, 2.6,
       stride_deviation(lambda a: a.elbow[:, 0])),
    _f("variation", "shoulder, SD, °", _WALKS, ("walk_straight",), 0.9, 2.0,
       stride_deviation(lambda a: a.shoulder[:, 0])),
    _f("variation", "head pitch, SD, °", _WALKS, ("walk_straight",), 1.5, 4.0,
       stride_deviation(lambda a: a.head_pitch)),
    _f("variation", "knee, left against right, °", _WALKS, ("walk_straight",), 2, 8,
       side_difference(lambda a: a.knee)),
    _f("variation", "shoulder, left against right, °", _WALKS, ("walk_straight",), 1.5, 10,
       side_difference(lambda a: a.shoulder)),
    _f("variation", "elbow, left against right, °", _WALKS, ("walk_straight",), 1.5, 12,
       side_difference(lambda a: a.elbow)),
    _f("tempo", "ducking, hips' speed, m/s", ("duck_*",), ("duck_under",), 0.6, 0.87,
       fig.low_speed),
    _f("tempo", "step over, hips' speed, m/s", ("step_over_*",), ("step_over",), 0.7, 1.0,
       fig.mean_speed),
    _f("tempo", "flight of jump_1.1, s", ("jump_1.1",), (), 0.40, 0.46, fig.flight_s),
    _f("tempo", "flight of jump_1.4, s", ("jump_1.4",), (), 0.43, 0.49, fig.flight_s),
    _f("tempo", "beam, trunk SD, °", ("beam_*",), ("beam",), 3.5, 7,
       lambda a: float(a.trunk_side.std())),
)  # fmt: skip


def measure_default() -> list[tuple[Figure, float, float, float]]:
    """Each figure with the least, the mean and the most over the default clips."""
    from footfall.library.library import open_library

    clips = {clip.name: clip for clip in open_library("default")}
    seen: dict[str, Angles] = {}
    rows = []
    for figure in FIGURES:
        values = []
        for name in clips:
            if figure.takes(name):
                if name not in seen:
                    seen[name] = angles_of(clips[name])
                values.append(_value(figure, seen[name]))
        rows.append((figure, *_spread(values)))
    return rows


def measure_recorded(folder: Path) -> list[tuple[float, float, float, int]]:
    """Each figure over the recordings that show the same: least, mean, most, how many."""
    from footfall import load

    with (folder / "INDEX.csv").open() as index:
        kinds = {row["file"]: row["behaviour"] for row in csv.DictReader(index)}
    seen: dict[str, Angles] = {}
    rows = []
    for figure in FIGURES:
        values = []
        for file, kind in kinds.items():
            if kind in figure.recorded and file.endswith(".bvh"):
                if file not in seen:
                    seen[file] = angles_of(load(folder / file))
                values.append(_value(figure, seen[file]))
        rows.append((*_spread(values), len(values)))
    return rows


def _value(figure: Figure, a: Angles) -> float:
    try:
        return figure.measure(a)
    except (ValueError, KeyError):  # the clip does not show it
        return float("nan")


def _spread(values: list[float]) -> tuple[float, float, float]:
    known = [v for v in values if np.isfinite(v)]
    if not known:
        return float("nan"), float("nan"), float("nan")
    return min(known), float(np.mean(known)), max(known)
