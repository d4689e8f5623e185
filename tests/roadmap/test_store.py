"""Moves and roadmaps that are kept: read back as they were, and never for anything else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.library.library import open_library
from footfall.library.store.arrays import load_arrays, save_arrays
from footfall.roadmap import store
from footfall.roadmap.moves import Moves
from footfall.roadmap.paths import NoPath, find_path
from footfall.roadmap.table import RoadmapSettings
from footfall.task.stages import Place
from footfall.world.fingerprint import scene_fingerprint
from footfall.world.scene import Scene
from footfall.world.scene_edit import add_obstacle, move_obstacle
from tests.roadmap.small_world import NAMES, carried, named_box, yard

SETTINGS = RoadmapSettings(nodes=250, more=50)


@pytest.fixture(scope="module")
def clips() -> tuple[Any, ...]:
    return tuple(clip for clip in open_library("default:choi") if clip.name in NAMES[:9])


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("MOVES", "TABLES", "ROADMAPS"):
        own = getattr(store, name)
        kept = type(own)(own.kind, own.most_kept, tmp_path / own.kind)
        monkeypatch.setattr(store, name, kept)
    return tmp_path


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is made, rather than read, while a test runs."""
    made: list[str] = []
    for name in ("find_moves", "list_moves", "build_roadmap"):
        work = getattr(store, name)

        def counted(*args: Any, work: Any = work, name: str = name) -> Any:
            made.append(name)
            return work(*args)

        monkeypatch.setattr(store, name, counted)
    return made


def _file(folder: Path) -> Path:
    (found,) = folder.glob("*.safetensors")
    return found


def test_the_second_time_everything_is_read_and_nothing_made(
    clips: tuple[Any, ...], folders: Path, built: list[str]
) -> None:
    scene = yard()
    first = store.kept_roadmap(store.kept_moves(clips, 0.25), SETTINGS, scene)
    assert built == ["find_moves", "list_moves", "build_roadmap"]
    second = store.kept_roadmap(store.kept_moves(clips, 0.25), SETTINGS, yard())
    assert len(built) == 3
    np.testing.assert_array_equal(first.nodes, second.nodes)
    np.testing.assert_array_equal(first.out_start, second.out_start)
    for name in ("tail", "head", "move", "cost"):
        np.testing.assert_array_equal(getattr(first.edges, name), getattr(second.edges, name))
    np.testing.assert_array_equal(first.table.items, second.table.items)
    a, b = first.moves, second.moves
    for name in Moves.__dataclass_fields__:
        one = getattr(a, name)
        if isinstance(one, np.ndarray):
            np.testing.assert_array_equal(one, getattr(b, name))
            assert one.dtype == getattr(b, name).dtype
    assert a.foot_box == b.foot_box
    assert all(p.t == q.t and (p.p == q.p).all() and p.foot == q.foot
               for x, y in zip(a.prints, b.prints, strict=True)
               for p, q in zip(x, y, strict=True))  # fmt: skip
    start, goal = Place(0.0, -2.0, 0.0), Place(0.0, 2.0, 0.0)
    paths = [find_path(r, scene, start, goal) for r in (first, second)]
    assert not isinstance(paths[0], NoPath)
    assert not isinstance(paths[1], NoPath)
    np.testing.assert_array_equal(paths[0].footholds, paths[1].footholds)


def test_another_scene_library_or_setting_never_gets_it(
    clips: tuple[Any, ...], folders: Path, built: list[str]
) -> None:
    moves = store.kept_moves(clips, 0.25)
    scene = yard()
    store.kept_roadmap(moves, SETTINGS, scene)
    built.clear()
    store.kept_roadmap(moves, SETTINGS, move_obstacle(scene, "crate", [1.0, 0.0, 2.0]))
    assert built == ["build_roadmap"]
    store.kept_roadmap(moves, replace(SETTINGS, seed=3), scene)  # moves are listed as before
    assert built == ["build_roadmap", "build_roadmap"]
    store.kept_roadmap(moves, replace(SETTINGS, scale=0.2), scene)
    assert built[2:] == ["list_moves", "build_roadmap"]
    built.clear()
    root = np.array(clips[0].root)
    root[5, 0] += 1e-6
    other = (replace(clips[0], root=root), *clips[1:])
    store.kept_roadmap(store.kept_moves(other, 0.25), SETTINGS, scene)
    store.kept_roadmap(store.kept_moves(clips[1:], 0.25), SETTINGS, scene)
    assert built.count("find_moves") == built.count("build_roadmap") == 2


