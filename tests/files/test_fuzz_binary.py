"""Damaged binary files by the hundred: each is read, or refused in one short sentence."""

from __future__ import annotations

import random

import pytest

from tests.files.fuzz_binary import TARGETS

CASES = 120


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_files_are_read_or_refused_in_one_sentence(tmp_path, name):
    if name == "usda":
        pytest.importorskip("pxr")
    for case in range(CASES):
        folder = tmp_path / str(case)
        folder.mkdir()
        TARGETS[name](random.Random(f"2003:{case}"), folder)
