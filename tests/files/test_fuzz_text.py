"""Damaged text files give a motion or one clear sentence. The long run: `python -m tests.fuzz`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.files import bvh
from footfall.files.options import ReadOptions
from tests.files import fuzz_text
from tests.fuzz import check_outcome
from tests.sweeps import examples


@pytest.mark.parametrize("name", list(fuzz_text.TARGETS))
@pytest.mark.parametrize("batch", range(4))
def test_damaged_files_give_a_motion_or_one_sentence(tmp_path: Path, name: str, batch: int) -> None:
    for case in range(60 * batch, 60 * (batch + 1)):
        fuzz_text.TARGETS[name](random.Random(f"{name}:{case}"), tmp_path)


def test_a_file_cut_anywhere_gives_a_motion_or_one_sentence(tmp_path: Path) -> None:
    data = fuzz_text.bvh_text(random.Random(4), tmp_path).encode()
    path = tmp_path / "cut.bvh"
    outcomes = set()
    for length in range(0, len(data), 3):
        path.write_bytes(data[:length])
        outcome = check_outcome(lambda: bvh.read(path, ReadOptions()), fuzz_text.check_raw)
        outcomes.add(bool(outcome))
    assert outcomes == {True, False}


@given(st.binary(max_size=400), st.integers(0, 3))
@examples(150)
def test_any_bytes_in_any_place_give_a_motion_or_one_sentence(
    tmp_path_factory, noise: bytes, place: int
) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.getbasetemp()
    data = fuzz_text.bvh_text(random.Random(7), folder).encode()
    at = (0, data.index(b"OFFSET") + 7, data.index(b"Frames"), len(data) - 20)[place]
    path = folder / "noise.bvh"
    path.write_bytes(data[:at] + noise + data[at:])
    check_outcome(lambda: bvh.read(path, ReadOptions()), fuzz_text.check_raw)
