"""The walks and the yard that plans are tried with; pictures drawn without a process beside."""

from collections.abc import Iterator

import pytest

from tests.program import drawing_here
from tests.verbs.fixtures import few_takes, takes, walks, yard

__all__ = ["few_takes", "takes", "walks", "yard"]


@pytest.fixture(autouse=True)
def _pictures_are_drawn_here() -> Iterator[None]:
    with drawing_here():
        yield
