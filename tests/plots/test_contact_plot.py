from __future__ import annotations

from pathlib import Path

import pytest

from footfall.errors import InputError
from footfall.plots.contacts import contact_figure, save_contact_plot
from tests.clips import steady


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_contact_plots_are_saved_in_each_format(tmp_path: Path, ending: str) -> None:
    path = save_contact_plot(steady("walk", 1.3, seconds=2.0), tmp_path / f"contacts.{ending}")
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert path.read_bytes().startswith(start)


def test_the_picture_shows_every_stance_flight_and_tag() -> None:
    figure = contact_figure(steady("run", 3.5, seconds=2.0))
    bars, tags = figure.axes[4], figure.axes[6]
    labels = [t.get_text() for t in bars.get_yticklabels()]
    assert labels == ["left heel", "left toes", "right heel", "right toes", "flight"]
    assert [t.get_text() for t in tags.get_yticklabels()] == ["run"]


def test_a_clip_without_contacts_is_drawn_with_the_reason() -> None:
    walk = steady("walk", 1.3, seconds=1.0)
    short = walk[:3].with_contacts(None)
    assert "too short" in contact_figure(short).get_suptitle()


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.png"):
        save_contact_plot(steady("walk", seconds=1.0), tmp_path / "contacts.bmp")
