"""`footfall plan` as a user types it: files, words, JSON, exit codes."""

from __future__ import annotations

import json
import sys

import pytest

from footfall.cli.main import main

ROUTES = {
    "corner.csv": "0,0\n0,3\n2.5,3\n",
    "nothing.csv": "1,1\n1,1\n",
    "point.csv": "1,1\n",
    "twice.csv": "x,z\n0,0\n0,0\n0,4\n",
    "nan.csv": "0,0\nnan,4\n",
    "cross.csv": "0,0\n0,5\n2,5\n2,3\n-3,3\n",
    "away.csv": "0,-2\n0,30\n",
    "route.svg": '<svg viewBox="0 0 400 400"><path d="M200 350 C200 250 250 200 200 50"/></svg>',
    "route.toml": 'points = [[0, 0], [0, 4]]\ncurve = "straight"\n',
}


@pytest.fixture
def footfall(takes, tmp_path, monkeypatch, capsys):
    """Runs the program in a folder with routes, clips and a task; (exit code, output, errors)."""
    monkeypatch.chdir(tmp_path)
    for name, text in ROUTES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "task.toml").write_text(
        f'library = "{takes}"\nspeed = 1.1\n[path]\npoints = [[0, 0], [0, 4]]\n'
    )

    def run(*words: str, library: str | None = str(takes)) -> tuple[int, str, str]:
        more = [] if library is None else ["--library", library]
        monkeypatch.setattr(sys, "argv", ["footfall", "plan", *words, *more])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run


def test_a_path_is_walked_measured_written_and_mapped(footfall, tmp_path):
    code, out, err = footfall("--path", "route.svg", "-o", "out/walk", "--formats", "bvh,glb")
    assert (code, err) == (0, "")
    assert "off the path (RMS)" in out
    assert "drift of planted feet" in out
    assert (tmp_path / "out" / "walk.bvh").stat().st_size > 10_000
    assert (tmp_path / "out" / "walk.glb").read_bytes()[:4] == b"glTF"
    assert (tmp_path / "out" / "walk.map.png").stat().st_size > 5_000


def test_json_is_one_object_with_the_measures(footfall):
    code, out, err = footfall("--path", "corner.csv", "-o", "walk.npz", "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["status"] == "found"
    assert said["measures"]["deviation_rms_cm"] < 15.0
    assert said["measures"]["drift_max_mm"] < 3.0
    assert said["files"] == ["walk.npz", "walk.map.png", "walk.timeline.png"]
    assert said["segments"][0]["first"] == 0


def test_quiet_prints_nothing(footfall):
    assert footfall("--path", "route.toml", "-o", "w.npz", "--quiet") == (0, "", "")


def test_a_task_file_says_it_all_and_options_overrule_it(footfall):
    code, out, _ = footfall("task.toml", "-o", "w.npz", "--json", library=None)
    assert code == 0
    assert json.loads(out)["measures"]["path_m"] == pytest.approx(4.0, abs=0.05)
    code, out, _ = footfall("task.toml", "--to", "0,6", "--from", "0,0", "-o", "w.npz", "--json")
    assert json.loads(out)["measures"]["path_m"] == pytest.approx(6.0, abs=0.05)


def test_through_a_scene_nothing_is_touched(footfall):
    code, out, _ = footfall("--scene", "room", "--query", "to the window", "-o", "w.glb", "--json")
    said = json.loads(out)
    assert code == 0, said["reason"]
    assert said["measures"]["path_m"] > 6.0


def test_a_character_gets_the_motion(footfall, takes, tmp_path):
    from footfall import load, save
    from footfall.adapt.retarget.retarget import retarget

    clip = load(takes / "straight.npz")
    save(retarget(clip, clip.skeleton.scaled(0.8)), tmp_path / "hero.bvh")
    code, _, _ = footfall("--path", "route.toml", "--character", "hero.bvh", "-o", "w.bvh")
    assert code == 0
    hero, made = load(tmp_path / "hero.bvh"), load(tmp_path / "w.bvh")
    assert made.skeleton.rest_positions[:, 1].max() == pytest.approx(
        hero.skeleton.rest_positions[:, 1].max(), rel=0.01
    )


@pytest.mark.parametrize(
    "route", ["twice.csv", "cross.csv", pytest.param("zigzag_sharp", marks=pytest.mark.thorough)]
)
def test_corners_repetitions_and_crossings_are_walked(footfall, route):
    code, out, err = footfall("--path", route, "-o", "w.npz", "--json")
    said = json.loads(out)
    assert code == 0, said["reason"]
    assert err == ""
    assert said["measures"]["deviation_rms_cm"] < 30.0


GRAPH = ("--method", "graph")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--path", "away.csv", "--scene", "room", *GRAPH), "no path: the path lies in"),
        (("--path", "route.toml", "--scene", "paths", "--from", "0,-40"), "start not valid"),
        (("--scene", "room", "--from", "-2.4,-2.4", "--to", "50,0", *GRAPH), "goal not valid: "),
        (("--scene", "room", "--from", "-1.9,0.9", "--to", "2,0", *GRAPH), "lies in table 'dining"),
        (("--scene", "crevice", "--query", "over", *GRAPH), "no path: there is no route for a bo"),
        (("--from", "1,1", "--to", "1,1"), "goal not valid"),
    ],
)
def test_no_motion_is_exit_code_1_and_a_reason(footfall, words, says, tmp_path):
    code, out, err = footfall(*words, "-o", "w.npz")
    assert code == 1
    assert says in err
    assert len(err.strip().splitlines()) == 1
    assert out == ""
    assert not (tmp_path / "w.npz").exists()


