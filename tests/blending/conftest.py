"""A blend space of Park's twenty clips, made once."""

from __future__ import annotations

import pytest

from footfall.adapt.steps.standing import stand_like
from footfall.blending.build import build_space
from footfall.library.library import open_library


@pytest.fixture(scope="session")
def park():
    return tuple(open_library("default:park"))


@pytest.fixture(scope="session")
def space(park):
    return build_space(park, stand_like(park[0]))
