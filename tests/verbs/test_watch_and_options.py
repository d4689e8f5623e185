"""News and cancelling, and options that check themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.task import Cancelled, News, Watch
from footfall.task.options import Options, make_options, option, option_rows, parse_options
from footfall.task.watch import as_watch


@given(st.lists(st.floats(-1.0, 2.0), max_size=20))
def test_news_never_go_back_and_stay_within_0_and_1(shares):
    heard: list[News] = []
    watch = Watch(heard.append)
    for share in shares:
        watch.tell(share)
    out = [news.share for news in heard]
    assert out == sorted(out)
    assert all(0.0 <= share <= 1.0 for share in out)


@given(st.floats(0.0, 0.4), st.floats(0.6, 1.0), st.lists(st.floats(0.0, 1.0), max_size=8))
def test_a_part_of_the_work_reports_between_its_bounds(first, last, shares):
    heard: list[News] = []
    part = Watch(heard.append).part(first, last)
    for share in shares:
        part.part(0.2, 0.8).tell(share)
    span = last - first
    low, high = first + 0.2 * span - 1e-9, first + 0.8 * span + 1e-9
    assert all(low <= news.share <= high for news in heard)


def test_news_that_a_part_hears_reach_the_listener_of_the_whole():
    heard: list[News] = []
    part = Watch(heard.append).part(0.2, 0.6)
    part.hear(News(0.5, cost=3.0))
    assert heard == [News(0.4, cost=3.0)]
    assert part.latest == heard[0]


def test_cost_bound_and_note_are_remembered_until_there_is_better_news():
    heard: list[News] = []
    watch = Watch(heard.append)
    watch.tell(0.1, cost=5.0, note="first")
    watch.tell(0.5, bound=2.0)
    assert heard[-1] == News(0.5, 5.0, 2.0, "first")


def test_cancelling_raises_a_flag_that_parts_share():
    watch = Watch()
    part = watch.part(0.0, 0.5)
    watch.cancel()
    assert part.flag[0] == 1
    with pytest.raises(Cancelled):
        part.tell(0.1)


def test_what_is_made_once_and_kept_takes_no_time_of_planning(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("footfall.task.watch.time.perf_counter", lambda: clock[0])
    watch = Watch()
    watch.deadline = 100.5
    part = watch.part(0.0, 0.5)
    with part.untimed():
        clock[0] += 2.0
        part.tell(0.5)
        assert not watch.is_over
    assert watch.deadline == 102.5
    watch.cancel()
    with pytest.raises(Cancelled), watch.untimed():
        part.tell(0.6)


def test_time_that_is_over_is_told_apart_from_cancelling():
    watch = Watch()
    watch.deadline = 0.0
    assert watch.is_over
    assert watch.out_of_time
    other = Watch()
    other.cancel()
    assert other.is_over
    assert not other.out_of_time
    assert other.deadline == math.inf


def test_what_is_no_watch_is_refused():
    with pytest.raises(InputError, match="give a function or a Watch"):
        as_watch(3)


@dataclass(frozen=True)
class SomeOptions(Options):
    """Options of a test."""

    pace: float = option(1.0, "how quick", least=0.1, most=3.0)
    kind: str = option("a", "which", valid=("a", "b"))
    count: int | None = option(None, "how many", least=1)
    loud: bool = option(False, "whether")


def test_text_becomes_what_an_option_takes():
    words = {"pace": "2.5", "kind": "b", "count": "3", "loud": "yes"}
    made = make_options(SomeOptions, parse_options(SomeOptions, words), "some")
    assert made == SomeOptions(2.5, "b", 3, True)
    assert parse_options(SomeOptions, {"count": "none"}) == {"count": None}


@pytest.mark.parametrize(
    ("given_", "says"),
    [
        ({"pace": 9.0}, "pace is 9.0; it must be at least 0.1 and at most 3"),
        ({"pace": math.nan}, "pace is nan"),
        ({"pace": "quick"}, "the option pace is 'quick'; it takes a number"),
        ({"pace": True}, "it takes a number"),
        ({"kind": "c"}, "there is no kind 'c'; choose one of a, b"),
        ({"count": 0}, "count is 0; it must be at least 1"),
        ({"count": 1.5}, "it takes a whole number"),
        ({"loud": 1}, "it takes true or false"),
        ({"paces": 1.0}, "some has no option 'paces'; did you mean pace"),
    ],
)
def test_a_wrong_option_is_one_sentence_with_what_would_be_right(given_, says):
    with pytest.raises(InputError) as caught:
        make_options(SomeOptions, given_, "some")
    assert says in str(caught.value)


def test_numbers_of_numpy_are_numbers():
    made = make_options(SomeOptions, {"pace": np.float32(2.0), "count": np.int64(4)}, "some")
    assert (made.pace, type(made.count)) == (2.0, int)


def test_rows_of_help_name_bounds_and_choices():
    rows = {name: (usual, text) for name, usual, text in option_rows(SomeOptions)}
    assert rows["pace"] == ("1", "how quick (at least 0.1 and at most 3)")
    assert rows["kind"] == ("a", "which (a, b)")
    assert rows["count"] == ("–", "how many (at least 1)")