def test_libraries_that_cannot_walk_are_exit_code_1(footfall, walks, tmp_path):
    from footfall import save

    save(walks.clip("straight")[:31], tmp_path / "one" / "short.npz")
    save(walks.clip("straight"), tmp_path / "single" / "walk.npz")
    save(walks.clip("stop").tagged(("stand",)), tmp_path / "stands" / "x.npz")
    for library, path, says in (
        ("one", "route.toml", "make no motion graph"),
        ("single", "circle", "no clip"),
        ("stands", "route.toml", "shows walking"),
    ):
        code, _, err = footfall("--path", path, "-o", "w.npz", *GRAPH, library=library)
        assert code == 1
        assert says in err
    code, out, _ = footfall(
        "--path", "route.toml", "-o", "w.npz", "--json", *GRAPH, library="single"
    )
    assert code == 0, json.loads(out)["reason"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "there is nowhere to go"),
        (("--from", "0,0"), "there is nowhere to go"),
        (("--query", "x"), "without a scene"),
        (("--path", "zigzak"), "did you mean zigzag"),
        (("--path", "nowhere.svg"), "there is no such file"),
        (("--path", "nan.csv"), "line 2: x is 'nan'; it must be a finite number"),
        (("--path", "nothing.csv"), "the path has no length"),
        (("--path", "point.csv"), "it needs two"),
        (("--path", "route.toml", "--scale", "-1"), "the scale is -1.0"),
        (("--from", "0,x", "--to", "1,1"), "--from is '0,x'; say x,z or x,z,yaw"),
        (("--from", "0,nan", "--to", "1,1"), "--from is"),
        (("--path", "zigzag", "--speed", "0"), "the speed is 0.0"),
        (("--path", "zigzag", "--method", "magic"), "choose one of auto, graph"),
        (("--path", "zigzag", "--set", "metric=magic"), "choose one of point_cloud"),
        (("--path", "zigzag", "--set", "abstraction=magic"), "choose one of pelvis"),
        (("--path", "zigzag", "--scene", "nowhere"), "there is no scene"),
        (("--path", "zigzag", "--character", "nobody.bvh"), "there is no such file"),
        (("--path", "zigzag", "--set", "metric"), "--set is 'metric'; write NAME=VALUE"),
        (("--path", "zigzag", "--set", "metrik=pca"), "did you mean metric"),
        (("--path", "zigzag", "--prefer", "run=x"), "--prefer is 'run=x'; write TAG=FACTOR"),
        (("--path", "zigzag", "--seconds", "0"), "the time_s is 0"),
        (("--from", "0,0", "--via", "1,1"), "--via is given without --to"),
        (("--path", "zigzag", "--formats", "mp3"), "--formats names 'mp3'"),
        (("missing.toml",), "there is no such file"),
    ],
)
def test_wrong_input_is_exit_code_2_and_one_sentence(footfall, words, says):
    code, _, err = footfall(*words)
    assert code == 2
    assert says in err
    assert len(err.strip().splitlines()) == 1


def test_a_place_nobody_can_write_to_is_said_in_one_sentence(footfall, tmp_path):
    (tmp_path / "taken").write_text("a file, not a folder")
    code, out, err = footfall("--path", "route.toml", "-o", "taken/walk", "--formats", "bvh")
    assert (code, out) == (2, "")
    assert err.startswith("footfall: taken/walk.bvh: cannot be written (")
    assert len(err.splitlines()) == 1


def test_a_library_of_files_that_cannot_be_read_is_wrong_input_with_its_cause(footfall, tmp_path):
    (tmp_path / "empty.bvh").touch()
    code, out, err = footfall("--path", "route.toml", library="empty.bvh")
    assert (code, out) == (2, "")
    assert err == f"footfall: {tmp_path / 'empty.bvh'}: the file is empty\n"


def test_seeds_are_not_negative_and_built_in_paths_are_not_scaled(footfall):
    code, _, err = footfall("--path", "straight", "--seed", "-1")
    assert code == 2
    assert "--seed" in err
    code, _, err = footfall("--path", "straight", "--scale", "2")
    assert (code, err) == (
        2, "footfall: the path straight has a size of its own; a scale is for path files\n",
    )  # fmt: skip
