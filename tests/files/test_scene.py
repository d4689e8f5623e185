"""Scene files: what they mean, and one clear sentence for each thing that is wrong."""

# The rows of bad files are easier to compare unwrapped.
# ruff: noqa: E501
from __future__ import annotations

import os

import numpy as np
import pytest

from footfall.errors import FileFormatError, InputError
from footfall.files.scene.read import builtin_scenes, load_scene, parse_scene

BOX = '[[obstacle]]\nkind = "box"\nat = [0, 0]\nsize = [1, 1, 1]\n'


def scene_of(*lines: str):
    return parse_scene("size = [10, 10]\n" + "\n".join(lines), file="room.toml")


def test_an_obstacle_rests_on_the_ground_or_where_it_is_put():
    scene = scene_of(
        '[ground]\nkind = "flat"\nlevel = 0.5\n',
        BOX,
        '[[obstacle]]\nkind = "box"\nat = [3, 1.5, -2]\nsize = [1, 1, 1]\n',
    )
    assert scene.obstacles[0].position.tolist() == [0.0, 0.5, 0.0]
    assert scene.obstacles[1].position.tolist() == [3.0, 1.5, -2.0]


def test_a_thing_in_a_hole_stands_on_its_bottom():
    scene = scene_of(
        "[[hole]]\nat = [0, 0]\nsize = [2, 2]\ndepth = 1.5\n",
        '[[obstacle]]\nkind = "column"\nat = [0.5, 0.5]\nradius = 0.3\nheight = 1.5\n',
    )
    assert scene.height([[0.5, 0.5], [-0.5, -0.5], [3, 3]]) == pytest.approx(
        [0.0, np.nan, 0.0], nan_ok=True
    )


def test_every_kind_of_obstacle_can_be_written():
    scene = scene_of(
        BOX,
        '[[obstacle]]\nkind = "cylinder"\nat = [1, 1]\nradius = 0.2\nheight = 1\ncolour = "#ff0000"',
        '[[obstacle]]\nkind = "platform"\nat = [2, 2]\nsize = [1, 0.2, 1]\nyaw_deg = 30',
        '[[obstacle]]\nkind = "stone"\nat = [3, 3]\nradius = 0.3',
        '[[obstacle]]\nkind = "column"\nat = [-1, 1]\nradius = 0.3\nheight = 1',
        '[[obstacle]]\nkind = "stairs"\nat = [-2, 2]\nwidth = 1\nsteps = 3',
        '[[obstacle]]\nkind = "chair"\nname = "c"\nat = [-3, 3]',
        '[[obstacle]]\nkind = "table"\nname = "t"\nat = [-3, 0]\nsize = [1, 0.75, 1]\nitem = [0.2, 0.1]',
        '[[obstacle]]\nkind = "bar"\nat = [0, 3]\nclearance = 1.3',
        '[[obstacle]]\nkind = "beam"\nat = [0, -3]\nlength = 3',
        '[[obstacle]]\nkind = "prism"\nat = [3, -3]\npolygon = [[0, 0], [1, 0], [0.5, 1]]\nheight = 1',
        '[[obstacle]]\nkind = "wall"\nfrom = [-4, -4]\nto = [4, -4]',
        '[[obstacle]]\nkind = "group"\nat = [4, 0]\npart = [{shape = "box", at = [0, 0, 0], size = [1, 1, 1]}]',
    )
    kinds = [o.kind for o in scene.obstacles]
    assert len(set(kinds)) == len(kinds) == 13
    assert scene.obstacle("t").point("item") == pytest.approx([-2.8, 0.81, 0.1])
    assert scene.obstacle("c").point("seat") == pytest.approx([-3.0, 0.45, 3.0])
    assert scene.obstacles[8].duck == 1.3
    assert scene.obstacles[1].parts[0].colour == (1.0, 0.0, 0.0)


