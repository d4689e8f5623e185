"""A report of headings, text, tables and pictures, written as Markdown and as one HTML page."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from footfall.files.atomic import write_bytes_atomically


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 2


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class ReportTable:
    """`caption` under `columns` with `rows` of text; the first column is a name."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Picture:
    """A PNG; it lies beside the Markdown file under `name`.png and inside the HTML page."""

    caption: str
    name: str
    png: bytes = field(repr=False)


Block = Heading | Text | ReportTable | Picture


def document_files(stem: Path) -> tuple[Path, Path]:
    """Return the Markdown file and the HTML page that a stem, with or without a suffix, means."""
    if stem.suffix.lower() in (".md", ".html"):
        stem = stem.with_suffix("")
    return stem.with_name(f"{stem.name}.md"), stem.with_name(f"{stem.name}.html")


def write_document(title: str, blocks: Sequence[Block], stem: Path) -> tuple[Path, Path]:
    """Write `stem`.md with its pictures and the self-contained `stem`.html; give both paths."""
    markdown, page = document_files(stem)
    pictures = markdown.with_name(f"{markdown.stem}_pictures")
    for block in blocks:
        if isinstance(block, Picture):
            write_bytes_atomically(pictures / f"{block.name}.png", block.png)
    parts = [f"# {title}", *(_as_markdown(block, pictures.name) for block in blocks)]
    write_bytes_atomically(markdown, ("\n\n".join(parts) + "\n").encode())
    write_bytes_atomically(page, _as_page(title, blocks).encode())
    return markdown, page


def _as_markdown(block: Block, folder: str) -> str:
    if isinstance(block, Heading):
        return "#" * block.level + " " + block.text
    if isinstance(block, Text):
        return block.text
    if isinstance(block, Picture):
        return f"![{block.caption}]({folder}/{block.name}.png)\n\n*{block.caption}*"
    lines = [list(block.columns), ["---", *["---:"] * (len(block.columns) - 1)], *block.rows]
    rows = "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
    return f"{rows}\n\n*{block.caption}*"


def _as_page(title: str, blocks: Sequence[Block]) -> str:
    body = "\n".join(_as_html(block) for block in blocks)
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<meta name='viewport' content='width=device-width'><title>{html.escape(title)}</title>"
        f"<style>{_STYLE}</style></head><body><h1>{html.escape(title)}</h1>\n{body}\n"
        "</body></html>\n"
    )


def _as_html(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{html.escape(block.text)}</h{block.level}>"
    if isinstance(block, Text):
        return "".join(f"<p>{html.escape(part)}</p>" for part in block.text.split("\n\n"))
    caption = html.escape(block.caption)
    if isinstance(block, Picture):
        data = base64.b64encode(block.png).decode()
        source = f"data:image/png;base64,{data}"
        return (
            f"<figure><img alt='{html.escape(block.caption, quote=True)}' src='{source}'>"
            f"<figcaption>{caption}</figcaption></figure>"
        )
    head = "".join(f"<th>{html.escape(str(cell))}</th>" for cell in block.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in block.rows
    )
    return (
        f"<figure><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<figcaption>{caption}</figcaption></figure>"
    )


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;"
    "color:#1d2733}figure{margin:1.5rem 0}img{max-width:100%}table{border-collapse:collapse}"
    "td,th{padding:.25rem .7rem;border-bottom:1px solid #d8dee6;text-align:right}"
    "td:first-child,th:first-child{text-align:left}figcaption{color:#5b6878;font-size:.9rem}"
    "p{max-width:48rem}"
)
