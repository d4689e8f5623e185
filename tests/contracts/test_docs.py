"""The examples in the README and the docs are run as they stand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from footfall import save
from footfall.generate.gait.steady import steady
from footfall.task.method import SYSTEMS, find_method, method_names
from footfall.task.options import option_rows
from footfall.task.verify.limits import RULES
from tests.documented import PAGES, PROJECT, blocks, commands
from tests.program import run_program
from tests.sweeps import THOROUGH

CHECKED_ELSEWHERE = ("reproduce", "demo", "warmup")
"""Long work, which the tests in `tests/papers`, `tests/verbs` and `test_warmup.py` do."""


def is_run_here(line: str) -> bool:
    return THOROUGH or line.split()[1] not in CHECKED_ELSEWHERE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the clips that the examples speak of; default clips come from the cache."""
    monkeypatch.chdir(tmp_path)
    clip = steady(seconds=1.2, fps=60)
    for name in ("walk.bvh", "walk.glb", "hero.glb", "takes/one.bvh", "takes/two.bvh"):
        save(clip, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(("page", "code"), blocks("python"))
def test_python_examples_run(page: str, code: str, folder: Path) -> None:
    exec(compile(code, page, "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("line", list(filter(is_run_here, commands())))
def test_shell_examples_run(line: str, folder: Path) -> None:
    words = [
        str(match) for word in shlex.split(line)[1:]
        for match in (sorted(folder.glob(word)) if "*" in word else [word])
    ]  # fmt: skip
    done = run_program(*words)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(PROJECT)))
def test_links_between_pages_and_pictures_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), f"{page.name} points to {target}"


def test_the_page_of_a_method_lists_its_options_as_they_are() -> None:
    for name in set(SYSTEMS) & set(method_names()):
        page = (PROJECT / "docs" / f"{name}.md").read_text()
        for option, usual, text in option_rows(find_method(name).Options):
            assert f"| `{option}` | {usual} | {text} |" in page


def test_the_page_of_verify_lists_its_limits_as_they_are() -> None:
    page = (PROJECT / "docs" / "verify.md").read_text()
    for name, rule in RULES.items():
        (row,) = re.findall(rf"^\| {re.escape(name)} \| (.*) \| .* \|$", page, re.M)
        shown = [float(number) for number in re.findall(r"[\d.]+", row)]
        assert shown == [abs(rule.usual), abs(rule.floor), abs(rule.cap)], name
