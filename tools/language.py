"""Check the language of docstrings, names, messages and docs.

    python -m tools.language            # fail if a count is higher than tools/language_allowed.txt
    python -m tools.language --list     # print every finding
    python -m tools.language --update   # lower the allowed counts to what is found

Rules: docstrings of functions start with a verb; banned words; function names that are a bare
participle; class names with two meanings; sentences of more than 25 words in docstrings. The file
of allowed counts holds what was there before, by rule and package. It may only become shorter.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PACKAGE = PROJECT / "src" / "footfall"
ALLOWED = PROJECT / "tools" / "language_allowed.txt"
MOST_WORDS = 25
NOT_VERBS = {
    "a", "all", "an", "and", "any", "as", "at", "both", "by", "each", "every", "for", "from", "how",
    "in", "it", "its", "no", "none", "of", "on", "one", "only", "our", "some", "such", "that",
    "the", "their", "there", "these", "this", "those", "to", "two", "what", "when", "where",
    "whether",
    "which", "who", "whose", "why", "with", "within", "without",
}  # fmt: skip
"""Words that begin a noun phrase or a clause."""
BANNED = re.compile(
    r"\b(who|whoever|whom|told|tells?|asks|so many|at hand|dear|nought|of now|is said|gone|"
    r"hears?)\b",
    re.IGNORECASE,
)
PARTICIPLE = re.compile(
    r"^([a-z]+ed|[a-z]+ing|told|chosen|known|found|kept|made|shown|held|given|taken|drawn|left|put|said|"
    r"seen|sent|set|stood|gone|met|built|cut|read|led)$"
)
NO_PARTICIPLES = {
    "put", "set", "cut", "read", "need", "feed", "embed", "bring", "speed", "string", "thing",
    "ring", "heading", "footing",
}  # fmt: skip
CODE_OF_PAGE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
CODE = re.compile(r"`[^`]*`|\(.*?\)|\[.*?\]")


@dataclass(frozen=True)
class Finding:
    """One place that breaks a rule."""

    rule: str
    place: str
    file: str
    line: int
    text: str


def findings() -> list[Finding]:
    """Return every finding in the package and the docs."""
    found = [one for file in sorted(PACKAGE.rglob("*.py")) for one in check_module(file)]
    pages = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
    return found + check_classes() + [one for page in pages for one in check_page(page)]


def check_module(file: Path) -> Iterator[Finding]:
    """Yield the findings of one module: its docstrings, names and messages."""
    place = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    name = str(file.relative_to(PROJECT).as_posix())
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for match in BANNED.finditer(node.value):
                yield Finding("banned word", place, name, node.lineno, match[0])
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            continue
        text = ast.get_docstring(node) or ""
        line = getattr(node, "lineno", 1)
        for sentence in long_sentences(text):
            yield Finding("long sentence", place, name, line, sentence)
        if isinstance(node, ast.FunctionDef):
            yield from _check_function(node, text, place, name)


def _check_function(node: ast.FunctionDef, text: str, place: str, name: str) -> Iterator[Finding]:
    word = node.name.strip("_")
    if PARTICIPLE.match(word) and word not in NO_PARTICIPLES and not node.decorator_list:
        yield Finding("participle", place, name, node.lineno, node.name)
    is_property = any("property" in ast.unparse(one) for one in node.decorator_list)
    first = re.match(r"[A-Za-z]+", text)
    if text and not is_property and (first is None or first[0].lower() in NOT_VERBS):
        yield Finding("no verb first", place, name, node.lineno, text.split("\n")[0])


def check_classes() -> list[Finding]:
    """Return the class names that are used twice or more."""
    homes: dict[str, list[tuple[Path, int]]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name.strip("_"), []).append((file, node.lineno))
    return [
        Finding("class name twice", "all", str(files[1][0].relative_to(PROJECT)), files[1][1], name)
        for name, files in homes.items() if len(files) > 1
    ]  # fmt: skip


def check_page(page: Path) -> Iterator[Finding]:
    """Yield the banned words of a page outside of code."""
    text = CODE_OF_PAGE.sub(lambda m: "\n" * m[0].count("\n"), page.read_text("utf-8"))
    folder = page.relative_to(PROJECT).parts
    place = "/".join(folder[:2]) if len(folder) > 2 else folder[0]
    for number, line in enumerate(text.splitlines(), 1):
        for match in BANNED.finditer(line):
            yield Finding("banned word", place, str(page.relative_to(PROJECT)), number, match[0])


def long_sentences(text: str) -> list[str]:
    """Return the sentences of a docstring's paragraphs with more than the allowed words."""
    paragraphs = [
        p for p in re.split(r"\n\s*\n", text) if not re.search(r"\S {2,}\S|^\s{2,}", p, re.M)
    ]
    sentences = [s for p in paragraphs for s in re.split(r"(?<=[.!?:;])\s+", CODE.sub("x", p))]
    return [" ".join(s.split()) for s in sentences if len(s.split()) > MOST_WORDS]


def read_allowed() -> Counter[tuple[str, str]]:
    """Return the allowed number of findings by rule and place."""
    allowed: Counter[tuple[str, str]] = Counter()
    for line in ALLOWED.read_text("utf-8").splitlines() if ALLOWED.is_file() else ():
        rule, place, count = line.rsplit(None, 2)[0].strip(), *line.rsplit(None, 2)[1:]
        allowed[rule, place] = int(count)
    return allowed


def main(words: list[str]) -> int:
    """Compare findings with what is allowed; return the exit code."""
    found = findings()
    counts = Counter((one.rule, one.place) for one in found)
    allowed = read_allowed()
    if words == ["--list"]:
        for one in found:
            print(f"{one.file}:{one.line}: {one.rule}: {one.text}")
    if words == ["--update"]:
        lower = {k: min(n, allowed[k]) if ALLOWED.is_file() else n for k, n in counts.items()}
        rows = [f"{rule:<18} {place:<20} {n}" for (rule, place), n in sorted(lower.items()) if n]
        ALLOWED.write_text("\n".join(rows) + "\n", "utf-8")
        return 0
    more = [key for key in counts if counts[key] > allowed[key]]
    for rule, place in more:
        print(f"{place}: {rule}: {counts[rule, place]}, allowed {allowed[rule, place]}")
        for one in found:
            if (one.rule, one.place) == (rule, place):
                print(f"  {one.file}:{one.line}: {one.text}")
    return 1 if more else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
