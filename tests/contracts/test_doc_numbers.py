"""Numbers in the README and the docs are those of their source."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from math import degrees
from pathlib import Path

import pytest

from footfall.files.scene.read import builtin_scenes
from footfall.generate.actions.catalogue import action_names
from footfall.graph.options import GraphOptions
from footfall.library.default import default_groups, default_names
from footfall.library.fetch.registry import registry
from footfall.papers.safonova_runs import Limits
from footfall.roadmap.options import RoadmapOptions
from footfall.task.stages import STAGES
from footfall.verbs.doctor import EXTRAS
from tests.documented import PROJECT

DOCS = PROJECT / "docs"
WORDS = {"two": 2, "four": 4, "five": 5, "ten": 10, "twelve": 12, "Twelve": 12}
PROJECT_TABLE = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]

STATED = [
    ("README.md", r"(\d+) generated clips", lambda: len(default_names())),
    ("docs/start/first_walk.md", r"all (\d+) default clips", lambda: len(default_names())),
    ("docs/howto/library.md", r"all (\d+) clips", lambda: len(default_names())),
    ("docs/research/default_actions.md", r"set of (\d+) clips", lambda: len(action_names())),
    ("README.md", r"\*\*: (\w+) built in", lambda: len(builtin_scenes())),
    ("docs/concepts/graph.md", r"opens ([\d,]+) nodes ends", lambda: GraphOptions().cap),
    ("docs/research/safonova.md", r"gives up after ([\d,]+) states", lambda: Limits().states),
    ("docs/decisions/0017-postures-by-clustering.md", r"joints, (\d+) cm",
     lambda: round(100 * RoadmapOptions().posture_m)),
    ("docs/start/install.md", r"needs Python (3\.\d+),", lambda: float(oldest_python())),
]  # fmt: skip


def oldest_python() -> str:
    return str(PROJECT_TABLE["requires-python"]).removeprefix(">=")


@pytest.mark.parametrize(("page", "pattern", "source"), STATED)
def test_a_number_in_the_docs_is_that_of_its_source(page, pattern, source) -> None:
    found = re.findall(pattern, (PROJECT / page).read_text("utf-8"))
    assert found, f"{page} does not state {pattern}; correct this test"
    for word in found:
        assert float(WORDS.get(word, word.replace(",", ""))) == source()


def test_tolerances_of_stages_are_those_of_the_code() -> None:
    page = (DOCS / "howto" / "plan.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)\(.*\| ([^|]*) \|$", page, re.M)
    kinds = {kind.__name__: kind for kind in STAGES.values()}
    assert len(rows) >= 7
    for name, tolerance in rows:
        usual = {f.name: f.default for f in fields(kinds[name])}
        for key, number in re.findall(r"`(\w+)` ([\d.]+)", tolerance):
            known = degrees(usual[key]) if key.endswith("_rad") else usual[key]
            assert float(number) == pytest.approx(known), (name, key)


def test_the_docs_list_the_groups_of_default_clips_and_the_sets_to_fetch() -> None:
    page = (DOCS / "howto" / "library.md").read_text("utf-8")
    for name in default_groups():
        assert f"`default:{name}`" in page
    for name in registry():
        assert f"`{name}`" in page


def test_the_docs_list_every_extra_and_variable() -> None:
    install = (DOCS / "start" / "install.md").read_text("utf-8")
    assert set(re.findall(r"`footfall\[(\w+)\]`", install)) == set(EXTRAS)
    assert set(EXTRAS) == set(PROJECT_TABLE["optional-dependencies"])
    sources = "".join(f.read_text("utf-8") for f in (PROJECT / "src").rglob("*.py"))
    read = set(re.findall(r'environ(?:\.get\(|\[)"(FOOTFALL_\w+)"', sources))
    page = (DOCS / "howto" / "command_line.md").read_text("utf-8")
    assert read <= set(re.findall(r"`(FOOTFALL_\w+)`", page))


def test_every_supported_python_is_in_the_workflow_and_the_docs() -> None:
    stated = [c.rsplit(" ", 1)[1] for c in PROJECT_TABLE["classifiers"] if ":: 3." in c]
    workflow = (PROJECT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    assert re.findall(r'"(3\.\d+)"', re.findall(r"python: \[(.*)\]", workflow)[0]) == stated
    install = Path(DOCS / "start" / "install.md").read_text("utf-8")
    assert all(version in install for version in stated)
