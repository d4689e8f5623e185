"""Files of queries: what is read, what it is called, and what is drawn."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from footfall import load_scene
from footfall.batch.queries import Queries
from footfall.batch.sampling import CLEARANCE_M
from footfall.errors import InputError
from footfall.world.corridor.free_floor import walking_corridors
from tests.batch.conftest import write_lines

SPAN = """
[task]
method = "graph"
[grid]
scene = ["room", "plaza"]
speed = [1.0, 1.4]
[sample]
count = {count}
distance_m = [2.0, 4.0]
"""


def keys(file: Path, **how: int) -> list[str]:
    return [query.key for query in Queries(file, **how)]


def test_the_key_of_a_query_does_not_depend_on_its_place(tmp_path: Path) -> None:
    one, two = {"from": [0, 0], "to": [0, 3]}, {"to": [0, 4], "from": [0, 0]}
    forward = keys(write_lines(tmp_path / "a.jsonl", [one, two]))
    backward = keys(write_lines(tmp_path / "b.jsonl", ["", two, {"to": [0, 3], "from": [0, 0]}]))
    assert forward == backward[::-1]


def test_the_key_depends_on_what_is_in_the_files_it_names(tmp_path: Path) -> None:
    line = {"from": [0, 0], "to": [0, 3], "scene": "yard.toml"}
    (tmp_path / "yard.toml").write_text(
        'size = [9, 9]\n[[obstacle]]\nkind = "mesh"\nfile = "r.obj"'
    )
    (tmp_path / "r.obj").write_text("v 0 0 0")
    file = write_lines(tmp_path / "a.jsonl", [line])
    before = keys(file)
    assert keys(file) == before
    (tmp_path / "r.obj").write_text("v 0 0 1")
    changed = keys(file)
    assert changed != before
    elsewhere = tmp_path / "copy"
    elsewhere.mkdir()
    for name in ("yard.toml", "r.obj", "a.jsonl"):
        (elsewhere / name).write_bytes((tmp_path / name).read_bytes())
    assert keys(elsewhere / "a.jsonl") == changed


def test_a_query_without_a_seed_has_that_of_the_batch(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "a.jsonl", [{"to": [0, 3]}, {"to": [0, 3], "seed": 7}])
    assert [query.table["seed"] for query in Queries(file, seed=5)] == [5, 7]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "no valid JSON"),
        ("[1]", "no JSON object"),
        ('{"too": 1}', "did you mean to?"),
        ('{"a": "' + "x" * (1 << 20) + '"}', "longer than 1 MB"),
        ("[" * 100_000, "no valid JSON"),
    ],
)
def test_a_bad_line_is_one_sentence_and_the_next_is_read(
    line: str, said: str, tmp_path: Path
) -> None:
    bad, good = Queries(write_lines(tmp_path / "a.jsonl", [line, {"to": [0, 3]}]))
    assert said in bad.problem
    assert "\n" not in bad.problem
    assert (good.problem, good.where) == ("", "a.jsonl, line 2")


def test_a_grid_is_every_combination_and_samples_are_drawn_for_each(tmp_path: Path) -> None:
    file = tmp_path / "span.toml"
    file.write_text(SPAN.format(count=2))
    queries = Queries(file)
    tables = [query.table for query in queries]
    assert len(queries) == len(tables) == 8
    assert [(t["scene"], t["speed"]) for t in tables[::2]] == [
        ("room", 1.0), ("room", 1.4), ("plaza", 1.0), ("plaza", 1.4)
    ]  # fmt: skip
    assert len({query.key for query in queries}) == 8
    assert len({table["seed"] for table in tables}) == 8


def test_starts_and_goals_are_drawn_from_the_free_floor(tmp_path: Path) -> None:
    file = tmp_path / "span.toml"
    file.write_text(SPAN.format(count=6).replace(', "plaza"', ""))
    free = walking_corridors(load_scene("room"))
    for query in Queries(file, seed=3):
        ends = np.array([query.table["from"], query.table["to"]])
        assert (free.clearances(ends) > CLEARANCE_M - 0.01).all()
        assert 1.99 < math.dist(*ends) < 4.01
    assert keys(file, seed=3) != keys(file, seed=4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tasks]\n", "there is no table 'tasks'"),
        ("[task]\nspede = 1\n", "did you mean speed?"),
        ("[grid]\nspeed = 1\n", "no list of values"),
        ("[sample]\ncount = 0\n", "count is 0"),
        ("[sample]\ndistance_m = [4, 2]\n", "the smaller number comes first"),
        ("nonsense", "not valid TOML"),
    ],
)
def test_a_wrong_span_is_refused_in_one_sentence(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "span.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        Queries(file)


def test_a_distance_that_no_scene_has_is_a_problem_of_that_query_alone(tmp_path: Path) -> None:
    file = tmp_path / "span.toml"
    file.write_text('[task]\nscene = "room"\n[sample]\ndistance_m = [500, 600]\n')
    (query,) = Queries(file)
    assert "change distance_m" in query.problem
