"""Footholds are looked for on stones and columns, pointing to what is near."""

from __future__ import annotations

import numpy as np

from footfall.files.scene.read import load_scene
from footfall.roadmap.islets import find_islets, sample_on_islets
from footfall.world.scene import Scene, rectangle


def test_every_column_of_the_dungeon_is_an_islet() -> None:
    middles, radii, ways = find_islets(load_scene("dungeon"))
    row = np.array([[-1.97, -1.60], [-0.66, -1.50], [0.65, -1.68], [1.96, -1.55]])
    away = np.linalg.norm(row[:, None] - middles[None], axis=-1)
    assert away.min(axis=1).max() < 0.05
    assert np.abs(radii[away.argmin(axis=1)] - 0.28).max() < 0.05
    inner = ways[int(away[1].argmin())]
    for other in (row[0], row[2]):
        line = other - row[1]
        off = inner - np.arctan2(line[0], line[1])
        assert np.abs((off + np.pi) % (2.0 * np.pi) - np.pi).min() < np.radians(10.0)


def test_places_lie_on_their_islets(rng: np.random.Generator) -> None:
    scene = load_scene("dungeon")
    places = sample_on_islets(scene, 300, rng)
    middles, radii, _ = find_islets(scene)
    away = np.linalg.norm(places[:, None, :2] - middles[None], axis=-1)
    near = away.min(axis=1) < radii[away.argmin(axis=1)]
    assert near.mean() > 0.95


def test_a_plain_has_none(rng: np.random.Generator) -> None:
    plain = Scene("plain", rectangle([-3.0, -3.0], [3.0, 3.0]))
    assert len(find_islets(plain)[0]) == 0
    assert sample_on_islets(plain, 50, rng).shape == (0, 3)
