"""`footfall library build|add|list|check|show|export|make|fetch`: make and look after a library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.library_fetch import fetch_set
from footfall.cli.library_make import make
from footfall.cli.library_options import Building, Jobs
from footfall.cli.options import Force, Tag, To, command, make_group
from footfall.cli.output import Output
from footfall.cli.reading import Reading

if TYPE_CHECKING:
    from footfall.files.options import ReadOptions
    from footfall.library.build.build import BuildResult
    from footfall.library.entry import Entry
    from footfall.library.library import Library
    from footfall.library.store.index import Skipped

library_app = make_group("library", "Make and look after a library: many clips on one character.")
Sources = Annotated[list[Path], typer.Argument(help="Clips and folders of clips.")]
Where = Annotated[
    str, typer.Argument(help="A library, a folder of clips, one clip, or default[:GROUP].")
]
Licence = Annotated[str, typer.Option("--licence", help="The terms these clips come under.")]


@library_app.command("build")
@command
def build(
    sources: Sources,
    building: Building,
    read: Reading,
    output: Output,
    to: Annotated[Path | None, typer.Option("--output", "-o")] = None,
    clean: Annotated[bool | None, typer.Option("--clean/--no-clean")] = None,
    footprints: str | None = None,
    licence: Licence = "",
) -> None:
    """Make a library from clips, folders and archives, or bring one up to date.

    to          The library's folder (default: out/NAME_OF_SOURCE).
    clean       Remove skating and floor drift.
    footprints  scaled with the character's legs, or exact.

    Examples:
      footfall library build takes -o out/takes
      footfall library build takes.zip
      footfall library build takes hero.glb -o out/hero --character hero.glb --mirror
      footfall library build out/takes
    """
    from footfall.library.build.build import build_library
    from footfall.library.build.sources import remove_on_failure
    from footfall.library.store.folder import MANIFEST_NAME

    again = to is None and len(sources) == 1 and (sources[0] / MANIFEST_NAME).is_file()
    folder = sources[0] if again else (to or Path("out") / sources[0].resolve().stem)
    with remove_on_failure(folder):
        with output.progress("building") as progress:
            built = build_library(
                folder, None if again else sources, licence=licence, progress=progress,
                waiting=lambda: output.note(f"waiting for another build of {folder} to end"),
                clean=clean, footprints=footprints, read=_changes(read.options()) or None,
                **building.options(),
            )  # fmt: skip
        show_built(output, folder, built)


@library_app.command("add")
@command
def add(
    library: Path, sources: Sources, output: Output, licence: Licence = "", jobs: Jobs = None
) -> None:
    """Put more clips and folders into a library.

    library  The library's folder.

    Example:
      footfall library add out/takes walk.bvh --licence "CC BY 4.0"
    """
    from footfall.errors import InputError
    from footfall.library.build.build import add_to_library
    from footfall.library.store.folder import MANIFEST_NAME

    if not (library / MANIFEST_NAME).is_file():
        raise InputError("is no library", where=str(library), remedy="footfall library build")
    with output.progress("adding") as progress:
        built = add_to_library(library, sources, licence=licence, jobs=jobs, progress=progress)
    show_built(output, library, built)


@library_app.command("list")
@command
def list_clips(library: Where, output: Output, tag: Tag = None) -> None:
    """Name the clips of a library: how long they are, how far they go, what they show.

    Examples:
      footfall library list out/takes
      footfall library list takes --tag walk
      footfall library list default:park
    """
    opened = _open(output, library).tagged(*(tag or ()))
    width = max((len(e.name) for e in opened.entries), default=0)
    for entry in opened.entries:
        output.say(
            f"{entry.name:<{width}}  {entry.seconds:7.2f} s {entry.travel_m:7.2f} m  "
            f"{', '.join(entry.tags)}" + ("  (!)" if entry.problems else "")
        )
    output.say(f"{len(opened)} clips, {opened.seconds:.1f} s at {opened.fps:g} fps")
    output.result({"fps": opened.fps, "clips": [_entry_facts(e) for e in opened.entries]})


@library_app.command("check")
@command
def check(library: Where, output: Output) -> None:
    """Report damage of each clip: floor, feet, spikes, lost frames, rate, length, contacts.

    Also whether it stands and goes as its source does: knees, hips, trunk, shoulders, legs, toes.

    Example:
      footfall library check out/takes
    """
    from footfall.library.build.check import KINDS, check_clips, posture_changes, upkeep
    from footfall.verbs.measure_table import posture_sentences, posture_table

    opened = _open(output, library)
    with output.progress("checking") as progress:
        opened = check_clips(opened, progress)
    state, postures = upkeep(opened), posture_changes(opened)
    counts = dict.fromkeys(KINDS, 0)
    originals = [e for e in opened.entries if not e.mirrored]
    changed = {name for name, change in postures.items() if change.off}
    for entry in originals:
        sentences = [f"{p.kind}: {p.text}" for p in entry.problems] + state.get(entry.name, [])
        if entry.name in changed:
            sentences += posture_sentences(postures[entry.name])
        for kind in {p.kind for p in entry.problems}:
            counts[kind] += 1
        if sentences:
            output.say(f"{entry.name}\n" + "\n".join(f"  {s}" for s in sentences))
    for sentence in _sentences(opened.skipped):
        output.say(f"not used: {sentence}")
    for line in posture_table(postures):
        output.say(line)
    if changed:
        output.say(
            f"{len(changed)} of {len(originals)} clips stand or go otherwise than their sources"
        )
    fine = sum(not e.problems and e.name not in state for e in originals)
    found = ", ".join(f"{n} {kind}" for kind, n in counts.items() if n)
    output.say(f"{fine} of {len(originals)} clips are fine" + (f"; {found}" if found else ""))
    output.result(
        {
            "clips": [
                {"name": e.name, "upkeep": state.get(e.name, [])}
                | {"problems": [{"kind": p.kind, "text": p.text} for p in e.problems]}
                | {"posture": postures[e.name].as_dict() if e.name in postures else None}
                for e in originals
            ],
            "skipped": [{"source": s.source, "problem": s.problem} for s in opened.skipped],
            "fine": fine,
        }
    )


@library_app.command("show")
@command
def show(
    library: Where,
    output: Output,
    clip: Annotated[str | None, typer.Argument()] = None,
    picture: Annotated[Path | None, typer.Option("--output", "-o")] = None,
    force: Force = False,
) -> None:
    """Show a library or one of its clips, with its contacts as library.toml states them.

    clip     A clip's name; none: the library.
    picture  Draw the clip: clip.png or clip.gif.

    Examples:
      footfall library show out/takes
      footfall library show out/takes one -o out/one.png
    """
    from footfall.errors import InputError

    opened = _open(output, library)
    if clip is None:
        if picture is not None:
            raise InputError("-o draws a clip", remedy="name one of the library")
        _show_library(output, opened)
    else:
        _show_clip(output, opened, clip, picture, force)


@library_app.command("export")
@command
def export(
    library: Where,
    output: Output,
    clips: Annotated[list[str] | None, typer.Argument()] = None,
    to: To = Path("out/export"),
    formats: str = "bvh",
    tag: Tag = None,
    force: Force = False,
) -> None:
    """Write the clips of a library as files for other tools.

    clips    Names; none: all.
    to       A folder, or for one clip a file such as walk.bvh.
    formats  Like bvh,glb,npz,usda.

    Examples:
      footfall library export default:park park_walk_1.4 -o walk.bvh
      footfall library export out/takes -o out/bvh
      footfall library export out/takes one --formats glb,npz -o out/files
    """
    from footfall.cli.writing import targets, write_all
    from footfall.errors import InputError
    from footfall.files.formats import writable_suffixes
    from footfall.files.results import replacing

    opened = _open(output, library).tagged(*(tag or ()))
    chosen = opened.only(clips) if clips else opened
    one_file = to.suffix.lower() in writable_suffixes()
    if one_file and len(chosen) != 1:
        raise InputError(f"{to} is one file for {len(chosen)} clips", remedy="name one clip")
    files: list[Path] = []
    with output.progress("exporting") as progress:
        for number, entry in enumerate(chosen.entries):
            # A name with a dot is not a suffix: targets() would take it for one.
            named = [t.with_name(entry.name + t.suffix) for t in targets(to / "clip", formats)]
            wanted = [to] if one_file else named
            with replacing(wanted, [library], force=force):
                write_all(chosen.clip(entry.name), wanted)
            files += wanted
            progress((number + 1) / len(chosen))
    output.say(f"{len(chosen)} {'clip' if len(chosen) == 1 else 'clips'} written to {to}")
    output.result({"files": [str(f) for f in files]})


def _open(output: Output, where: str) -> Library:
    from footfall.library.library import open_library

    with output.progress("opening") as progress:
        return open_library(where, progress)


def _changes(options: ReadOptions) -> dict[str, Any]:
    """Return the reading options that differ from what is done anyway."""
    from dataclasses import fields

    from footfall.files.options import ReadOptions

    plain = ReadOptions()
    return {
        f.name: getattr(options, f.name)
        for f in fields(options)
        if getattr(options, f.name) != getattr(plain, f.name)
    }


def show_built(
    output: Output, folder: Path, built: BuildResult, more: dict[str, Any] | None = None
) -> None:
    """Show what was built, for people and as JSON (with `more` facts); exit 2 if it is empty."""
    library = built.library
    for sentence in _sentences(built.skipped):
        typer.echo(f"footfall: skipped {sentence}", err=True)
    output.say(
        f"{folder}: {len(library)} clips, {library.seconds:.1f} s at {library.fps:g} fps "
        f"({len(built.made)} made, {built.kept} kept, {len(built.skipped)} skipped)"
    )
    originals = [e for e in library.entries if not e.mirrored]
    doubtful = [e.name for e in originals if any(p.kind == "doubtful up" for p in e.problems)]
    if doubtful:
        output.say(
            f"  which way is up is doubtful in {_listing(doubtful)}: --source-up settles it for "
            'all files, read = { up = "y" } in library.toml for one'
        )
    troubled = sum(bool(e.problems) for e in originals)
    if troubled:
        output.say(f"  {troubled} with problems: footfall library check {folder}")
    output.result(
        {
            "library": str(folder),
            "clips": len(library),
            "seconds": round(library.seconds, 4),
            "made": list(built.made),
            "kept": built.kept,
            "skipped": [{"source": s.source, "problem": s.problem} for s in built.skipped],
            **(more or {}),
        }
    )
    if not len(library):
        raise typer.Exit(2)


def _sentences(skipped: tuple[Skipped, ...]) -> list[str]:
    """Return why files were not used; a shared reason is stated once, with the names."""
    files: dict[str, list[str]] = {}
    for one in skipped:
        name = Path(one.source).name
        folder, _, reason = one.problem.partition(name)
        if folder and not folder.endswith("/"):  # the sentence does not begin with the file
            reason = f": {one.problem}"
        files.setdefault(reason, []).append(name)
    return [f"{_listing(names)}{reason}" for reason, names in files.items()]


def _listing(names: list[str], most: int = 3) -> str:
    if len(names) == 1:
        return names[0]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{len(names)} files ({', '.join(names[:most])}{more})"


def _entry_facts(entry: Entry) -> dict[str, Any]:
    facts = entry.as_dict() | {"seconds": round(entry.seconds, 4)}
    for inner in ("key", "notes"):
        del facts[inner]
    return facts


def _show_library(output: Output, library: Library) -> None:
    licences = sorted({e.licence for e in library.entries if e.licence})
    facts = {
        "folder": str(library.folder) if library.folder else None,
        "clips": len(library),
        "mirrored": sum(e.mirrored for e in library.entries),
        "seconds": round(library.seconds, 3),
        "fps": library.fps,
        "joints": len(library.character),
        "tags": library.tags,
        "licences": licences,
        "skipped": len(library.skipped),
    }
    tags = ", ".join(f"{tag} {count}" for tag, count in library.tags.items())
    shown = {**facts, "tags": tags, "licences": "; ".join(licences) or "not stated"}
    output.table(list(shown.items()))
    output.result(facts)


def _show_clip(
    output: Output, library: Library, name: str, picture: Path | None, force: bool
) -> None:
    from footfall.library.build.make import contact_spans

    entry, clip = library.entry(name), library.clip(name)
    spans = contact_spans(clip)
    rows = [(k, v) for k, v in _entry_facts(entry).items() if k not in ("tags", "problems", "of")]
    rows.insert(1, ("tags", ", ".join(entry.tags)))
    output.table(rows)
    for problem in entry.problems:
        output.say(f"  {problem.kind}: {problem.text}")
    for note in entry.notes:
        output.say(f"  note: {note}")
    for point, times in spans.items():
        output.say(f"  contacts.{point} = {times}")
    if picture is not None:
        from footfall.files.results import replacing
        from footfall.verbs.render import render

        with replacing([picture], force=force):
            render(clip, picture)
        output.say(f"  wrote {picture}")
    drawn = {} if picture is None else {"picture": str(picture)}
    output.result({**_entry_facts(entry), "contacts": spans, "notes": list(entry.notes)} | drawn)


library_app.command("make")(make)
library_app.command("fetch")(fetch_set)
