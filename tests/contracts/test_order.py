"""Tests are handed to workers so that all have as much to do, and none is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import PROJECT
from tests.order import LONG_S, read_durations, spread

SECONDS = {"a": 60.0, "b": 30.0, "c": 20.0, "d": 10.0}


def shares(order: list[int], workers: int) -> list[list[int]]:
    """Split an order as xdist does."""
    left, found = list(order), []
    for worker in range(workers):
        count = len(left) // (workers - worker)
        found.append(left[:count])
        del left[:count]
    return found


@given(st.lists(st.sampled_from("abcdefgh")), st.integers(1, 5))
def test_every_test_is_handed_out_once(files: list[str], workers: int) -> None:
    assert sorted(spread(files, SECONDS, workers)) == list(range(len(files)))


def test_workers_begin_with_as_much_work_in_whole_files() -> None:
    files = [*"abcd" * 3, *"efgh" * 20]
    found = shares(spread(files, SECONDS, 2), 2)
    begun = [{files[k] for k in share} & set(SECONDS) for share in found]
    assert begun == [{"a"}, {"b", "c", "d"}]
    assert [files[k] for k in found[1][:9]] == [*"bbbcccddd"]


def test_only_test_files_that_exist_have_recorded_durations() -> None:
    recorded = read_durations()
    assert all(seconds >= LONG_S for seconds in recorded.values())
    assert [name for name in recorded if not (PROJECT / name).is_file()] == []
