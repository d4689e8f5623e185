"""What may happen to a library on disk: damage, strangers, kills, two builders at once."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from footfall.body.clip import Clip
from footfall.library.build.build import build_library
from footfall.library.build.check import upkeep
from footfall.library.library import open_library
from footfall.library.store.clips import ClipStore
from footfall.library.store.folder import exclusive
from tests.library.folders import cache_files, folder_of_walks, rubbish

KILLS = int(os.environ.get("FOOTFALL_KILLS", "0"))
"""How many builds are killed; 0: few, for every day."""


def same(a: Clip, b: Clip) -> bool:
    return bool(np.array_equal(a.root, b.root) and np.array_equal(a.rotations, b.rotations))


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def flip_a_byte(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-40] ^= 0x10
    file.write_bytes(data)


def flip_a_letter_of_the_label(file: Path) -> None:
    data = file.read_bytes()
    assert b"walk" in data
    file.write_bytes(data.replace(b"walk", b"talk", 1))


def empty(file: Path) -> None:
    file.write_bytes(b"")


def text(file: Path) -> None:
    file.write_text("not a cache")


def absurd_header(file: Path) -> None:
    file.write_bytes(b"\xff" * 7 + b"\x7f" + file.read_bytes()[8:])


def of_another_clip(file: Path) -> None:
    other = next(f for f in cache_files(file.parents[2]) if f != file)
    shutil.copy(other, file)


def missing(file: Path) -> None:
    file.unlink()


DAMAGES = [
    cut, flip_a_byte, flip_a_letter_of_the_label, empty, text, absurd_header, of_another_clip,
    missing,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda d: d.__name__)
def test_a_cache_that_cannot_be_trusted_is_noticed_and_made_again(
    damage, walks: Path, tmp_path: Path
) -> None:
    lib = tmp_path / "lib"
    good = {clip.name: clip for clip in build_library(lib, [walks]).library}
    library = open_library(lib)
    name = library.names[1]
    file = lib / ".footfall" / "clips" / f"{library.entry(name).key}.safetensors"
    damage(file)
    assert list(upkeep(library)) == [name]
    assert same(library.clip(name), good[name])
    assert not upkeep(library), "reading the clip has mended its cache"
    damage(file)
    again = build_library(lib)
    assert again.made == (name,)
    assert same(again.library.clip(name), good[name])
    assert not rubbish(lib)


@pytest.mark.parametrize(
    "damage", [cut, flip_a_byte, empty, text, missing], ids=lambda d: d.__name__
)
def test_a_damaged_index_is_made_again_from_what_is_there(
    damage, walks: Path, tmp_path: Path
) -> None:
    lib = tmp_path / "lib"
    before = build_library(lib, [walks]).library
    times = [f.stat().st_mtime_ns for f in cache_files(lib)]
    damage(lib / ".footfall" / "index.json")
    assert open_library(lib).entries == before.entries
    assert [f.stat().st_mtime_ns for f in cache_files(lib)] == times


def test_a_damaged_cache_without_its_source_is_one_clear_sentence(
    walks: Path, tmp_path: Path
) -> None:
    from footfall.errors import InputError

    lib = tmp_path / "lib"
    library = build_library(lib, [walks]).library
    cut(cache_files(lib)[0])
    shutil.rmtree(walks)
    broken = [e.name for e in library.entries if e.key == cache_files(lib)[0].stem]
    with pytest.raises(InputError, match="damaged and its source is not there"):
        library.clip(broken[0])


def test_what_is_left_under_temporary_names_goes_away_with_the_next_build(
    walks: Path, tmp_path: Path
) -> None:
    lib = tmp_path / "lib"
    build_library(lib, [walks])
    for name in (".library-abcd1234.toml", ".footfall/.index-abcd1234.json"):
        (lib / name).write_text("half")
    (lib / ".footfall" / "clips" / ".0123-abcd1234.safetensors").write_text("half")
    (lib / ".footfall" / "clips" / f"{'0' * 40}.safetensors").write_text("old")
    (lib / "my notes.txt").write_text("mine")
    build_library(lib)
    assert rubbish(lib) == ["my notes.txt"]
    assert len(cache_files(lib)) == 3


def test_a_lock_of_the_dead_holds_nobody_up(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    code = (
        "import sys, time\nfrom pathlib import Path\n"
        "from footfall.library.store.folder import exclusive\n"
        f"with exclusive(Path({str(lock)!r})): print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    with exclusive(lock, wait_s=0.2) as held:
        assert not held
    holder.kill()
    holder.wait()
    with exclusive(lock, wait_s=5.0) as held:
        assert held


def test_two_builders_and_a_reader_at_once_do_not_hurt_each_other(tmp_path: Path) -> None:
    walks = folder_of_walks(tmp_path / "takes", 4)
    more = folder_of_walks(tmp_path / "more", 2, seconds=2.0)
    lib = tmp_path / "lib"
    build_library(lib, [walks])
    code = "from footfall.library.build.build import add_to_library as a; a({0!r}, [{1!r}])"
    works = [
        subprocess.Popen([sys.executable, "-c", code.format(str(lib), str(s))])
        for s in (more / "walk0.bvh", more / "walk1.glb")
    ]
    while any(work.poll() is None for work in works):
        library = open_library(lib)
        assert len(library) >= 4
        assert len(library.clip("walk3")) > 60
        time.sleep(0.02)
    assert [work.returncode for work in works] == [0, 0]
    library = open_library(lib)
    assert len(library) == 6
    assert not upkeep(library)
    assert not rubbish(lib)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a thing of POSIX")
@pytest.mark.parametrize(("workers", "kills"), [(False, KILLS or 6), (True, KILLS or 3)])
def test_builds_killed_at_random_moments_lose_nothing_and_leave_no_rubbish(
    workers: bool, kills: int, tmp_path: Path
) -> None:
    """Each build begins with one clip changed and another corrected by hand; most are killed."""
    walks = folder_of_walks(tmp_path / "takes", 4, seconds=1.0)
    variants = folder_of_walks(tmp_path / "variants", 4, seconds=1.5)
    lib = tmp_path / "lib"
    build_library(lib, [walks])
    dice = random.Random(7)
    path = lib / "library.toml"
    path.write_text(
        path.read_text().replace('[clips."walk1"]\n', '[clips."walk1"]\ntags = ["mine"]\n')
    )
    # Forked from a process that has built once: all is loaded, no threads run, starting is quick.
    code = (
        "import os, sys\n"
        "import footfall.library.build.build as b\n"
        f"b.WORTH_PROCESSES_BYTES = {0 if workers else 1 << 40}\n"
        f"b.build_library({str(tmp_path / 'warm')!r}, [{str(walks)!r}], jobs=1)\n"
        "for line in sys.stdin:\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        f"        b.build_library({str(lib)!r}, jobs=2); os._exit(0)\n"
        "    print(pid, flush=True); print(os.waitpid(pid, 0)[1], flush=True)\n"
    )
    nursery = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert nursery.stdin is not None
    assert nursery.stdout is not None
    killed, longest = 0, 60.0
    for turn in range(kills):
        name = ("walk0.bvh", "walk1.glb", "walk2.npz", "walk3.bvh")[turn % 4]
        data = (variants / name).read_bytes()
        (variants / name).write_bytes((walks / name).read_bytes())
        (walks / name).write_bytes(data)
        nursery.stdin.write("go\n")
        nursery.stdin.flush()
        pid = int(nursery.stdout.readline())
        started = time.monotonic()
        if turn > 0:  # the first may end, to see how long that takes
            time.sleep(dice.uniform(0.0, longest))
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        killed += int(nursery.stdout.readline()) == signal.SIGKILL
        longest = min(longest, time.monotonic() - started) if turn == 0 else longest
        assert '"mine"' in path.read_text(), "the correction by hand is there at any time"
        library = open_library(lib)
        assert set(library.names) == {"walk0", "walk1", "walk2", "walk3"}
        assert library.entry("walk1").tags == ("mine",)
    nursery.stdin.close()
    nursery.wait()
    assert killed > 0, "no build was killed, so nothing was tested"
    library = build_library(lib).library
    assert not rubbish(lib)
    assert not upkeep(library)
    assert len(cache_files(lib)) == 4
    whole = build_library(tmp_path / "fresh", [walks]).library
    for name in library.names:
        assert same(library.clip(name), whole.clip(name))


def test_a_clip_cache_gives_nothing_for_another_character(walks: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    library = build_library(lib, [walks]).library
    cache = ClipStore(lib / ".footfall" / "clips")
    key = library.entries[0].key
    assert cache.clip(key, library.character) is not None
    assert cache.clip(key, library.character.scaled(1.1)) is None
    assert cache.clip("0" * 40, library.character) is None
