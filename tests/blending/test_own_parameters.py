"""Parameters of the users' own: from the library's file, Python or the command line to a motion."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from footfall import plan
from footfall.blending.control import Controller
from footfall.blending.space import space_of
from footfall.cli.main import main
from footfall.errors import InputError
from footfall.files.formats import load, save
from footfall.library.build.build import build_library
from footfall.library.library import library_of, open_library
from footfall.maths import quaternions as quat
from footfall.task import GoTo, Place, Query
from tests.clips import steady

LEAN = np.radians(1.0)
"""How far the made clips lean forward for every kilogram."""


def loaded(speed, load):
    """A walk that leans forward the more it carries."""
    clip = steady("walk", speed, seconds=5.0, fps=30).named(f"walk_{speed}_{load}")
    spine = clip.skeleton.role("spine")
    turns = np.array(clip.rotations)
    turns[:, spine] = quat.multiply(turns[:, spine], quat.about_axis(0, LEAN * load))
    return replace(clip, rotations=turns, tags=("walk",))


@pytest.fixture(scope="module")
def clips():
    return [loaded(speed, load) for speed in (0.9, 1.5) for load in (0, 20)]


def values_of(clips):
    return {clip.name: {"load": float(clip.name.rsplit("_", 1)[1])} for clip in clips}


def lean(clip, frames=slice(None)):
    """How far the trunk leans forward, radians, seen from plain positions."""
    at = clip.positions[frames]
    hips, chest = clip.skeleton.role("hips"), clip.skeleton.role("neck")
    trunk = at[:, chest] - at[:, hips]
    ahead = np.diff(clip.root[frames], axis=0).mean(axis=0)[[0, 2]]
    ahead = ahead / np.linalg.norm(ahead)
    return float(np.arctan2(trunk[:, [0, 2]] @ ahead, trunk[:, 1]).mean())


def middle(clip):
    return slice(len(clip) // 3, 2 * len(clip) // 3)


def straight(speed):
    return Query(Place(0.0, 0.0), GoTo(0.0, 8.0), speed=speed)


@pytest.mark.parametrize("speed", [1.2])
def test_a_wish_between_the_examples_gives_a_motion_between_them(clips, speed):
    library = library_of(clips, values=values_of(clips))
    found = [
        plan(
            straight(speed), method="blending", library=library, values=f"load={kg}", variation=0.0
        )
        for kg in (0, 10, 20)
    ]
    leans = [lean(p.clip, middle(p.clip)) for p in found]
    full = lean(clips[1]) - lean(clips[0])
    assert leans[2] - leans[0] == pytest.approx(full, rel=0.1)
    assert leans[1] - leans[0] == pytest.approx(0.5 * full, rel=0.1)
    for one in found:
        way = one.clip.root[middle(one.clip), 2]
        assert (way[-1] - way[0]) / (len(way) - 1) * 30.0 == pytest.approx(speed, rel=0.05)


def test_who_stands_or_steps_on_the_spot_keeps_the_wish_and_the_speed(clips):
    walker = Controller(space_of(library_of(clips, values=values_of(clips))))
    for _ in range(180):
        walker.step(1 / 60, 0.5, 0.3, load=15.0)
    assert walker.achieved[0] == pytest.approx([0.5, 0.3, 0.0, 15.0], abs=0.05)


def test_values_of_the_librarys_file_work_from_the_shell(clips, tmp_path, monkeypatch, capsys):
    takes = tmp_path / "takes"
    takes.mkdir()
    for clip in clips:
        save(clip, takes / f"{clip.name}.npz")
    home = tmp_path / "library"
    build_library(home, [takes])
    text = (home / "library.toml").read_text()
    for name, values in values_of(clips).items():
        table = f'[clips."{name}"]\n'
        assert table in text
        text = text.replace(table, f"{table}values = {{ load = {values['load']} }}\n")
    (home / "library.toml").write_text(text)
    assert dict(open_library(home).entry(clips[1].name).values) == {"load": 20.0}
    leans = []
    for kg in (0, 99):
        out = tmp_path / f"load_{kg}.npz"
        wish = f"--set values=load={kg} --set variation=0"
        words = f"plan --method blending --library {home} --from 0,0 --to 0,8 {wish} -o {out}"
        monkeypatch.setattr(sys, "argv", ["footfall", *words.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        made = load(out)
        leans.append(lean(made, middle(made)))
    assert leans[1] - leans[0] == pytest.approx(lean(clips[1]) - lean(clips[0]), rel=0.1)
    assert "load from 0 to 20" in capsys.readouterr().out


def test_wishes_that_are_none_are_refused_with_what_there_is(clips):
    library = library_of(clips, values=values_of(clips))
    found = plan(straight(1.0), method="blending", library=library, values="laod=3")
    assert "have no value 'laod'; did you mean load?" in found.reason


@pytest.mark.parametrize("wish", ["load", "load=heavy", "load=nan", "=3", "load=1=2"])
def test_wishes_must_be_names_with_numbers(clips, wish):
    with pytest.raises(InputError, match="names with numbers"):
        plan(straight(1.0), method="blending", library=library_of(clips), values=wish)


def test_a_clip_without_a_value_is_named(clips):
    values = values_of(clips)
    del values[clips[2].name]
    with pytest.raises(InputError, match=f"clip '{clips[2].name}' has no value for 'load'"):
        space_of(library_of(clips, values=values))


@pytest.mark.parametrize("name", ["speed", "turn", "style", "dt"])
def test_names_that_are_taken_are_refused(clips, name):
    with pytest.raises(InputError, match="another name"):
        space_of(library_of(clips, values={c.name: {name: 1.0} for c in clips}))


@pytest.mark.parametrize("values", [{"load": np.nan}, {"load": "heavy"}, {"a load": 3.0}, [3.0]])
def test_values_must_be_words_with_numbers(clips, values):
    with pytest.raises(InputError, match="words with numbers"):
        library_of(clips, values={clips[0].name: values})


def test_values_of_clips_that_are_not_there_are_refused(clips):
    with pytest.raises(InputError, match="no clip"):
        library_of(clips, values={"jump": {"load": 1.0}})