def test_yaw_turns_left_and_angles_are_degrees():
    scene = scene_of(
        '[[obstacle]]\nkind = "stairs"\nat = [0, 0]\nyaw_deg = 90\nwidth = 1\nsteps = 4',
        '[[query]]\nname = "q"\nfrom = [-2, 0, 90]\nto = [3, 0]',
    )
    assert scene.height([[1.0, 0.0], [0.0, 1.0]]) == pytest.approx([0.68, 0.0])
    assert scene.query("q").start.yaw == pytest.approx(np.pi / 2)


def test_a_motion_is_read():
    scene = scene_of(
        BOX
        + "walkable = true\nmotion = {times = [0, 2], positions = [[0, 0, 0], [4, 0, 0]], loop = true}"
    )
    assert scene.moves
    assert scene.height([[2.0, 0.0]], time=1.0)[0] == 1.0
    assert scene.height([[2.0, 0.0]], time=3.0)[0] == 1.0


def test_grounds_are_read(tmp_path):
    rows = "heights = [[0, 0, 0], [1, 1, 1]]"
    grid = scene_of(f'[ground]\nkind = "grid"\n{rows}\nscale = 2.0')
    assert grid.height([[0.0, 0.0], [0.0, 4.999999]]) == pytest.approx([1.0, 2.0])
    np.save(tmp_path / "h.npy", np.arange(16.0).reshape(4, 4))
    (tmp_path / "h.csv").write_text("0,0\n3,3\n")
    text = 'size = [6, 6]\n[ground]\nkind = "grid"\nfile = "h.'
    npy = parse_scene(text + 'npy"', folder=tmp_path)
    assert npy.height([[-3.0, -3.0], [1.0, 1.0]]) == pytest.approx([0.0, 10.0])
    csv = parse_scene(text + 'csv"', folder=tmp_path)
    assert csv.height([[0.0, 0.0]]) == pytest.approx([1.5])
    noisy = '[ground]\nkind = "bspline"\npoints = [8, 8]\nnoise = {seed = 4, amplitude = 0.3}'
    points = np.random.default_rng(0).uniform(-5, 5, (50, 2))
    assert (scene_of(noisy).height(points) == scene_of(noisy).height(points)).all()
    assert np.ptp(scene_of(noisy).height(points)) > 0.1


def test_a_png_is_a_height_grid(tmp_path):
    from PIL import Image

    Image.fromarray(np.array([[0, 255], [0, 255]], dtype=np.uint8)).save(tmp_path / "h.png")
    text = 'size = [2, 2]\n[ground]\nkind = "grid"\nfile = "h.png"\nscale = 3.0'
    scene = parse_scene(text, folder=tmp_path)
    assert scene.height([[0.0, 0.0], [0.5, 0.0]]) == pytest.approx([1.5, 2.25])


