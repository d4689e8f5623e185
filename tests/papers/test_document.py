"""A report comes out as Markdown with pictures beside it and as one page with all inside."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from footfall.papers.document import Heading, Picture, ReportTable, Text, write_document

BLOCKS = (
    Heading("One & two"),
    Text("Some <text>."),
    ReportTable("A table", ("what", "ours"), (("a<b", "1.0"), ("c", "2"))),
    Picture("A picture", "plot", b"\x89PNG not really"),
)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_both_files_hold_every_block(tmp_path: Path) -> None:
    markdown, page = write_document("A title", BLOCKS, tmp_path / "basten")
    text = markdown.read_text()
    assert "| a<b | 1.0 |" in text
    assert "## One & two" in text
    assert (tmp_path / "basten_pictures" / "plot.png").read_bytes() == b"\x89PNG not really"
    assert "(basten_pictures/plot.png)" in text
    tags = Tags()
    tags.feed(page.read_text())
    assert tags.seen.count("td") == 4
    assert "img" in tags.seen
    assert "a<b" in tags.text
    assert "Some <text>." in tags.text
    assert "http" not in page.read_text()


def test_a_stem_may_hold_dots_and_may_end_as_the_files_do(tmp_path: Path) -> None:
    for stem, name in (("v1.2", "v1.2"), ("report.md", "report"), ("deep/page.html", "deep/page")):
        files = write_document("A title", [Heading("One")], tmp_path / stem)
        assert files == (tmp_path / f"{name}.md", tmp_path / f"{name}.html")
        assert all(file.is_file() for file in files)