def test_damaged_and_foreign_files_are_made_anew(
    clips: tuple[Any, ...], folders: Path, built: list[str]
) -> None:
    scene = yard()
    first = store.kept_roadmap(store.kept_moves(clips, 0.25), SETTINGS, scene)
    for folder in ("move", "movetable", "roadmap"):
        file = _file(folders / folder)
        good = file.read_bytes()
        other = good[:-40] + bytes(255 - byte for byte in good[-40:])
        for bad in (b"", good[: len(good) // 2], other, good[:9] + good[10:]):
            built.clear()
            file.write_bytes(bad)
            again = store.kept_roadmap(store.kept_moves(clips, 0.25), SETTINGS, scene)
            assert built
            np.testing.assert_array_equal(first.nodes, again.nodes)
            file.write_bytes(good)


def test_a_roadmap_of_another_scene_put_in_its_place_is_not_trusted(
    clips: tuple[Any, ...], folders: Path, built: list[str]
) -> None:
    moves = store.kept_moves(clips, 0.25)
    scene = yard()
    store.kept_roadmap(moves, SETTINGS, scene)
    file = _file(folders / "roadmap")
    other = add_obstacle(scene, named_box("new", 0.0, 2.0, (1.0, 1.0, 1.0)))
    store.kept_roadmap(moves, SETTINGS, other)
    (foreign,) = (f for f in (folders / "roadmap").glob("*.safetensors") if f != file)
    file.write_bytes(foreign.read_bytes())
    built.clear()
    store.kept_roadmap(moves, SETTINGS, scene)
    assert built == ["build_roadmap"]


def test_numbers_that_lead_nowhere_are_not_trusted(
    clips: tuple[Any, ...], folders: Path, built: list[str]
) -> None:
    moves = store.kept_moves(clips, 0.25)
    scene = yard()
    store.kept_roadmap(moves, SETTINGS, scene)
    file = _file(folders / "roadmap")
    arrays, facts = load_arrays(file, "roadmap")
    for name, value in (("tail", 10**6), ("head", -1), ("move", 10**6), ("cost", np.nan)):
        bent = {k: np.array(a) for k, a in arrays.items()}
        bent[name][3] = value
        save_arrays(file, "roadmap", bent, facts, key=file.stem)
        built.clear()
        store.kept_roadmap(moves, SETTINGS, scene)
        assert built == ["build_roadmap"], name


def test_fingerprints_tell_scenes_apart_by_what_counts() -> None:
    scene = yard()
    assert scene_fingerprint(scene) == scene_fingerprint(yard())
    assert scene_fingerprint(scene) == scene_fingerprint(replace(scene, name="other"))
    changed: list[Scene] = [
        move_obstacle(scene, "crate", [-2.0, 0.0, 2.001]),
        replace(scene, outline=scene.outline + 0.001),
        replace(scene, obstacles=scene.obstacles[:-1]),
        add_obstacle(scene, carried(named_box("cart", 0, 0, (1, 1, 1)), [0, 1], [[0, 0], [1, 1]])),
    ]
    prints = {scene_fingerprint(s) for s in (scene, *changed)}
    assert len(prints) == 5


def test_what_moves_on_its_own_is_no_part_of_a_roadmap(
    clips: tuple[Any, ...], folders: Path, built: list[str]
) -> None:
    moves = store.kept_moves(clips, 0.25)
    store.kept_roadmap(moves, SETTINGS, yard())
    built.clear()
    cart = carried(named_box("cart", 0, 0, (1, 1, 1)), [0, 4], [[0, -1], [0, 1]])
    store.kept_roadmap(moves, SETTINGS, yard(cart))
    assert built == []
