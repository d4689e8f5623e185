"""The index of a library is input: whatever it holds, opening is quick and says what is wrong."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.generate.skeleton import default_skeleton
from footfall.library.entry import Entry
from footfall.library.store.index import (
    FORMAT,
    Index,
    Skipped,
    Stamp,
    parse_index,
    read_index,
    write_index,
)

WRONG: tuple[Any, ...] = (
    True, None, -1, 2**63, 10**400, 1.5, float("nan"), float("inf"), "", "../../walk", [], [[]],
    {}, {"a": 1}, [True], ["x", 2**70], [[0.0, 1.0]], [None],
)  # fmt: skip


def some_index() -> Index:
    walk = Entry("walk", ("walk",), 1.0, 30.0, 31, 1.2, "walk.bvh", 60.0, key="ab" * 20)
    image = Entry("walk_mirrored", ("walk",), 1.0, 30.0, 31, mirrored=True, of="walk", key="ab")
    return Index(
        default_skeleton(), 30.0, (walk, image), (Skipped("a.bvh", "it is empty", "cd"),),
        {"walk.bvh": Stamp(100, 10**18, "ef" * 32)}, "sum", "1",
    )  # fmt: skip


@lru_cache
def sound(folder: Path) -> dict[str, Any]:
    write_index(folder / "index.json", some_index())
    facts: dict[str, Any] = json.loads((folder / "index.json").read_bytes().partition(b"\n")[2])
    return facts


def signed(facts: object) -> bytes:
    """The file's content with a checksum that fits."""
    body = json.dumps(facts).encode()
    head = json.dumps({"format": FORMAT, "sha256": hashlib.sha256(body).hexdigest()})
    return head.encode() + b"\n" + body + b"\n"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in nested tables and lists; of long lists the first two."""
    yield path
    keys = value if isinstance(value, dict) else range(min(len(value), 2)) if path and isinstance(
        value, list) else ()  # fmt: skip
    for key in list(keys):
        yield from places(value[key], (*path, key))


def changed(facts: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    facts = copy.deepcopy(facts)
    inner = facts
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return facts


def parsed(facts: object) -> Index | None:
    """The index, or None if it is refused; any other exception is an error of ours."""
    try:
        return parse_index(signed(facts), "index.json")
    except InputError:
        return None


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return sound(tmp_path_factory.mktemp("index"))


def test_an_index_is_read_as_it_was_written(facts: dict[str, Any]) -> None:
    assert parse_index(signed(facts), "index.json") == some_index()


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("character", "roles", "hips"), True, "role hips"),
        (("character", "roles", "head"), 0, "head"),
        (("character", "roles"), [1, 2], "roles"),
        (("character", "roles", "nose"), 3, "nose"),
        (("character", "parents", 3), 2**63, "parents"),
        (("character", "parents"), [-1, 0], "parents"),
        (("character", "offsets", 2, 1), float("nan"), "offsets"),
        (("character", "offsets", 2), [0.0, 1.0], "offsets"),
        (("fps",), 0, "fps"),
        (("entries", 0, "frames"), -3, "entry 0: frames"),
        (("entries", 1, "seconds"), float("inf"), "entry 1: seconds"),
        (("entries", 0, "key"), "../../elsewhere", "key"),
        (("entries", 1, "name"), "walk", "same name"),
        (("entries", 1, "of"), "run", "run"),
        (("stamps", "walk.bvh"), [1, 2], "walk.bvh"),
    ],
)
def test_a_wrong_value_is_refused_by_its_place(
    facts: dict[str, Any], path: tuple[Any, ...], value: Any, named: str
) -> None:
    with pytest.raises(InputError) as caught:
        parse_index(signed(changed(facts, path, value)), "index.json")
    assert "index.json" in str(caught.value)
    assert named in str(caught.value)


def test_every_value_replaced_by_any_other_is_refused_or_a_sound_index(
    facts: dict[str, Any], tmp_path: Path
) -> None:
    tried = 0
    for path in places(facts):
        for value in WRONG:
            tried += 1
            index = parsed(changed(facts, path, value))
            if index is not None:
                write_index(tmp_path / "again.json", index)
                assert read_index(tmp_path / "again.json") == index
    assert tried > 1000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
)


@given(data=st.data())
def test_random_values_anywhere_are_refused_or_read(data: st.DataObject) -> None:
    whole = json.loads(json.dumps(_plain()))
    for path in data.draw(st.lists(st.sampled_from(sorted(places(whole), key=str)), max_size=2)):
        try:
            whole = changed(whole, path, data.draw(JSON))
        except (TypeError, KeyError, IndexError):  # the first change took the second one's place
            continue
    parsed(whole)


@lru_cache
def _plain() -> Any:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return sound(Path(folder))


@pytest.mark.parametrize("data", [b"", b"\n", b"{}\n{}\n", b"[" * 100_000, b"1\n1\n", b"\xff\n"])
def test_what_is_no_index_at_all_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=r"index\.json"):
        parse_index(data, "index.json")
