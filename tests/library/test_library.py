"""Libraries: built from mixed skeletons, opened lazily, corrected by hand, built again."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall import load, save
from footfall.body.edit import mirror
from footfall.errors import InputError
from footfall.generate.actions.sitting import sit
from footfall.generate.skeleton import default_skeleton
from footfall.library.build.build import add_to_library, build_library
from footfall.library.build.check import upkeep
from footfall.library.library import Library, library_of, open_library
from tests.adapt.measures import quality
from tests.clips import steady
from tests.library.folders import cache_files, folder_of_walks, rubbish

ARM = (
    "HIERARCHY\nROOT Arm\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
    "Zrotation Xrotation Yrotation\nJOINT Hand\n{\nOFFSET 0 10 0\nCHANNELS 3 Zrotation "
    "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 5 0\n}\n}\n}\nMOTION\nFrames: 40\n"
    "Frame Time: 0.0333333\n" + "0 0 0 0 0 0 0 0 0\n" * 40
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))


def edited(folder: Path, old: str, new: str) -> None:
    path = folder / "library.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_mixed_skeletons_and_formats_end_on_one_character_at_one_rate(
    walks: Path, tmp_path: Path
) -> None:
    built = build_library(tmp_path / "lib", [walks])
    library = built.library
    assert library.names == built.made == ("walk0", "walk1", "walk2")
    for clip in library:
        assert clip.skeleton == default_skeleton() == library.character
        assert clip.fps == library.fps == 30.0
        assert clip.contacts is not None
        assert "walk" in clip.tags
        assert clip.source.file.startswith(clip.name)
    assert not rubbish(tmp_path / "lib")


def test_planted_feet_stand_still_and_mirrored_copies_too(walks: Path, tmp_path: Path) -> None:
    library = build_library(tmp_path / "lib", [walks], mirror=True).library
    assert len(library) == 6
    for clip in library:
        assert quality(clip, clip).drift_m < 1e-3
    clip, image = library.clip("walk0"), library.clip("walk0_mirrored")
    assert image.positions == pytest.approx(mirror(clip, keep_skeleton=True).positions, abs=1e-6)
    assert library.entry("walk0_mirrored").of == "walk0"


def test_mirrored_copies_on_a_lopsided_character_keep_their_feet_down(
    walks: Path, tmp_path: Path
) -> None:
    character = default_skeleton()
    offsets = np.array(character.offsets)
    for role in ("left_clavicle", "left_elbow"):
        offsets[character.role(role)] *= 1.2
    lopsided = replace(character, offsets=offsets)
    walk = steady(seconds=1.2, fps=30.0)
    save(replace(walk, skeleton=lopsided), tmp_path / "character.npz")
    library = build_library(
        tmp_path / "lib", [walks], character=tmp_path / "character.npz", mirror=True
    ).library
    clip = library.clip("walk1_mirrored")
    assert clip.skeleton == library.character
    assert library.character.offsets == pytest.approx(offsets, abs=1e-6)
    assert quality(clip, clip).drift_m < 1e-3


def test_contacts_survive_retargeting(walks: Path, tmp_path: Path) -> None:
    library = build_library(tmp_path / "lib", [walks]).library
    carried, clip = load(walks / "walk1.glb"), library.clip("walk1")
    assert carried.contacts is not None
    assert np.array_equal(clip.contacts, carried.contacts[::2][: len(clip)])


def test_feet_are_held_in_most_of_every_contact_that_was_found(walks: Path, tmp_path: Path) -> None:
    from footfall.gait.contacts import find_contacts

    library = build_library(tmp_path / "lib", [walks]).library
    clip = library.clip("walk0")
    found = find_contacts(load(walks / "walk0.bvh"))
    points = found.points[::2][: len(clip)]
    assert clip.contacts is not None
    assert not (clip.contacts & ~points).any()
    for stance in found.stances:
        held = clip.contacts[stance.first // 2 : stance.stop // 2, 2 * stance.foot :][:, :2]
        assert held.any(axis=1).mean() > 0.6


def test_a_clip_is_loaded_as_it_was_made(walks: Path, tmp_path: Path) -> None:
    from footfall.library.build.make import make_clip
    from footfall.library.build.settings import Corrections, LibrarySettings

    library = build_library(tmp_path / "lib", [walks]).library
    made = make_clip(walks / "walk1.glb", default_skeleton(), LibrarySettings(), Corrections()).clip
    assert library.clip("walk1").positions == pytest.approx(made.positions, abs=1e-6)


def test_only_what_changed_is_made_again(walks: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    build_library(lib, [walks])
    times = {f.name: f.stat().st_mtime_ns for f in cache_files(lib)}
    again = build_library(lib)
    assert (again.made, again.kept) == ((), 3)
    save(steady("run", 3.0, seconds=2.4, fps=60.0), walks / "walk0.bvh", mesh=False)
    save(steady("walk", 0.8, seconds=2.4, fps=60.0), walks / "other.bvh", mesh=False)
    changed = build_library(lib)
    assert set(changed.made) == {"walk0", "other"}
    assert changed.kept == 2
    assert "run" in changed.library.entry("walk0").tags
    same = {f.name: f.stat().st_mtime_ns for f in cache_files(lib)}
    assert len(set(times.items()) & set(same.items())) == 2
    assert len(same) == 4
    (walks / "walk2.npz").unlink()
    assert set(build_library(lib).library.names) == {"walk0", "walk1", "other"}
    assert len(cache_files(lib)) == 3


@pytest.mark.parametrize(
    "change", [{"fps": 60.0}, {"clean": False}, {"footprints": "exact"}, {"read": {"fps": 50.0}}]
)
def test_other_settings_make_other_clips_and_are_remembered(
    change: dict[str, object], walks: Path, tmp_path: Path
) -> None:
    lib = tmp_path / "lib"
    build_library(lib, [walks])
    assert len(build_library(lib, **change).made) == 3
    assert (build_library(lib).made, build_library(lib).kept) == ((), 3)
    told = tomllib.loads((lib / "library.toml").read_text())
    assert {key: told[key] for key in change} == change


def test_identical_settings_and_clips_give_identical_bytes(walks: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        build_library(tmp_path / name, [walks], jobs=1 if name == "one" else 4)
    one, two = (
        {f.name: f.read_bytes() for f in cache_files(tmp_path / name)} for name in ("one", "two")
    )
    assert one == two


def test_worker_processes_make_the_same_bytes_and_tell_bad_clips(
    walks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (walks / "bad.bvh").write_text("nonsense")
    alone = build_library(tmp_path / "one", [walks])
    monkeypatch.setattr("footfall.library.build.build.WORTH_PROCESSES_BYTES", 0)
    shared = build_library(tmp_path / "two", [walks], jobs=2)
    assert shared.made == alone.made == ("walk0", "walk1", "walk2")
    assert shared.library.entries == alone.library.entries
    assert shared.skipped == alone.skipped
    one, two = (
        {f.name: f.read_bytes() for f in cache_files(tmp_path / name)} for name in ("one", "two")
    )
    assert one == two


def test_work_goes_on_without_workers_that_do_not_live(
    walks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footfall.library.build.build.WORTH_PROCESSES_BYTES", 0)
    for number, program in enumerate(("/nowhere/python", "/bin/false")):
        monkeypatch.setattr("sys.executable", program)
        assert len(build_library(tmp_path / f"{number}", [walks], jobs=2).made) == 3


def test_bad_clips_are_reported_and_skipped(walks: Path, tmp_path: Path) -> None:
    (walks / "bad.bvh").write_text("HIERARCHY nonsense")
    (walks / "empty.glb").write_bytes(b"")
    (walks / "cut.npz").write_bytes((walks / "walk2.npz").read_bytes()[:900])
    (walks / "notes.txt").write_text("not a clip")
    (walks / "gone.bvh").symlink_to(walks / "nowhere.bvh")
    built = build_library(tmp_path / "lib", [walks])
    assert len(built.library) == 3
    assert {Path(s.source).name for s in built.skipped} == {
        "bad.bvh", "empty.glb", "cut.npz", "gone.bvh",
    }  # fmt: skip
    for bad in built.skipped:
        assert Path(bad.source).name in bad.problem
        assert len(bad.problem.splitlines()) == 1
    save(steady(seconds=1.2, fps=30.0), walks / "bad.bvh", mesh=False)
    mended = build_library(tmp_path / "lib")
    assert "bad" in mended.made
    assert len(mended.skipped) == 3


def test_a_skeleton_that_is_no_body_is_skipped_with_its_reason(tmp_path: Path) -> None:
    takes = folder_of_walks(tmp_path / "takes", 1)
    (takes / "arm.bvh").write_text(ARM)
    built = build_library(tmp_path / "lib", [takes])
    assert built.library.names == ("walk0",)
    assert "arm.bvh" in built.skipped[0].problem
    assert build_library(tmp_path / "lib").skipped == built.skipped


def test_tags_corrected_by_hand_survive_rebuilding(walks: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    build_library(lib, [walks])
    edited(lib, '[clips."walk0"]\n', '[clips."walk0"]  # the brisk one\ntags = ["stroll"]\n')
    assert open_library(lib).entry("walk0").tags == ("stroll",)
    save(steady("run", 3.0, seconds=2.4, fps=60.0), walks / "walk0.bvh", mesh=False)
    build_library(lib)
    library = build_library(lib, mirror=True).library
    assert library.entry("walk0").tags == ("stroll",)
    assert library.clip("walk0").tags == ("stroll",)
    text = (lib / "library.toml").read_text()
    assert "# the brisk one" in text
    assert "run" in tomllib.loads(text)["clips"]["walk0"]["found_tags"]


def test_contacts_corrected_by_hand_survive_rebuilding(walks: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    build_library(lib, [walks])
    edited(lib, '[clips."walk0"]\n', '[clips."walk0"]\ncontacts.left_heel = [[0.2, 0.4]]\n')
    library = open_library(lib)
    for _ in range(2):
        contacts = library.clip("walk0").contacts
        assert contacts is not None
        assert np.flatnonzero(contacts[:, 0]).tolist() == list(range(6, 13))
        assert contacts[:, 2].any()
        library = build_library(lib).library
    assert quality(library.clip("walk0"), library.clip("walk0")).drift_m < 1e-3


def test_touches_are_found_kept_and_corrected_by_hand(walks: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    save(sit(), walks / "sit.bvh", mesh=False)
    seated = build_library(lib, [walks]).library.clip("sit").touches
    assert seated is not None
    assert seated[-1].tolist() == [False, False, True]
    assert not seated[0].any()
    edited(
        lib, '[clips."sit"]\n', '[clips."sit"]\ncontacts.seat = [[0.2, 0.4]]\n'
        'contacts.left_hand = [[0.1, 0.1]]\n',
    )  # fmt: skip
    for library in (open_library(lib), build_library(lib).library):
        touches = library.clip("sit").touches
        assert touches is not None
        assert np.flatnonzero(touches[:, 2]).tolist() == list(range(6, 13))
        assert np.flatnonzero(touches[:, 0]).tolist() == [3]


def test_a_clip_can_be_left_out_and_licences_are_told(walks: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    build_library(lib, [walks], licence="CC BY 4.0")
    edited(lib, '[clips."walk0"]\n', '[clips."walk0"]\nskip = true\n')
    edited(lib, '[clips."walk1"]\n', '[clips."walk1"]\nlicence = "ours"\n')
    library = open_library(lib)
    assert library.names == ("walk1", "walk2")
    assert [e.licence for e in library.entries] == ["ours", "CC BY 4.0"]
    assert library.clip("walk1").source.licence == "ours"
    assert build_library(lib, [walks]).library.entry("walk2").licence == "CC BY 4.0"


def test_adding_keeps_what_was_there_and_tells_equal_names_apart(
    walks: Path, tmp_path: Path
) -> None:
    lib = tmp_path / "lib"
    build_library(lib, [walks])
    more = folder_of_walks(tmp_path / "more", 1)
    built = add_to_library(lib, [more], licence="CC0")
    assert built.made == () or built.made == ("more_walk0",)
    assert built.library.names == ("walk0", "walk1", "walk2", "more_walk0")
    assert built.library.entry("more_walk0").licence == "CC0"
    assert build_library(lib).library.names == built.library.names


def test_a_source_that_is_gone_loses_no_clip(walks: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    build_library(lib, [walks])
    walks.rename(tmp_path / "elsewhere")
    built = build_library(lib)
    assert len(built.library) == 3
    assert "no such file or folder" in built.skipped[0].problem
    assert len(built.library.clip("walk1")) > 30
    assert len(upkeep(built.library)) == 3


def test_anything_that_takes_a_library_takes_a_folder_or_a_file(
    walks: Path, tmp_path: Path
) -> None:
    before = sorted(walks.iterdir())
    library = footfall.open_library(walks)
    assert library.names == ("walk0", "walk1", "walk2")
    assert sorted(walks.iterdir()) == before
    assert footfall.open_library(library) is library
    assert footfall.open_library(walks / "walk0.bvh").names == ("walk0",)
    with pytest.raises(InputError, match="no such library"):
        open_library(tmp_path / "nowhere")
    (tmp_path / "nothing").mkdir()
    with pytest.raises(InputError, match="there are no clips"):
        open_library(tmp_path / "nothing")


def test_a_library_in_memory_is_like_one_on_disk() -> None:
    clips = [steady("walk", v, seconds=0.6).named(f"w{v}").tagged(["walk"]) for v in (1.0, 1.4)]
    library = library_of([*clips, steady("run", 3.0, seconds=0.6).named("r").tagged(["run"])])
    assert library.tagged("walk").names == ("w1.0", "w1.4")
    assert library.clip("w1.4") is clips[1]
    assert [clip.name for clip in library.only(["r", "w1.0"])] == ["r", "w1.0"]
    assert library.tags == {"walk": 2, "run": 1}
    assert "r" in library
    assert "walk" not in library
    with pytest.raises(InputError, match=r"did you mean w1\.4"):
        library.clip("w1.5")
    with pytest.raises(InputError, match="two clips are called"):
        library_of([clips[0], clips[0]])
    with pytest.raises(InputError, match="frames per second"):
        library_of([clips[0], replace(clips[1], fps=48.0)])
    bones = clips[0].skeleton.scaled(1.1)
    with pytest.raises(InputError, match="another skeleton"):
        library_of([clips[0], replace(clips[1], skeleton=bones)])


def test_opening_reads_no_clip(walks: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    build_library(lib, [walks])
    for file in cache_files(lib):
        file.unlink()
    assert len(open_library(lib)) == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"fps": 0.0}, "fps is"),
        ({"footprints": "wide"}, "choose one of scaled, exact"),
        ({"speed": 3}, "has no setting 'speed'"),
        ({"read": {"scale": 1}}, "read names 'scale'"),
        ({"jobs": 0}, "jobs is 0"),
        ({"character": "nowhere.glb"}, "there is no such file"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_written(
    change: dict[str, object], said: str, walks: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=said):
        build_library(tmp_path / "lib", [walks], **change)
    assert not (tmp_path / "lib" / "library.toml").exists()


def test_a_character_that_is_no_body_is_refused_by_name(walks: Path, tmp_path: Path) -> None:
    arm = tmp_path / "arm.bvh"
    arm.write_text(ARM)
    with pytest.raises(InputError, match=r"arm\.bvh: the skeleton has no joint that plays"):
        build_library(tmp_path / "lib", [walks], character=arm)
    assert not (tmp_path / "lib" / "library.toml").exists()


def test_the_index_is_one_file_with_everything_but_the_frames(walks: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    library = build_library(lib, [walks]).library
    head, body = (lib / ".footfall" / "index.json").read_text().splitlines()
    assert json.loads(head)["format"] == "footfall library 1"
    assert [e["name"] for e in json.loads(body)["entries"]] == list(library.names)
    assert open_library(lib).entries == library.entries
    assert isinstance(library, Library)


@pytest.mark.mocap
@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_real_clips_keep_their_feet_down_on_the_default_character(
    fps: float, mocap: Path, tmp_path: Path
) -> None:
    trials = [
        mocap / "accad_male1" / "Male1_B3_Walk.bvh",
        mocap / "accad_male1" / "Male1_C03_Run.bvh",
        mocap / "cmu" / "16_18.bvh",
        mocap / "cmu" / "13_35.bvh",
        mocap / "cmu_asfamc" / "16_33.amc",
    ]
    library = build_library(tmp_path / "lib", trials, fps=fps, mirror=True).library
    assert len(library) == 2 * len(trials)
    for clip in library:
        assert quality(clip, clip).drift_m < 2e-3
        assert clip.skeleton == default_skeleton()


@pytest.mark.mocap
@pytest.mark.thorough
@pytest.mark.parametrize("name", ["accad_male1", "cmu"])
def test_every_real_clip_keeps_its_feet_down_on_the_default_character(
    name: str, mocap: Path, tmp_path: Path
) -> None:
    files = sorted((mocap / name).glob("*.bvh"))
    library = build_library(tmp_path / "lib", files).library
    assert not library.skipped
    assert len(library) == len(files)
    for clip in library:
        assert quality(clip, clip).drift_m < 2e-3, clip.name
