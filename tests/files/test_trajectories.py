"""Trajectories of people from CSV files: many headings, one reading; bad ones get one sentence."""

from __future__ import annotations

import random

import numpy as np
import pytest

from footfall.errors import FileFormatError
from footfall.files.task.trajectories import load_trajectories, parse_trajectories
from tests.fuzz import check_outcome, damaged

ROWS = ((1, 0.0, 0.5, 1.0), (2, 0.0, 3.0, 1.0), (1, 0.5, 0.5, 1.6), (2, 0.5, 2.4, 1.0))


def written(heading: str, order: str = "itxz", mark: str = ",", comment: str = "") -> str:
    columns = {"i": 0, "t": 1, "x": 2, "z": 3}
    rows = [mark.join(str(row[columns[c]]) for c in order) for row in ROWS]
    return "\n".join([comment, heading, *rows])


@pytest.mark.parametrize(
    "text",
    [
        written("id,t,x,z"),
        written("agent;time;x;y", mark=";"),
        written("x\tz\tt\tid", "xzti", "\t"),
        written("Person Time X Z".lower(), mark=" "),
        written(""),
        written("id,t [s],x [m],z [m]"),
    ],
)
def test_headings_units_and_marks_are_understood(text):
    found = parse_trajectories(text, "people.csv")
    assert [t.name for t in found] == ["1", "2"]
    assert found[0].times == pytest.approx([0.0, 0.5])
    assert found[1].points == pytest.approx(np.array([[3.0, 1.0], [2.4, 1.0]]))


def test_frames_are_times_by_the_rate_of_the_file_or_the_given_one():
    rows = "id,frame,x,y\n7,0,100,0\n7,8,200,0\n"
    found = parse_trajectories("# framerate: 8.00\n" + rows, "jps.csv")
    assert found[0].times == pytest.approx([0.0, 1.0])
    assert parse_trajectories(rows, "jps.csv", 4.0)[0].times == pytest.approx([0.0, 2.0])
    with pytest.raises(FileFormatError, match="no frame rate"):
        parse_trajectories(rows, "jps.csv")


def test_centimetres_are_made_metres():
    found = parse_trajectories("id,t,x [cm],y [cm]\n1,0,100,50\n1,1,200,50\n", "cm.csv")
    assert found[0].points == pytest.approx(np.array([[1.0, 0.5], [2.0, 0.5]]))


def test_rows_out_of_order_and_doubled_are_put_right():
    found = parse_trajectories("id,t,x,z\n1,1,2,0\n1,0,1,0\n1,1,9,9\n", "mixed.csv")
    assert found[0].times == pytest.approx([0.0, 1.0])
    assert found[0].points[1] == pytest.approx([2.0, 0.0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no rows"),
        ("# only a comment\n", "no rows"),
        ("id,t,x\n1,0,0\n", "no column is called z"),
        ("id,x,z\n1,0,0\n", "no column is a time"),
        ("id,t,x,z\n1,0,a,0\n", "not as the heading says"),
        ("id,t,x,z\n1,0,0\n", "not as the heading says"),
        ("id,t,x,z\n1,0,nan,0\n", "not finite"),
        ("id,t,x,z\n1,0,1e9,0\n", "too far away"),
        ("1,2,3\n", "3 numbers"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(text, words):
    with pytest.raises(FileFormatError, match=words):
        parse_trajectories(text, "bad.csv")


def test_damaged_files_give_people_or_one_sentence(tmp_path):
    rng = random.Random(3)
    data = written("id,t,x,z").encode()
    file = tmp_path / "people.csv"
    for _ in range(300):
        file.write_bytes(damaged(data, rng))
        check_outcome(lambda: load_trajectories(file), lambda found: None)


def test_a_heading_in_a_comment_counts_frames_as_jupedsim_writes_them():
    text = "#framerate: 8.00\n#ID\tFR\tX\tY\tZ\n1\t0\t1.0\t2.0\t0.0\n1\t8\t1.5\t3.0\t0.0\n"
    (one,) = parse_trajectories(text, "people.txt")
    assert one.times == pytest.approx([0.0, 1.0])
    assert one.points == pytest.approx(np.array([[1.0, 2.0], [1.5, 3.0]]))


def test_of_y_and_z_the_one_that_changes_is_on_the_ground():
    (one,) = parse_trajectories("id,t,x,y,z\n1,0,0,0.9,3\n1,1,1,0.9,5\n", "people.csv")
    assert one.points[:, 1] == pytest.approx([3.0, 5.0])
    (two,) = parse_trajectories("id,t,x,y,z\n1,0,0,3,1.7\n1,1,1,5,1.7\n", "people.csv")
    assert two.points[:, 1] == pytest.approx([3.0, 5.0])
