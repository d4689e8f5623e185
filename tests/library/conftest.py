"""Clips that the tests of libraries share: made once, copied for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.library.folders import folder_of_walks


@pytest.fixture(scope="session")
def three_walks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of_walks(tmp_path_factory.mktemp("walks"))


@pytest.fixture
def walks(three_walks: Path, tmp_path: Path) -> Path:
    """A folder of three walks: BVH, GLB (of a smaller character) and NPZ."""
    return Path(shutil.copytree(three_walks, tmp_path / "takes"))
