"""`footfall library fetch`: a set of motion from the web, made a library."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.library_options import Building
from footfall.cli.options import command
from footfall.cli.output import Output, Progress

if TYPE_CHECKING:
    from footfall.library.fetch.registry import Dataset


@command
def fetch_set(
    building: Building,
    output: Output,
    name: Annotated[str | None, typer.Argument()] = None,
    to: Annotated[Path | None, typer.Option("--output", "-o")] = None,
    listed: Annotated[bool, typer.Option("--list")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y")] = False,
    url: str | None = None,
    sha256: str = "",
    licence: str = "",
    again: bool = False,
    max_size: float = 4000.0,
    max_time: float = 240.0,
    min_rate: float = 2.0,
) -> None:
    """Download an openly licensed set of motion, check it, and build a library from it.

    name      A set's name; --list shows all.
    to        The library's folder (default: out/NAME).
    listed    Name the sets there are.
    yes       Agree to the licence.
    url       Another set: the address of a zip, tar or clip.
    sha256    The checksum that the file of --url must have.
    licence   The terms of the set of --url.
    again     Download it even if it is there.
    max_size  Refuse a larger download, megabytes.
    max_time  Give up a longer download, minutes.
    min_rate  Give up a slower connection, kilobytes a second.

    Examples:
      footfall library fetch --list
      footfall library fetch accad_male1 -o out/accad
      footfall library fetch --url https://host/takes.zip --sha256 … --licence "CC BY 4.0"
    """
    from footfall.cli.library import show_built
    from footfall.errors import InputError
    from footfall.library.fetch.download import Patience
    from footfall.library.fetch.fetch import fetch
    from footfall.library.fetch.registry import known_set, own_set, registry

    if listed:
        _list_sets(output, list(registry().values()))
        return
    if url is not None:
        dataset = own_set(url, sha256, name or "", licence)
    elif name is None:
        raise InputError("no set is named", remedy="see: footfall library fetch --list")
    elif sha256 or licence:
        raise InputError("--sha256 and --licence are for --url", remedy="leave them out")
    else:
        dataset = known_set(name)
    limits = {"--max-size": max_size, "--max-time": max_time, "--min-rate": min_rate}
    for option, value in limits.items():
        if not 0.0 < value < 1e9:
            raise InputError(f"{option} is {value}", remedy="a number above 0")
    patience = Patience(
        most_bytes=int(max_size * 1e6), total_s=60.0 * max_time, least_rate=1e3 * min_rate
    )
    folder = to or Path("out") / dataset.name
    _agree(output, dataset, folder, yes)
    with _Stages(output) as stages:
        fetched = fetch(
            dataset, folder, again=again, progress=stages.show, patience=patience,
            **building.options(),
        )  # fmt: skip
    if fetched.there:
        output.note(f"{dataset.name} was there already; --again downloads it anew")
    elif not fetched.checked:
        output.note(
            f"no checksum of {dataset.name} was known, so it was taken on trust; "
            f"{folder / 'library.toml'} keeps it: {fetched.sha256}"
        )
    show_built(output, folder, fetched.built, {"url": dataset.url, "sha256": fetched.sha256})


def _list_sets(output: Output, sets: list[Dataset]) -> None:
    from dataclasses import asdict

    for one in sets:
        size = f", {one.size / 1e9:.2f} GB" if one.size else ""
        output.say(f"{one.name}  ({one.licence}{size})\n    {one.title}: {one.holds}")
    output.result({"sets": [asdict(one) for one in sets]})


def _agree(output: Output, dataset: Dataset, folder: Path, yes: bool) -> None:
    """Show the terms; go on if they were agreed to."""
    import sys

    from footfall.errors import InputError

    facts = {
        "set": dataset.title or dataset.name,
        "holds": dataset.holds,
        "from": dataset.url + ("" if dataset.url.startswith("https:") else " (not encrypted)"),
        "page": dataset.page,
        "size": f"{dataset.size / 1e9:.2f} GB" if dataset.size else "",
        "licence": dataset.licence or "not stated: see that you may use it",
        "terms": dataset.terms,
        "credit": dataset.credit,
        "into": str(folder),
    }
    output.table([(key, value) for key, value in facts.items() if value])
    if yes:
        return
    if output.as_json or output.quiet or not sys.stdin.isatty():
        raise InputError(
            f"the licence of {dataset.name} has to be agreed to", remedy="say so with --yes"
        )
    if not typer.confirm("Agree to these terms and download?", err=True):
        raise typer.Exit(2)


class _Stages:
    """A progress bar for each stage of the work, one after the other."""

    def __init__(self, output: Output) -> None:
        self.output, self.stage, self.bars = output, "", ExitStack()
        self.bar: Progress = lambda fraction, note="": None

    def __enter__(self) -> _Stages:
        return self

    def show(self, stage: str, share: float) -> None:
        if stage != self.stage:
            self.bars.close()
            self.stage, self.bar = stage, self.bars.enter_context(self.output.progress(stage))
        self.bar(share)

    def __exit__(self, *_: object) -> None:
        self.bars.close()