NAN_BOX = BOX.replace("[1, 1, 1]", "[1, nan, 1]")
WRONG = {
    "size[1] is -2; it must be > 0": BOX.replace("[1, 1, 1]", "[1, -2, 1]"),
    "room.toml: obstacle 1 (box): size[1] is nan; it must be a finite number": NAN_BOX,
    "size[0] is 0; it must be > 0": BOX.replace("[1, 1, 1]", "[0, 1, 1]"),
    "obstacle 2 (box): size has 2 entries; it needs at least 3": BOX + BOX.replace("[1, 1, 1]", "[1, 1]"),
    "size[0] is 'big'; it must be a number": BOX.replace("[1, 1, 1]", '["big", 1, 1]'),
    "size[0] is true": BOX.replace("[1, 1, 1]", "[true, 1, 1]"),
    "unknown key 'sizes'; did you mean size?": BOX + "sizes = [1, 1, 1]",
    "room.toml: unknown key 'obstacles'; did you mean obstacle?": "[[obstacles]]\nat = [0, 0]",
    "kind is 'boxx'; did you mean box?": BOX.replace('"box"', '"boxx"'),
    "the key 'kind' is missing": "[[obstacle]]\nat = [0, 0]",
    "obstacle 1 (box): the key 'size' is missing": '[[obstacle]]\nkind = "box"\nat = [0, 0]',
    "query 1 'a': the key 'to' is missing": '[[query]]\nname = "a"\nfrom = [0, 0]',
    "height is -1; it must be > 0": '[[obstacle]]\nkind = "cylinder"\nat = [0, 0]\nradius = 1\nheight = -1',
    'colour is \'red\'; it must be a colour like "#8a5a2b"': BOX + 'colour = "red"',
    "hole 1: the hole polygon is not simple (self-intersection": "[[hole]]\npolygon = [[0, 0], [2, 2], [2, 0], [0, 2]]",
    "water 1: the water polygon has no area": "[[water]]\nlevel = 0\npolygon = [[0, 0], [1, 0], [2, 0]]",
    "prism polygon is not simple": '[[obstacle]]\nkind = "prism"\nat = [0, 0]\nheight = 1\npolygon = [[0, 0], [2, 2], [2, 0], [0, 2]]',
    "query 'q': the goal (0, 0) lies inside obstacle 1 (box)": BOX + '[[query]]\nname = "q"\nfrom = [3, 3]\nto = [0, 0]',
    "query 'q': the start (30, 3) is not on the ground": '[[query]]\nname = "q"\nfrom = [30, 3]\nto = [0, 0]',
    "query 'q': the start (1, 1) is under water": '[[water]]\nlevel = 1\n[[query]]\nname = "q"\nfrom = [1, 1]\nto = [1, 1]',
    "two of query have the name 'q'": '[[query]]\nname = "q"\nfrom = [1, 1]\nto = [2, 2]\n' * 2,
    "two of obstacle have the name 'b'": (BOX + 'name = "b"\n') * 2,
    "this is not valid TOML (Cannot overwrite a value": BOX + "at = [1, 1]",
    "this is not valid TOML": "[[obstacle",
    "ground (bspline): points is [100000, 100000]": '[ground]\nkind = "bspline"\npoints = [100000, 100000]',
    "ground (bspline): points is [-4, 8]": '[ground]\nkind = "bspline"\npoints = [-4, 8]',
    "rows of heights have 2 to 3 numbers": '[ground]\nkind = "grid"\nheights = [[0, 1], [0, 1, 2]]',
    "ground (flat): noise has no meaning": "[ground]\nnoise = {amplitude = 1}",
    "no heights are given": '[ground]\nkind = "grid"',
    "ground.kind is 'lava'; choose one of flat, grid, bspline, mesh": '[ground]\nkind = "lava"',
    "item is [3.0, 0.0]; it must lie on the table's top": '[[obstacle]]\nkind = "table"\nat = [0, 0]\nsize = [1, 1, 1]\nitem = [3.0, 0.0]',
    "key times of a motion must be increasing": BOX + "motion = {times = [1, 0], positions = [[0, 0, 0], [1, 0, 0]]}",
    "the motion has 1 times, 2 positions": BOX + "motion = {times = [1], positions = [[0, 0, 0], [1, 0, 0]]}",
    "radius 3 is too large for the corner": '[[path]]\nname = "p"\ncurve = "round"\nradius = 3\npoints = [[0, 0], [1, 0], [1, 1]]',
    "two points of the path are the same": '[[path]]\nname = "p"\npoints = [[0, 0], [0, 0]]',
    "a wall begins where it ends": '[[obstacle]]\nkind = "wall"\nfrom = [1, 1]\nto = [1, 1]',
    "steps is 2000; it must be <= 1000": '[[obstacle]]\nkind = "stairs"\nat = [0, 0]\nwidth = 1\nsteps = 2000',
    "obstacle 1 (group): part 1 (box): size[2] is -1": '[[obstacle]]\nkind = "group"\nat = [0, 0]\npart = [{shape = "box", at = [0, 0, 0], size = [1, 1, -1]}]',
    "obstacle 1 (group): part 1 (box): unknown key 'sise'; did you mean size?": '[[obstacle]]\nkind = "group"\nat = [0, 0]\npart = [{shape = "box", at = [0, 0, 0], size = [1, 1, 1], sise = 1}]',
    "shape is 'ball'; choose one of": '[[obstacle]]\nkind = "group"\nat = [0, 0]\npart = [{shape = "ball"}]',
    "size is 3; it must be a list": BOX.replace("[1, 1, 1]", "3"),
    "at[0] is 1e+30; it must be <=": BOX.replace("[0, 0]", "[1e30, 0]"),
    "a hole has one shape": "[[hole]]\nat = [0, 0]",
}  # fmt: skip


