"""Worlds: ground, feet and clearance."""

from __future__ import annotations

import numpy as np

from bench.harness import BenchRow, best_of, best_of_each
from footfall.world.collision.queries import body_clearance, capsule_clearance, foot_placements
from footfall.world.ground import spline_ground
from footfall.world.obstacles import Obstacle, ObstaclePart, yaw_rotation
from footfall.world.scene import Scene, rectangle

MILLION, FEET = 1_000_000, 100_000


def boxes_on_a_floor(count: int, side: float, seed: int = 1) -> Scene:
    """Boxes of 0.2 to 1 m at random on a square floor, metres."""
    rng = np.random.default_rng(seed)
    things = []
    for _ in range(count):
        half = 0.5 * rng.uniform(0.2, 1.0, 3)
        x, z = rng.uniform(-0.5 * side, 0.5 * side, 2)
        part = ObstaclePart("box", np.array([0.0, half[1], 0.0]), half)
        place = np.array([x, 0.0, z])
        things.append(Obstacle("box", (part,), place, yaw_rotation(rng.uniform(-3.0, 3.0))))
    corner = np.full(2, 0.5 * side)
    return Scene(f"{count} boxes", rectangle(-corner, corner), obstacles=tuple(things))


def rows() -> list[BenchRow]:
    rng = np.random.default_rng(0)
    return [*_ground(rng), *_feet(rng), *_clearance(rng), *_bodies(rng)]


def _ground(rng: np.random.Generator) -> list[BenchRow]:
    from scipy.interpolate import NdBSpline

    control = rng.normal(size=(64, 64))
    ground = spline_ground(control, (0.0, 0.0), (61.0, 61.0))
    points = rng.uniform(0.0, 61.0, (MILLION, 2))
    knots = np.concatenate([[0.0] * 3, np.arange(62.0), [61.0] * 3])
    spline = NdBSpline((knots, knots), control, 3)
    best = best_of_each(
        {"ours": lambda: ground.height(points), "scipy": lambda: spline(points[:, ::-1])}, repeats=3
    )
    return [
        BenchRow(
            "1 M heights, 64 × 64 B-spline", best["ours"], {"scipy": best["scipy"]}, "<= 100 ms"
        ),
        BenchRow("1 M normals, 64 × 64 B-spline", best_of(lambda: ground.normal(points))),
    ]


def _feet(rng: np.random.Generator) -> list[BenchRow]:
    flat = boxes_on_a_floor(150, 20.0)
    ground = spline_ground(rng.normal(0.0, 0.1, (64, 64)), (-10.0, -10.0), (20.0, 20.0))
    hilly = Scene("hilly", flat.outline, ground, flat.obstacles)
    feet = np.column_stack([rng.uniform(-10, 10, (FEET, 2)), rng.uniform(-3, 3, FEET)])
    return [
        BenchRow(
            "100 k foot placements, 150 obstacles", best_of(lambda: foot_placements(flat, feet)),
            {}, "<= 50 ms",
        ),
        BenchRow(
            "the same on a B-spline ground", best_of(lambda: foot_placements(hilly, feet))
        ),
    ]  # fmt: skip


def _clearance(rng: np.random.Generator) -> list[BenchRow]:
    few, many = boxes_on_a_floor(100, 20.0), boxes_on_a_floor(10_000, 200.0)
    near = rng.uniform(-10.0, 10.0, (FEET, 2))
    wide = rng.uniform(-100.0, 100.0, (FEET, 2))
    best = best_of_each(
        {
            "few": lambda: body_clearance(few, near, base=0.0),
            "many": lambda: body_clearance(many, near, base=0.0),
            "wide": lambda: body_clearance(many, wide, base=0.0),
        }
    )
    few_s = {"100 obstacles": best["few"]}
    return [
        BenchRow("100 k clearances, 100 obstacles", best["few"]),
        BenchRow(
            "the same place among 10,000 obstacles", best["many"], few_s, "<= 2x 100 obstacles"
        ),
        BenchRow("all over 10,000 obstacles", best["wide"], few_s, "<= 2x 100 obstacles"),
    ]


def _bodies(rng: np.random.Generator) -> list[BenchRow]:
    scene = boxes_on_a_floor(150, 20.0)
    middle = rng.uniform(-10, 10, (FEET, 1, 3)) * [1.0, 0.1, 1.0] + [0.0, 0.9, 0.0]
    ends = middle + rng.uniform(-0.25, 0.25, (FEET, 2, 3))
    return [
        BenchRow(
            "100 k body capsules, 150 obstacles",
            best_of(lambda: capsule_clearance(scene, ends, 0.08, reach=0.3)),
        )
    ]
