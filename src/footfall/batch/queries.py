"""The queries of a batch: one task per line of JSON, or a TOML file that spans many.

    {"scene": "room", "from": [-2.4, -2.6], "to": [2.9, 2.3], "method": "graph", "seed": 4}

A TOML file has the keys that all queries share, a grid of which every combination is planned, and
what is drawn at random for each combination:

    [task]
    library = "default:basten"

    [grid]
    scene = ["room", "plaza"]
    speed = [1.0, 1.4]

    [sample]
    count = 5                 # of each combination
    distance_m = [2.0, 8.0]   # from start to goal, drawn from the free floor of the scene
    speed = [0.8, 1.6]        # drawn between two values

Files are named from the folder of the query file.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footfall import __version__
from footfall.batch.inputs import Inputs, InputTree, hash_text, replace_names
from footfall.batch.sampling import Sampler, check_sample
from footfall.errors import FileFormatError, InputError, check_whole, choices
from footfall.files.text import read_text
from footfall.safe_open import check_regular, open_regular
from footfall.task.file import KEYS, resolve_files
from footfall.toml import toml_table

SUFFIXES = (".jsonl", ".toml")
_LONGEST_LINE = 1 << 20
_LARGEST_TOML = 8 << 20
_TABLES = ("task", "grid", "sample")


@dataclass(frozen=True)
class BatchQuery:
    """One query of a batch.

    number   its place in the batch, from 0
    where    its place in the file, for people
    key      the hash of its content, of the files that it names, and of the version
    table    the keys and values of a task; empty if it cannot be read
    trees    the files that it names, by name
    problem  one sentence on why it cannot be read; "" if it can
    """

    number: int
    where: str
    key: str
    table: Mapping[str, Any]
    trees: Mapping[str, InputTree]
    problem: str = ""

    @property
    def name(self) -> str:
        """What the task is called; its place in the file if it has no name."""
        name = self.table.get("name")
        return name if isinstance(name, str) and name else self.where


class Queries:
    """The queries in a file, read anew each time they are iterated over.

    seed  of queries that state none, and of what is drawn
    """

    def __init__(self, file: str | Path, seed: int = 0) -> None:
        self.file, self.seed = Path(file), check_whole("the seed", seed, 0, 2**31 - 1)
        self.inputs = Inputs()
        if self.file.suffix.lower() not in SUFFIXES:
            remedy = choices(SUFFIXES, self.file.suffix)
            raise FileFormatError("this is no file of queries", where=self.file.name, remedy=remedy)
        check_regular(self.file)
        self._spans = self.file.suffix.lower() == ".toml"
        self._span = read_span(self.file) if self._spans else None
        self._count = len(self._span) if self._span else sum(1 for _ in self._lines())

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[BatchQuery]:
        made = self._sample_tasks() if self._span is not None else self._read_tasks()
        for number, (where, table, problem) in enumerate(made):
            if not problem:
                table = resolve_files({"seed": self.seed, **table}, self.file.parent.absolute())
                problem = _unknown_key(table)
            trees = {} if problem else self.inputs.trees(table)
            key = query_key(table, trees) if table else hash_text(f"{where} {problem}")
            yield BatchQuery(number, where, key, table, trees, problem)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number and the content of each line that is not empty."""
        with open_regular(self.file) as file:
            number = 0
            while line := file.readline(_LONGEST_LINE + 1):
                number += 1
                rest = line
                while len(rest) > _LONGEST_LINE and not rest.endswith(b"\n"):
                    rest = file.readline(_LONGEST_LINE + 1)
                if line.strip():
                    yield number, line

    def _read_tasks(self) -> Iterator[tuple[str, dict[str, Any], str]]:
        for number, line in self._lines():
            where = f"{self.file.name}, line {number}"
            table, problem = _parse_line(line)
            yield where, table, problem

    def _sample_tasks(self) -> Iterator[tuple[str, dict[str, Any], str]]:
        assert self._span is not None
        sampler = Sampler(self._span.sample, self.seed, self.file.parent.absolute())
        for number, table in enumerate(self._span.tables()):
            where = f"{self.file.name}, query {number + 1}"
            try:
                yield where, sampler.fill(table, number), ""
            except InputError as error:
                yield where, {}, " ".join(str(error).split())


def query_key(table: Mapping[str, Any], trees: Mapping[str, InputTree]) -> str:
    """Return the hash of a query's content; the name of a file counts, its folder does not."""

    def address(name: str) -> str:
        return f"{trees[name].name}:{trees[name].address}" if name in trees else name

    content = replace_names({k: v for k, v in table.items() if k != "name"}, address)
    return hash_text(json.dumps([__version__, content], sort_keys=True, default=str))


def _parse_line(line: bytes) -> tuple[dict[str, Any], str]:
    """Return the table in a line of JSON, or the sentence on why there is none."""
    if len(line) > _LONGEST_LINE:
        return {}, f"the line is longer than {_LONGEST_LINE >> 20} MB"
    try:
        table = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        why = str(error).partition(": line")[0] if isinstance(error, ValueError) else "too deep"
        return {}, f"the line is no valid JSON ({why})"
    if not isinstance(table, dict):
        return {}, 'the line is no JSON object; write the keys of a task like {"to": [0, 5]}'
    return table, ""


def _unknown_key(table: Mapping[str, Any]) -> str:
    for key in table:
        if key not in KEYS:
            return f"there is no key {key[:40]!r}; {choices(KEYS, key)}"
    return ""


# ---- files that span queries ------------------------------------------------------------


@dataclass(frozen=True)
class Span:
    """What a TOML file spans: shared keys, the values of the grid, and how often each is drawn."""

    task: Mapping[str, Any]
    grid: Mapping[str, list[Any]]
    sample: Mapping[str, Any]

    def __len__(self) -> int:
        count = int(self.sample.get("count", 1))
        for values in self.grid.values():
            count *= len(values)
        return count

    def tables(self) -> Iterator[dict[str, Any]]:
        """Yield the table of each query before anything is drawn."""
        for values in itertools.product(*self.grid.values()):
            for _ in range(int(self.sample.get("count", 1))):
                yield {**self.task, **dict(zip(self.grid, values, strict=True))}


def read_span(file: Path) -> Span:
    """Return what a TOML file spans; an InputError says what is wrong with it."""
    tables = toml_table(read_text(file, _LARGEST_TOML), file.name)
    for key, value in tables.items():
        if key not in _TABLES:
            remedy = choices(_TABLES, key)
            raise FileFormatError(f"there is no table {key[:40]!r}", where=file.name, remedy=remedy)
        if not isinstance(value, Mapping):
            raise FileFormatError(f"{key} is no table", where=file.name, remedy=f"write [{key}]")
    task, grid, sample = (dict(tables.get(name, {})) for name in _TABLES)
    for name, table in (("task", task), ("grid", grid)):
        for key in table:
            if key not in KEYS:
                where = f"{file.name}, [{name}]"
                raise FileFormatError(f"there is no key {key!r}", where=where,
                                      remedy=choices(KEYS, key))  # fmt: skip
    for key, values in grid.items():
        if not isinstance(values, list) or not values:
            remedy = "write what it takes in turn, like [1.0, 1.4]"
            where = f"{file.name}, [grid]"
            raise FileFormatError(f"{key} is no list of values", where=where, remedy=remedy)
    try:
        check_sample(sample)
    except InputError as error:
        raise error.at(f"{file.name}, [sample]") from None
    return Span(task, grid, sample)
