"""The default library: generated on first use, kept, the same bytes for the same seed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from footfall import open_library, save
from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.generate.actions.catalogue import action_clip
from footfall.generate.gait.catalogue import gait_entries
from footfall.generate.skeleton import default_skeleton
from footfall.library import default
from footfall.library.default import default_groups, default_library, default_names, generate_clip
from footfall.library.store.folder import default_group
from tests.clips import steady
from tests.generate.gait_measures import drift
from tests.sweeps import THOROUGH

SMALL = "basten_test"
DAMAGES = ("cut", "empty", "text", "gone")
told: list[float] = []
"""What was heard of the progress while that group was generated."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder in which a small group has been generated."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOOTFALL_CACHE", str(folder))
        open_library(f"default:{SMALL}", told.append)
    return folder


@pytest.fixture
def cache(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder, in use."""
    shutil.copytree(kept, tmp_path / "cache")
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def clip_files(cache: Path) -> dict[str, bytes]:
    return {f.name: f.read_bytes() for f in cache.glob("default/*/clips/*")}


def same(a: Clip, b: Clip) -> bool:
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("root", "rotations", "contacts")
    )


def test_a_group_generates_its_own_clips_alone(cache: Path) -> None:
    library = open_library(f"default:{SMALL}")
    assert library.names == default_names(SMALL)
    assert len(clip_files(cache)) == len(library) < len(default_names())
    for clip, entry in zip(library, library.entries, strict=True):
        assert clip.skeleton == library.character == default_skeleton()
        assert clip.fps == library.fps == entry.fps == 30.0
        assert clip.tags == entry.tags
        assert {"walk", SMALL} <= set(clip.tags)
        assert entry.groups == (SMALL,)
        assert len(clip) == entry.frames
        assert drift(clip, clip.world) < 1e-4


def test_the_clips_are_those_of_the_catalogue_with_exact_contacts(cache: Path) -> None:
    library = default_library(SMALL)
    for n, entry in enumerate(gait_entries()):
        if SMALL not in entry.groups:
            continue
        made = entry.make(seed=n)
        clip = library.clip(made.name)
        # Sums depend on how many threads multiply matrices, by a few last bits.
        assert clip.root == pytest.approx(made.root, abs=2e-6)
        assert np.abs(clip.rotations - made.rotations).max() < 1e-6
        assert clip.contacts is not None
        assert np.array_equal(clip.contacts, made.contacts)
        assert clip.touches is not None
        assert not clip.touches.any()


def test_clips_made_at_twice_the_rate_give_every_second_frame() -> None:
    clip, made = generate_clip("jump_0.5"), action_clip("jump_0.5")
    assert made.fps == 60.0
    assert np.array_equal(clip.root, made.root[::2])
    assert made.contacts is not None
    assert np.array_equal(clip.contacts, made.contacts[::2])
    pick, all_of_it = generate_clip("pick_0.50_0.35"), action_clip("pick_0.50_0.35")
    assert all_of_it.touches is not None
    assert np.array_equal(pick.touches, all_of_it.touches[::2])
    assert pick.touches is not None
    assert pick.touches.any()
    assert clip.tags == ("jump", *default._catalogue()["jump_0.5"].groups)


def test_the_groups_are_the_databases_of_the_papers() -> None:
    assert {"choi", "park", "basten", "basten_test", "safonova"} <= set(default_groups())
    assert len(default_names("park")) == 20
    assert len(default_names("choi")) >= 58
    assert default_names("dungeon") == default_names("choi")
    assert len(set(default_names())) == len(default_names()) >= 150
    kinds = {name.split("_")[0] for name in default_names("safonova")}
    assert {"park", "start", "stop", "jump", "beam", "duck", "pick", "sit"} <= kinds
    assert not any("run_" in name for name in default_names("safonova"))


def test_the_same_seed_gives_the_same_bytes_however_many_work(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(default, "_CLIPS_A_WORKER", 1)
    before = clip_files(cache)
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "other"))
    default_library(SMALL, jobs=2)
    assert clip_files(tmp_path / "other") == before
    default_library(SMALL, seed=1)
    after = clip_files(tmp_path / "other")
    assert len(after) == 2 * len(before)
    assert not set(before.values()) & {after[name] for name in set(after) - set(before)}


def test_the_clips_have_the_same_bytes_however_many_threads_blas_has(tmp_path: Path) -> None:
    """These two differ by a last bit where matrices are multiplied by several threads."""
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from footfall.library.build.workers import MakerPool\n"
        "from footfall.library.default import DefaultClipMaker, code_version\n"
        "for folder in sys.argv[1:]:\n"
        "    maker = DefaultClipMaker(Path(folder), code_version(), 0)\n"
        "    pool = MakerPool(maker, processes=int(folder[-1]))\n"
        "    for name in ('park_walk_0.8', 'basten_straight'):\n"
        "        assert pool.make({'name': name}).facts\n"
        "    pool.close()"
    )
    found = []
    for threads, processes in ((1, (0,)), (4, (0, 2))):
        folders = [tmp_path / f"{threads}-{count}" for count in processes]
        names = ("OPENBLAS", "OMP", "MKL")
        env = os.environ | {f"{name}_NUM_THREADS": str(threads) for name in names}
        subprocess.run([sys.executable, "-c", code, *map(str, folders)], env=env, check=True)
        found += [{file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders]
    assert len(found[0]) == 2
    assert found[0] == found[1] == found[2]


def test_what_is_kept_is_read_and_nothing_is_generated(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(default.DefaultStore, "complete", None)
    assert len(open_library(f"default:{SMALL}")) == 3


def test_progress_is_told_while_clips_are_generated(kept: Path) -> None:
    assert told == pytest.approx([1 / 3, 2 / 3, 1.0])


@pytest.mark.parametrize(
    "damage", ["cut", "empty", "text", "gone"] if THOROUGH else ["cut", "gone"]
)
def test_a_damaged_clip_is_generated_again(damage: str, cache: Path) -> None:
    before = clip_files(cache)
    library = default_library(SMALL)
    good = library.clip(library.names[0])
    file = next(cache.glob(f"default/*/clips/{library.entries[0].key}*"))
    if damage == "gone":
        file.unlink()
    else:
        data = {"cut": file.read_bytes()[:500], "empty": b"", "text": b"no clip"}[damage]
        file.write_bytes(data)
    assert same(library.clip(library.names[0]), good)
    assert clip_files(cache) == before


@pytest.mark.parametrize("data", [b"", b"nonsense", b'{"format": 1}\n{}'])
def test_a_damaged_index_is_made_again_from_what_is_there(data: bytes, cache: Path) -> None:
    before = default_library(SMALL).entries
    times = [f.stat().st_mtime_ns for f in sorted(cache.glob("default/*/clips/*"))]
    next(cache.glob(f"default/*/index-{SMALL}-0.json")).write_bytes(data)
    assert default_library(SMALL).entries == before
    assert [f.stat().st_mtime_ns for f in sorted(cache.glob("default/*/clips/*"))] == times


def test_a_group_is_read_from_the_index_of_all(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = [*default_names(SMALL), "stand_1"]
    part = {name: default._catalogue()[name] for name in few}
    monkeypatch.setattr(default, "_catalogue", lambda: part)
    assert default_library().names == tuple(few)
    next(cache.glob(f"default/*/index-{SMALL}-0.json")).unlink()
    monkeypatch.setattr(default.DefaultStore, "complete", None)
    assert default_library(SMALL).names == tuple(few[:-1])


def generating(cache: Path) -> subprocess.Popen[bytes]:
    code = f"from footfall import open_library as o; print(len(o('default:{SMALL}')))"
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "FOOTFALL_CACHE": str(cache)},
    )  # fmt: skip


def test_two_processes_at_once_generate_each_clip_once(kept: Path, tmp_path: Path) -> None:
    works = [generating(tmp_path) for _ in range(2)]
    assert [work.communicate()[0].strip() for work in works] == [b"3", b"3"]
    assert clip_files(tmp_path) == clip_files(kept)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a thing of POSIX")
def test_a_killed_generation_goes_on_where_it_stopped(kept: Path, tmp_path: Path) -> None:
    work = generating(tmp_path)
    end = time.monotonic() + 60.0
    while not any(tmp_path.glob("default/*/clips/*")) and time.monotonic() < end:
        time.sleep(0.01)
    os.killpg(work.pid, signal.SIGKILL)
    work.wait()
    assert work.stdout is not None
    work.stdout.close()
    (next(tmp_path.glob("default/*")) / "clips" / ".0123-abcdefgh.safetensors").write_text("half")
    again = generating(tmp_path)
    assert again.communicate()[0].strip() == b"3"
    assert clip_files(tmp_path) == clip_files(kept)


def test_versions_that_nobody_used_for_a_month_are_removed(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    for name, days in (("old", 40), ("new", 3)):
        place = cache / "default" / name
        (place / "clips").mkdir(parents=True)
        (place / "lock").touch()
        os.utime(place / "lock", (now - days * 86400,) * 2)
    next(cache.glob(f"default/*/index-{SMALL}-0.json")).unlink()
    default_library(SMALL)
    assert sorted(p.name for p in (cache / "default").iterdir() if len(p.name) < 16) == ["new"]


def test_a_folder_called_default_is_named_by_its_path(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert open_library(Path(f"default:{SMALL}")).names == default_names(SMALL)
    save(steady(seconds=1.2, fps=30.0), tmp_path / "default" / "mine.bvh", mesh=False)
    assert default_group("default") == ""
    assert open_library("./default").names == ("mine",)
    assert open_library(Path("default")).names == ("mine",)
    assert open_library(tmp_path / "default").names == ("mine",)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: open_library("default:parc"), "has no group 'parc'; did you mean park"),
        (lambda: open_library("default:../x"), "has no group"),
        (lambda: default_library(seed=-1), "the seed is -1"),
        (lambda: default_library(jobs=0), "jobs is 0"),
    ],
)
def test_wrong_requests_are_one_sentence(call, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said) as caught:
        call()
    assert len(str(caught.value).splitlines()) == 1


def test_a_group_that_is_not_there_is_refused_when_all_clips_are_kept() -> None:
    assert len(open_library("default")) > 150
    with pytest.raises(InputError, match="has no group 'parc'; did you mean park"):
        open_library("default:parc")


def test_a_cache_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "file"))
    with pytest.raises(
        InputError, match=r"the default library, .*cannot be written.*FOOTFALL_CACHE"
    ):
        open_library(f"default:{SMALL}")
