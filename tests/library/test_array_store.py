"""The store of arrays by address, which clips, graphs and all models are kept in."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from footfall.errors import FileFormatError, InputError
from footfall.library.store.arrays import ArrayStore, address, load_arrays, save_arrays

ARRAYS = {
    "points": np.arange(12.0).reshape(4, 3)[:, ::2],  # not contiguous
    "flags": np.array([True, False]),
    "none": np.zeros((0, 3), np.int32),
    "one": np.array(2.5),
}
FACTS = {"name": "überall", "list": [1, 2.5, None, True], "nested": {"a": "b"}}


@pytest.fixture
def store(tmp_path: Path) -> ArrayStore:
    return ArrayStore("thing", folder=tmp_path / "things")


def test_arrays_and_facts_come_back_to_the_last_bit(store: ArrayStore) -> None:
    assert store.keep("a" * 40, ARRAYS, FACTS)
    found = store.load("a" * 40)
    assert found is not None
    arrays, facts = found
    assert facts == FACTS
    assert set(arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert np.array_equal(arrays[name], array)
        assert not arrays[name].flags.writeable


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    one = save_arrays(tmp_path / "one", "thing", ARRAYS, FACTS).read_bytes()
    backwards = dict(reversed(FACTS.items()))
    assert save_arrays(tmp_path / "two", "thing", ARRAYS, backwards).read_bytes() == one


def test_an_address_depends_on_every_part_and_on_no_order_of_keys() -> None:
    assert address("x", {"a": 1, "b": 2}) == address("x", {"b": 2, "a": 1})
    assert len({address("x", 1), address("x", 2), address("y", 1), address("x", "1")}) == 4


def test_every_single_wrong_byte_is_noticed(store: ArrayStore, rng: np.random.Generator) -> None:
    store.keep("a" * 40, ARRAYS, FACTS)
    good = store.path("a" * 40).read_bytes()
    for at in range(0, len(good), 3):
        bad = good[:at] + bytes([good[at] ^ (1 << int(rng.integers(8)))]) + good[at + 1 :]
        store.path("a" * 40).write_bytes(bad)
        assert store.load("a" * 40) is None, f"byte {at}"


def test_what_is_cut_off_foreign_or_of_another_address_is_not_there(store: ArrayStore) -> None:
    store.keep("a" * 40, ARRAYS, FACTS)
    path, other = store.path("a" * 40), store.path("b" * 40)
    good = path.read_bytes()
    other.write_bytes(good)
    assert store.load("b" * 40) is None, "of another address"
    assert ArrayStore("word", folder=store.folder).load("a" * 40) is None, "of another kind"
    for content in (b"", b"nonsense", good[:20], good[:-1], good + b"\0"):
        path.write_bytes(content)
        assert store.load("a" * 40) is None
    path.unlink()
    assert store.load("a" * 40) is None
    path.mkdir()
    assert store.load("a" * 40) is None, "a folder"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="FIFOs are a thing of POSIX")
def test_a_fifo_in_the_store_holds_nobody_up(store: ArrayStore) -> None:
    store.folder.mkdir()
    os.mkfifo(store.path("a" * 40))
    assert store.load("a" * 40) is None
    assert store.keep("a" * 40, ARRAYS, FACTS)
    assert store.load("a" * 40) is not None


def test_the_one_not_used_for_the_longest_time_goes_first(tmp_path: Path) -> None:
    store = ArrayStore("thing", most_kept=3, folder=tmp_path)
    for number, key in enumerate("abc"):
        store.keep(key, ARRAYS, {})
        os.utime(store.path(key), ns=(number, number))
    store.load("a")
    store.keep("d", ARRAYS, {})
    assert set(store.keys()) == {"a", "c", "d"}


def test_a_store_that_cannot_be_written_keeps_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = ArrayStore("thing", most_kept=3, folder=tmp_path / "file" / "things")
    assert not store.keep("a" * 40, ARRAYS, FACTS)
    assert store.load("a" * 40) is None
    assert list(store.keys()) == []


def test_the_cache_folder_is_looked_up_when_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ArrayStore("thing")
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    store.keep("a" * 40, ARRAYS, FACTS)
    assert (tmp_path / "cache" / "things" / f"{'a' * 40}.safetensors").is_file()


def test_what_killed_writers_left_is_tidied_away(store: ArrayStore) -> None:
    store.keep("a" * 40, ARRAYS, FACTS)
    store.keep("b" * 40, ARRAYS, FACTS)
    (store.folder / ".aaaa-1234.safetensors").write_text("half")
    store.tidy()
    assert sorted(store.keys()) == ["a" * 40, "b" * 40]
    assert len(list(store.folder.iterdir())) == 2
    store.tidy(keep={"b" * 40})
    assert list(store.keys()) == ["b" * 40]


def test_explicit_files_are_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_arrays(tmp_path / "none", "thing")
    with pytest.raises(InputError, match="not a regular file"):
        load_arrays(tmp_path, "thing")
    path = save_arrays(tmp_path / "some.thing", "thing", ARRAYS, FACTS)
    with pytest.raises(FileFormatError, match="not the word it should be"):
        load_arrays(path, "word")
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(FileFormatError, match="cannot be read"):
        load_arrays(path, "thing")
