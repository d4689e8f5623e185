"""The program as a user meets it: help, errors, exit codes, JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from footfall.generate.gait.steady import steady
from tests.program import run_program as footfall

VERBS = (
    "plan", "inspect", "convert", "render", "fit", "clean", "measure", "verify", "reproduce",
    "library build",
    "library make", "library add", "library list", "library check", "library show",
    "library export", "library fetch", "graph build", "graph info", "roadmap build",
    "roadmap postures", "crowd",
    "scene list", "scene check", "scene show", "scene export", "warmup", "demo", "batch",
    "studio", "study make", "study serve", "study report", "doctor",
)  # fmt: skip
RANDOM = (
    "plan", "demo", "measure", "reproduce", "roadmap build", "library make", "batch",
    "study make",
)  # fmt: skip
WRITING = (
    "plan", "inspect", "convert", "render", "fit", "clean", "measure", "reproduce", "library show",
    "library export", "library make", "graph build", "graph info", "roadmap build",
    "roadmap postures", "crowd",
    "scene show", "scene export", "demo", "batch", "study report",
)  # fmt: skip


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from footfall import save

    return save(steady(seconds=1.0, fps=30), tmp_path_factory.mktemp("clips") / "walk.bvh")


def test_help_loads_no_heavy_package() -> None:
    code = (
        "import sys; sys.argv = ['footfall', '--help']\n"
        "from footfall.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'numba', 'matplotlib', 'pydantic', 'shapely', 'trimesh'}\n"
        "sys.exit(str(sorted(heavy & set(sys.modules))) if heavy & set(sys.modules) else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_every_verb_has_an_example(verb: str) -> None:
    done = footfall(*verb.split(), "--help")
    assert done.returncode == 0
    assert "Example" in done.stdout
    assert f"footfall {verb}" in done.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_json_and_quiet_and_a_seed_only_where_it_does_something(verb: str) -> None:
    text = footfall(*verb.split(), "--help").stdout
    assert all(option in text for option in ("--json", "--quiet"))
    assert ("--seed" in text) == (verb in RANDOM)


@pytest.mark.parametrize("verb", WRITING)
def test_every_verb_that_writes_files_can_be_forced(verb: str) -> None:
    assert "--force" in footfall(*verb.split(), "--help").stdout


def test_the_tests_know_every_verb() -> None:
    from footfall.cli.app import app

    verbs = {command.name for command in app.registered_commands}
    for group in app.registered_groups:
        assert group.typer_instance is not None
        inner = group.typer_instance.registered_commands
        verbs |= {f"{group.name} {command.name}" for command in inner}
    assert verbs == set(VERBS)


def test_inspect_prints_one_json_object_and_nothing_else(walk: Path) -> None:
    done = footfall("inspect", str(walk), "--json")
    (clip,) = json.loads(done.stdout)["clips"]
    assert clip["frames"] == 31
    assert clip["roles"]["left_ankle"] == "LeftFoot"


def test_quiet_prints_nothing(walk: Path, tmp_path: Path) -> None:
    done = footfall("convert", str(walk), str(tmp_path / "walk.npz"), "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("inspect", "nowhere.bvh"), "there is no such file"),
        (("inspect", "walk.xyz"), "choose one of .bvh"),
        (("convert", "nowhere.bvh", "out.glb"), "there is no such file"),
        (("render", "nowhere.bvh", "-o", "x.png"), "there is no such file"),
        (("fit", "nowhere.bvh", "--scene", "hills"), "there is no such file"),
        (("clean", "nowhere.bvh"), "there is no such file"),
        (("scene", "check", "nowhere"), "choose one of"),
        (("library", "build", "nowhere"), "there is no such file or folder"),
        (("library", "list", "nowhere"), "there is no such library or folder"),
        (("plan", "nowhere.toml"), "there is no such file"),
        (("roadmap", "build", "--scene", "nowhere"), "choose one of"),
        (("roadmap", "build", "--scene", "room", "--set", "nodes=0"), "nodes"),
        (("roadmap", "postures", "nowhere"), "there is no such library or folder"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    done = footfall(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_wrong_input_under_json_is_still_one_json_object(tmp_path: Path) -> None:
    done = footfall("inspect", "nowhere.bvh", "--json", cwd=tmp_path)
    assert done.returncode == 2
    assert "no such file" in json.loads(done.stdout)["error"]


def test_convert_takes_a_folder_and_reports_the_bad_clips(walk: Path, tmp_path: Path) -> None:
    clips = tmp_path / "clips"
    clips.mkdir()
    (clips / "good.bvh").write_bytes(walk.read_bytes())
    (clips / "bad.bvh").write_text("HIERARCHY nonsense")
    done = footfall("convert", str(clips), str(tmp_path / "out"), "--to", "glb", "--json")
    said = json.loads(done.stdout)
    assert done.returncode == 2
    assert len(said["converted"]) == 1
    assert "bad.bvh" in said["errors"][0]
    assert (tmp_path / "out" / "good.glb").is_file()


def test_render_passes_on_which_views_and_how_many_characters(walk: Path, tmp_path: Path) -> None:
    from PIL import Image

    side = tmp_path / "side.png"
    how = ("--views", "side", "--instants", "2", "--width", "400")
    assert footfall("render", str(walk), "-o", str(side), *how).returncode == 0
    film = tmp_path / "both.gif"
    how = ("--views", "corner,front", "--width", "40", "--height", "50")
    assert footfall("render", str(walk), "-o", str(film), *how).returncode == 0
    with Image.open(side) as page, Image.open(film) as both:
        assert page.width == 400
        assert both.size == (80, 50)
    done = footfall("render", str(walk), "-o", str(side), "--views", "behind")
    assert done.returncode == 2
    assert "choose one of side" in done.stderr
