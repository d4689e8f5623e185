"""Task files: a query written down, or one sentence on what is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall import (
    Duck,
    Follow,
    GoTo,
    Pick,
    Place,
    PutDown,
    Query,
    Sit,
    StandOn,
    StandUp,
    Via,
    load_task,
    save_task,
)
from footfall.errors import InputError
from footfall.task.file import Task, make_task, parse_task
from footfall.task.stages import STAGES
from tests.sweeps import examples


def test_a_task_says_where_to_go_and_how():
    task = parse_task(
        'scene = "room"\nfrom = [-2.45, -2.6, 90]\nto = [2.9, 2.3]\nspeed = 1.2\nseed = 4\n'
        'method = "graph"\nlibrary = "default:basten"\nstyle = "walk"\ntime_s = 3\n'
        '[prefer]\nwalk = 2.0\n[options]\nmetric = "principal_components"\n'
    )
    query = task.query
    assert query.start == Place(-2.45, -2.6, math.pi / 2)
    assert query.goal == GoTo(2.9, 2.3)
    assert (task.scene, query.scene.name, task.method) == ("room", "room", "graph")
    assert (query.speed, query.seed, query.style, query.time_s) == (1.2, 4, "walk", 3)
    assert query.prefer == {"walk": 2.0}
    assert task.options == {"metric": "principal_components"}


def test_stages_are_done_in_the_order_in_which_they_stand():
    task = parse_task(
        "from = [0, 0]\n[[stages]]\ndo = 'via'\nat = [1, 2]\nwithin_m = 0.4\n"
        "[[stages]]\ndo = 'pick'\nat = [1, 0.8, 3]\nhand = 'left'\nstand = [1, 2.6, 45]\n"
        "[[stages]]\ndo = 'sit'\nat = [2, 3, 180]\nheight_m = 0.5\nby_s = 20\n"
    )
    assert task.query.stages == (
        Via(1, 2, within_m=0.4),
        Pick(1, 0.8, 3, hand="left", stand=Place(1, 2.6, math.pi / 4)),
        Sit(2, 3, math.pi, height_m=0.5, by_s=20),
    )


def test_a_path_may_be_a_name_a_file_beside_the_task_or_a_table(tmp_path):
    (tmp_path / "way.csv").write_text("0,0\n0,5\n")
    (tmp_path / "a.toml").write_text('path = "way.csv"')
    (tmp_path / "b.toml").write_text('path = "zigzag"')
    (tmp_path / "c.toml").write_text("corridor_m = 0.4\n[path]\npoints = [[0, 0], [0, 7]]")
    (tmp_path / "d.toml").write_text('[[stages]]\ndo = "follow"\npath = "way.csv"')
    stages = [load_task(tmp_path / f"{n}.toml").query.stages[0] for n in "abcd"]
    lengths = [np.hypot(*np.diff(s.path, axis=0).T).sum() for s in stages]
    assert [round(float(length), 2) for length in lengths] == [5.0, 33.0, 7.0, 5.0]
    assert stages[2].corridor_m == 0.4


def test_scene_character_and_library_are_looked_for_beside_the_task(tmp_path):
    (tmp_path / "takes").mkdir()
    (tmp_path / "yard.toml").write_text('name = "yard"\nsize = [8, 8]\n')
    (tmp_path / "t.toml").write_text(
        'scene = "yard.toml"\ncharacter = "hero.glb"\nlibrary = "takes"\npath = "zigzag"'
    )
    task = load_task(tmp_path / "t.toml")
    assert task.scene == str(tmp_path / "yard.toml")
    assert task.character == str(tmp_path / "hero.glb")
    assert task.library == str(tmp_path / "takes")


def test_a_path_in_a_drawing_keeps_its_name(tmp_path):
    drawing = '<svg><path id="p" d="M0 0H9"/><path id="q" d="M0 0H5"/></svg>'
    (tmp_path / "d.svg").write_text(drawing)
    (tmp_path / "t.toml").write_text('path = "d.svg#q"\nscale = 1.0')
    points = load_task(tmp_path / "t.toml").query.points
    assert np.ptp(points[:, 0]) == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "nowhere to go"),
        ("from = [0, 0]", "nowhere to go"),
        ('query = "x"', "query is given without a scene"),
        ("from = [0]\nto = [1, 1]", "from has 1 entries; it needs at least 2"),
        ("from = [0, inf]\nto = [1, 1]", "from[1] is inf; it must be a finite number"),
        ('path = "zigzag"\nspeed = 0', "speed is 0; it must be > 0"),
        ('path = "zigzag"\nspeed = "fast"', "it must be a number"),
        ('path = "zigzag"\nseed = -1', "the seed is -1"),
        ('path = "zigzag"\nprefer = 3', "prefer is 3; it is a table [prefer]"),
        ('path = "zigzag"\n[prefer]\nrun = -1', "prefer has 'run': -1"),
        ('pth = "zigzag"', "did you mean path?"),
        ("path = 3", "it must be text in quotes"),
        ("[path]\npoints = [[0, 0], [0, 0]]", "t.toml: path: the path has no length"),
        ("[path]\npoint = []", "t.toml: path: "),
        ("from = [", "this is not valid TOML"),
        ("stages = 3", "stages is no list of tables"),
        ("from = [0, 0]\nto = [1, 1]\n[[stages]]\ndo = 'via'\nat = [1, 1]", "give one of them"),
        ("from = [0, 0]\n[[stages]]\ndo = 'fly'", "stages[0]: do is 'fly'; choose one of go to"),
        ("from = [0, 0]\n[[stages]]\ndo = 'via'", "stages[0]: 'via' has no at"),
        ("from = [0, 0]\n[[stages]]\ndo = 'via'\nat = [1]", "at has 1 entries"),
        ("from = [0, 0]\n[[stages]]\ndo = 'via'\nat = [1, 1]\nwithn_m = 1", "mean within_m?"),
        ("from = [0, 0]\n[[stages]]\ndo = 'pick'\nat = [1, 1]", "it needs at least 3"),
        ("from = [0, 0]\n[[stages]]\ndo = 'pick'\nat = [1, 1, 1]\nhand = 'no'", "choose one of"),
        ("[[stages]]\ndo = 'via'\nat = [1, 1]", "neither a path nor a start"),
    ],
)
def test_a_wrong_task_is_one_sentence(text, says):
    with pytest.raises(InputError) as caught:
        parse_task(text, file="t.toml")
    assert says in str(caught.value)
    assert str(caught.value).startswith("t.toml")


def test_a_task_is_a_toml_file(tmp_path):
    with pytest.raises(InputError, match=r"a task is a \.toml file"):
        load_task(tmp_path / "task.json")
    with pytest.raises(InputError, match=r"a task is a \.toml file"):
        save_task(Query(Place(0, 0), GoTo(1, 1)), tmp_path / "task.json")
    with pytest.raises(InputError, match="give a Task or a Query"):
        save_task(3, tmp_path / "task.toml")


NUMBERS = st.floats(-1e3, 1e3, allow_nan=False)
YAWS = st.none() | st.floats(-3.0, 3.0)
SMALL = st.floats(0.01, 3.0)
PLACES = st.builds(Place, NUMBERS, NUMBERS, YAWS)
STAGE = st.one_of(
    st.builds(GoTo, NUMBERS, NUMBERS, YAWS, SMALL, SMALL),
    st.builds(Via, NUMBERS, NUMBERS, YAWS, SMALL, by_s=st.none() | SMALL),
    st.builds(Follow, st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=5, unique=True)),
    st.builds(StandOn, NUMBERS, NUMBERS, YAWS, st.sampled_from(("left", "right", "either"))),
    st.builds(Pick, NUMBERS, NUMBERS, NUMBERS, st.just("left"), SMALL, st.none() | PLACES),
    st.builds(PutDown, NUMBERS, NUMBERS, NUMBERS),
    st.builds(Sit, NUMBERS, NUMBERS, YAWS, st.floats(0.2, 1.0)),
    st.builds(StandUp),
    st.builds(Duck, NUMBERS, NUMBERS, YAWS, st.floats(0.5, 2.0)),
)


@examples(60)
@given(
    PLACES, st.lists(STAGE, min_size=1, max_size=4), st.none() | SMALL, st.none() | SMALL,
    st.integers(0, 10**6), st.dictionaries(st.sampled_from(("run", "walk")), SMALL),
)  # fmt: skip
def test_what_is_written_reads_back_the_same(
    tmp_path_factory, start, stages, speed, time_s, seed, prefer
):
    query = Query(start, stages, None, speed, "walk", prefer, time_s, seed)
    file = tmp_path_factory.mktemp("task") / "t.toml"
    task = Task(query, "t", method="graph", options={"width": 50})
    back = load_task(save_task(task, file))
    assert (back.name, back.method, back.options) == ("t", "graph", {"width": 50})
    assert back.query.start.point == pytest.approx(start.point)
    for old, new in zip(query.stages, back.query.stages, strict=True):
        assert type(old) is type(new)
        for name in vars(old):
            a, b = getattr(old, name), getattr(new, name)
            if isinstance(a, Place):
                assert b.point == pytest.approx(a.point)
            elif isinstance(a, float | np.ndarray):
                np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-12)
            else:
                assert a == b
    assert (back.query.speed, back.query.time_s, back.query.seed) == (speed, time_s, seed)
    assert back.query.prefer == prefer


def test_every_kind_of_stage_is_written_and_read():
    assert {type(s).__name__ for s in (GoTo(0, 0), Via(0, 0), StandUp())} <= {
        kind.__name__ for kind in STAGES.values()
    }
    assert set(STAGES) == {
        "go to", "follow", "via", "stand on", "pick", "put down", "sit", "stand up", "duck",
    }  # fmt: skip


def test_a_scene_that_has_no_file_is_written_beside_the_task(tmp_path, yard):
    query = Query(Place(0, -3), GoTo(0, 3), yard)
    back = load_task(save_task(query, tmp_path / "t.toml"))
    assert (tmp_path / "t.scene.toml").is_file()
    assert back.query.scene.name == "yard"
    assert len(back.query.scene.obstacles) == len(yard.obstacles)
    named = load_task(save_task(parse_task('scene = "room"\npath = "low"'), tmp_path / "n.toml"))
    assert named.scene == "room"


@pytest.mark.parametrize("word", [["go to"], {"a": 1}, 1, True, None, "fly", [["go to"]]])
def test_a_stage_of_no_known_kind_is_refused_with_the_kinds(word: object) -> None:
    with pytest.raises(InputError, match=r"stages\[0\].*do is .*go to"):
        make_task({"from": [0, 0], "stages": [{"do": word, "at": [1, 1]}]}, "task.toml")
