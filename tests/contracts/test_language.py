"""The lint of names, docstrings and docs finds what it is for."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools import language

MODULE = '''"""A module."""

def chosen(): "Return a thing."
def choose(): "Return a thing."
def thing(): "The thing."
def _speed(): "Tell whoever asks."
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(language, "PACKAGE", tmp_path)
    monkeypatch.setattr(language, "PROJECT", tmp_path)
    file = tmp_path / "example.py"
    file.write_text(MODULE)
    return file


def test_each_rule_finds_its_kind(module: Path) -> None:
    found = {(one.rule, one.text) for one in language.check_module(module)}
    assert found == {
        ("participle", "chosen"), ("no verb first", "The thing."),
        ("banned word", "Tell"), ("banned word", "whoever"), ("banned word", "asks"),
    }  # fmt: skip


def test_long_sentences_are_found_outside_of_tables_and_code() -> None:
    words = " ".join(["word"] * 26)
    assert language.long_sentences(words + ".") == [words + "."]
    assert language.long_sentences(f"`{words}`.") == []
    assert language.long_sentences(f"name  {words}.") == []


def test_a_class_name_with_two_meanings_is_found_once(module: Path) -> None:
    for name in ("one", "two"):
        (module.parent / f"{name}.py").write_text("class Record:\n    pass\n")
    assert [one.text for one in language.check_classes()] == ["Record"]


def test_words_in_code_of_a_page_do_not_count(module: Path) -> None:
    page = module.parent / "page.md"
    page.write_text("Ask `whoever`.\n```\nwho\n```\nIt was told.\n")
    assert [(one.line, one.text) for one in language.check_page(page)] == [(5, "told")]


def test_more_findings_than_allowed_fail_and_update_never_raises(
    module: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(language, "ALLOWED", module.parent / "allowed.txt")
    (module.parent / "README.md").touch()
    assert language.main([]) == 1
    language.main(["--update"])
    assert language.main([]) == 0
    module.write_text(MODULE + 'def told(): "Return it."\n')
    assert language.main([]) == 1
    language.main(["--update"])
    assert language.main([]) == 1
    assert "told" in capsys.readouterr().out
