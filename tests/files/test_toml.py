"""TOML text: keys of thousands of parts are refused before they cost memory, and nothing else."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from footfall.body.roles import load_role_overrides
from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.files.task.paths import load_path
from footfall.library.library import open_library
from footfall.task.file import load_task
from footfall.toml import MOST_PARTS, toml_table

LONG = "a" + ".a" * 60_000
QUOTED = '"a,["' + '."a,["' * 60_000


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG} = 1",
        f"{QUOTED} = 1",
        f"[{LONG}]",
        f"[[{LONG}]]",
        f"x = 1\ny = {{ z = 1, {LONG} = 2 }}",
        f'"\\\\".{LONG}."q" = 1',
        f'x = {{ d = """a"""", {LONG} = "q" }}',
        f"x = {{ d = '''a\n don't ''', {LONG} = 'q' }}",
        f'x = """\n"" \\"""" # """\n{LONG} = """',
        f"'\"' . {LONG} = 1",
    ],
    ids=range(10),
)
def test_a_key_of_thousands_of_parts_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=rf"x\.toml, line \d: a key has more than {MOST_PARTS}"):
        toml_table(text, "x.toml")


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * (MOST_PARTS - 1) + " = 1",
        "x = '" + "a." * 500 + "'",
        'x = "' + "a." * 500 + '"',
        "x = '''\n" + "a." * 500 + "\n'''",
        'x = """\n\\"' + "a." * 500 + '\n"""',
        "x = 1 # " + "a." * 500,
        "x = [" + "1.5, " * 500 + "]",
        "x = " + "{a = " * 40 + "1.5" + "}" * 40,
    ],
    ids=range(8),
)
def test_dots_elsewhere_do_not_matter(text: str) -> None:
    assert toml_table(text, "x.toml") == tomllib.loads(text)


VALUES = st.recursive(
    st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(min_size=1, max_size=12), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(min_size=1, max_size=12), VALUES, max_size=5))
def test_whatever_is_written_is_read(table: dict[str, Any]) -> None:
    text = tomlkit.dumps(table)
    assert toml_table(text, "x.toml") == tomllib.loads(text)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("task.toml", load_task),
        ("scene.toml", load_scene),
        ("path.toml", load_path),
        ("roles.toml", load_role_overrides),
        ("library/library.toml", lambda file: open_library(file.parent)),
        ("person/performer.toml", lambda file: open_library(file.parent)),
    ],
)
def test_every_reader_of_toml_is_bounded(name: str, read: Any, tmp_path: Path) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"format = 1\n{LONG} = 1\n")
    with pytest.raises(InputError, match="line 2: a key has more than"):
        read(file)