@pytest.mark.parametrize("says", WRONG)
def test_a_wrong_scene_is_refused_in_one_sentence(says):
    with pytest.raises(FileFormatError) as caught:
        scene_of(WRONG[says])
    sentence = str(caught.value)
    assert says in sentence
    assert sentence.startswith("room.toml: ")
    assert "\n" not in sentence


def test_the_floor_needs_an_extent_and_only_one():
    with pytest.raises(InputError, match="give size"):
        parse_scene("")
    with pytest.raises(InputError, match="both size and outline"):
        parse_scene("size = [1, 1]\noutline = [[0, 0], [1, 0], [0, 1]]")
    with pytest.raises(InputError, match="outline polygon is not simple"):
        parse_scene("outline = [[0, 0], [2, 2], [2, 0], [0, 2]]")


def test_unknown_scenes_name_the_nearest(tmp_path):
    with pytest.raises(InputError, match="did you mean dungeon"):
        load_scene("dungeons")
    with pytest.raises(InputError, match="there is no such file"):
        load_scene(tmp_path / "none.toml")
    (tmp_path / "a.txt").write_text("hello")
    with pytest.raises(InputError, match="no scene"):
        load_scene(tmp_path / "a.txt")


def test_a_huge_or_binary_scene_file_is_refused(tmp_path):
    huge = tmp_path / "huge.toml"
    huge.write_bytes(b"# " + b"x" * 5_000_000)
    with pytest.raises(InputError, match=r"5\.0 MB; at most 4 MB"):
        load_scene(huge)
    noise = tmp_path / "noise.toml"
    noise.write_bytes(bytes(range(256)))
    with pytest.raises(InputError, match="UTF-8"):
        load_scene(noise)
    deep = tmp_path / "deep.toml"
    deep.write_text("a = " + "[" * 100_000)
    with pytest.raises(InputError):
        load_scene(deep)


@pytest.mark.parametrize("name", sorted(builtin_scenes()))
def test_built_in_scenes_are_valid_and_named_after_their_file(name):
    assert load_scene(name).name == name


def test_the_scene_in_the_docs_is_valid():
    import re
    from pathlib import Path

    page = Path(__file__).resolve().parents[2] / "docs" / "reference" / "scenes.md"
    examples = re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    scenes = [parse_scene(text) for text in examples]
    assert [s.name for s in scenes] == ["yard"]
    assert scenes[0].moves


@pytest.mark.parametrize("name", ["here", "here.toml", "here.glb"])
@pytest.mark.parametrize(("make", "what"), [(os.mkfifo, "a pipe"), (os.mkdir, "a folder")])
def test_a_pipe_or_folder_named_as_a_scene_is_refused_for_what_it_is(tmp_path, name, make, what):
    make(tmp_path / name)
    with pytest.raises(InputError, match=f"this is {what}"):
        load_scene(tmp_path / name)


def test_a_device_named_as_a_scene_is_refused_for_what_it_is(tmp_path):
    link = tmp_path / "endless.toml"
    link.symlink_to("/dev/zero")
    with pytest.raises(InputError, match="this is a device"):
        load_scene(link)


@pytest.mark.parametrize("name", ["m.obj", "h.csv"])
def test_a_scene_that_names_a_pipe_as_its_ground_is_refused(tmp_path, name):
    os.mkfifo(tmp_path / name)
    kind = "mesh" if name == "m.obj" else "grid"
    scene = tmp_path / "s.toml"
    scene.write_text(f'size = [9.0, 9.0]\n[ground]\nkind = "{kind}"\nfile = "{name}"\n')
    with pytest.raises(InputError, match="this is a pipe"):
        load_scene(scene)


def test_a_scene_file_that_is_not_there_is_said_not_to_be_there(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        load_scene(tmp_path / "none.toml")
