"""The examples in the README and the docs are run as they stand."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import typer
from tools import reference

from footfall import save
from footfall.cli.app import app
from footfall.generate.gait.steady import steady
from footfall.render.player.page import is_built
from footfall.task.verify.limits import RULES
from tests.documented import PAGES, PROJECT, blocks, commands
from tests.program import run_program
from tests.sweeps import THOROUGH

CHECKED_ELSEWHERE = ("reproduce", "demo", "warmup")
"""Long work, which the tests in `tests/papers`, `tests/verbs` and `test_warmup.py` do."""


def parts_of(line: str) -> set[tuple[str, str]]:
    """Return what a command shows: its options, kinds of files, scenes and other names.

    Numbers do not count: `--width 320` shows as much as `--width 900`. Nor do names of outputs.
    """
    words = re.sub(r" out/(\w*)(?=\.|/? |/?$)", " out", line).replace(",", " ").split()[1:]
    shown = {Path(word).suffix or word for word in words if not re.fullmatch(r"[\d.=-]+", word)}
    return {(words[0], one) for one in shown}


def choose_commands() -> list[str]:
    """Return commands that together show all that the docs show; all in `make test-all`."""
    if THOROUGH:
        return commands()
    shown = {line: parts_of(line) for line in commands()}
    left = {line: s for line, s in shown.items() if line.split()[1] not in CHECKED_ELSEWHERE}
    chosen, missing = [], set().union(*left.values())
    while missing:
        best = max(left, key=lambda line: len(left[line] & missing))
        chosen.append(best)
        missing -= left[best]
    return chosen


@pytest.fixture(scope="module")
def takes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The clips that the examples speak of."""
    folder = tmp_path_factory.mktemp("docs")
    clip = steady(seconds=1.2, fps=60)
    for name in ("walk.bvh", "walk.glb", "takes/one.bvh"):
        save(clip, folder / name)
    shutil.copy(folder / "walk.glb", folder / "hero.glb")
    shutil.copy(folder / "takes/one.bvh", folder / "takes/two.bvh")
    return folder


@pytest.fixture
def folder(takes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with those clips; default clips come from the cache, and pictures are small."""
    here = Path(shutil.copytree(takes, tmp_path / "here"))
    monkeypatch.chdir(here)
    if not THOROUGH:
        monkeypatch.setattr("footfall.verbs.render._SHEET_WIDTH", 600)
        monkeypatch.setattr("footfall.verbs.render._FILM_WIDTH", 160)
    return here


@pytest.mark.usefixtures("few_footholds")
@pytest.mark.parametrize(("page", "code"), blocks("python"))
def test_python_examples_run(page: str, code: str, folder: Path) -> None:
    exec(compile(code, page, "exec"), {"__name__": "__main__"})


def words_of(line: str, folder: Path) -> list[str]:
    """Return the words after `footfall`, with the files that a shell would put in.

    Pictures are smaller than they are asked for.
    """
    if not THOROUGH:
        line = re.sub(r"(--width|--height) (\d+)", lambda m: f"{m[1]} {int(m[2]) // 3}", line)
    return [
        str(match) for word in shlex.split(line)[1:]
        for match in (sorted(folder.glob(word)) if "*" in word else [word])
    ]  # fmt: skip


@pytest.mark.usefixtures("few_footholds")
@pytest.mark.parametrize("line", choose_commands())
def test_shell_examples_run(line: str, folder: Path) -> None:
    if ".html" in line and not is_built():
        pytest.skip("the player is not built: it needs Node.js")
    words = words_of(line, folder)
    if "-o" in words:  # a clip of the examples, which stands for what this command writes
        target = folder / words[words.index("-o") + 1]
        target.unlink() if target.is_file() else None
    done = run_program(*words)
    assert done.returncode == 0, done.stderr


def test_shell_examples_are_understood(folder: Path) -> None:
    """Words and options of every command are known, and files that have to exist do."""
    for line in commands():
        words, context = words_of(line, folder), None
        command: Any = typer.main.get_command(app)
        while hasattr(command, "resolve_command"):
            context = command.make_context("footfall", words, parent=context)
            words = [*context._protected_args, *context.args]
            _, command, words = command.resolve_command(context, words)
        command.make_context(command.name, words, parent=context)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(PROJECT)))
def test_links_between_pages_and_pictures_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), f"{page.name} points to {target}"


@pytest.mark.parametrize("page", reference.PAGES)
def test_reference_pages_are_what_the_code_says(page: str) -> None:
    written = (PROJECT / "docs" / "reference" / page).read_text("utf-8")
    assert written == reference.PAGES[page](), "run: python -m tools.reference"


def test_every_page_is_in_the_navigation_once() -> None:
    """Decisions are listed by their own index."""
    listed = re.findall(r": ([\w/]+\.md)$", (PROJECT / "mkdocs.yml").read_text(), re.M)
    docs = PROJECT / "docs"
    pages = {str(page.relative_to(docs).as_posix()) for page in docs.rglob("*.md")}
    assert sorted(listed) == sorted(p for p in pages if not re.match(r"decisions/\d", p))


def test_the_page_of_verify_lists_its_limits_as_they_are() -> None:
    page = (PROJECT / "docs" / "concepts" / "verify.md").read_text()
    for name, rule in RULES.items():
        (row,) = re.findall(rf"^\| {re.escape(name)} \| (.*) \| .* \|$", page, re.M)
        shown = [float(number) for number in re.findall(r"[\d.]+", row)]
        assert shown == [abs(rule.usual), abs(rule.floor), abs(rule.cap)], name
