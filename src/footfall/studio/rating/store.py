"""The ratings of a study, in SQLite: raters without names, and their grades."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.errors import InputError, check_whole
from footfall.studio.rating.pool import Pool
from footfall.studio.work import NotFoundError

RATINGS_FILE = "ratings.sqlite"
LEAST, MOST = 1, 10
MOST_RATERS = 100_000
"""More raters than this are not admitted, so that a study's file stays small."""
_TABLES = """
create table if not exists raters (
  number integer primary key, id text not null unique, clips text not null
);
create table if not exists grades (
  rater integer not null references raters (number), clip text not null,
  grade integer not null check (grade between 1 and 10), place integer not null,
  primary key (rater, clip)
);
"""


class GradedAlreadyError(InputError):
    """A rater grades a clip twice."""


@dataclass(frozen=True)
class Rater:
    """A person, known by a number, and the grades so far.

    id      a random word that only the rater's browser knows
    clips   what this rater is shown, in order
    grades  by clip, those given so far
    """

    id: str
    clips: tuple[str, ...]
    grades: dict[str, int]


class Ratings:
    """The ratings of a pool, kept in a study's folder. Any thread may call it."""

    def __init__(self, folder: str | Path, pool: Pool) -> None:
        self.path, self._pool = Path(folder) / RATINGS_FILE, pool
        with self._open() as base:
            base.executescript(_TABLES)

    def add_rater(self) -> Rater:
        """Admit a rater, with clips of the pool in random order."""
        word = secrets.token_urlsafe(12)
        with self._open() as base:
            base.execute("begin immediate")
            number = int(base.execute("select count(*) from raters").fetchone()[0]) + 1
            if number > MOST_RATERS:
                raise InputError(f"the study has {MOST_RATERS} raters, which is the most it takes")
            clips = self._order(number)
            base.execute("insert into raters values (?, ?, ?)", (number, word, json.dumps(clips)))
        return Rater(word, tuple(clips), {})

    def rater(self, id_: str) -> Rater:
        """Return a rater with the grades given so far."""
        with self._open() as base:
            number, clips = self._find(base, id_)
            rows = base.execute("select clip, grade from grades where rater = ?", (number,))
            return Rater(id_, tuple(clips), {str(clip): int(grade) for clip, grade in rows})

    def grade(self, id_: str, clip: object, grade: object) -> None:
        """Keep a rater's grade of a clip."""
        if isinstance(grade, bool) or not isinstance(grade, int):
            raise InputError(
                f"the grade is {str(grade)[:40]!r}", where="grade",
                remedy=f"it takes a whole number from {LEAST} to {MOST}",
            )  # fmt: skip
        grade = check_whole("the grade", grade, LEAST, MOST, where="grade")
        with self._open() as base:
            base.execute("begin immediate")
            number, clips = self._find(base, id_)
            if clip not in clips:
                raise InputError(
                    f"this rater is not shown a clip {str(clip)[:40]!r}", where="clip",
                    remedy="grade one of the clips that the study gave",
                )  # fmt: skip
            (place,) = base.execute(
                "select count(*) from grades where rater = ?", (number,)
            ).fetchone()
            try:
                base.execute("insert into grades values (?, ?, ?, ?)", (number, clip, grade, place))
            except sqlite3.IntegrityError:
                raise GradedAlreadyError(
                    f"clip {clip!r} has a grade already", where="clip",
                    remedy="each clip is graded once",
                ) from None  # fmt: skip

    def grades(self) -> list[tuple[int, str, int]]:
        """Return all grades: number of the rater, clip, grade."""
        with self._open() as base:
            rows = base.execute("select rater, clip, grade from grades order by rater, place")
            return [(int(rater), str(clip), int(grade)) for rater, clip, grade in rows]

    def _order(self, number: int) -> list[str]:
        rng = np.random.default_rng([self._pool.seed, number])
        ids = [clip.id for clip in self._pool.clips]
        return [ids[n] for n in rng.permutation(len(ids))[: self._pool.shown]]

    @staticmethod
    def _find(base: sqlite3.Connection, id_: str) -> tuple[int, list[str]]:
        row = base.execute("select number, clips from raters where id = ?", (id_,)).fetchone()
        if row is None:
            raise NotFoundError(f"there is no rater {id_[:40]!r}", remedy="start the study again")
        return int(row[0]), [str(clip) for clip in json.loads(row[1])]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction, which is rolled back by an error."""
        try:
            with closing(sqlite3.connect(self.path, timeout=20.0, isolation_level=None)) as base:
                try:
                    yield base
                except BaseException:
                    if base.in_transaction:
                        base.rollback()
                    raise
                if base.in_transaction:
                    base.commit()
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"the ratings cannot be kept ({error})", where=str(self.path)
            ) from None
