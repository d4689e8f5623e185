"""`footfall inspect FILE…`: what a clip holds, and what was found out about it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from footfall.cli.options import Force, command
from footfall.cli.output import Output
from footfall.cli.reading import Reading, clip_files

if TYPE_CHECKING:
    from footfall.verbs.inspect import Inspection


@command
def inspect(
    files: list[Path],
    read: Reading,
    output: Output,
    joints: bool = False,
    plot: Path | None = None,
    force: Force = False,
) -> None:
    """Show what clips hold: skeleton, roles, units, axes, rate, travel, and anything suspicious.

    files   Clips or folders of them: BVH, AMC, GLB, glTF, NPZ, USD.
    joints  List the joints and their roles.
    plot    Draw the contacts of one clip: contacts.png, .svg, .pdf.

    Examples:
      footfall inspect walk.bvh
      footfall inspect takes/ --json
      footfall inspect walk.bvh --plot contacts.png
    """
    from footfall.errors import InputError
    from footfall.files.results import replacing
    from footfall.verbs.inspect import inspect as look

    files = clip_files(files)
    if plot is not None and len(files) > 1:
        raise InputError(f"--plot draws one clip, not {len(files)}", remedy="give one file")
    options = read.options()
    found: list[Inspection] = []
    failed: list[str] = []
    with output.progress("inspecting") as progress:
        for number, file in enumerate(files):
            try:
                found.append(look(file, options))
            except InputError as error:
                if len(files) == 1:
                    raise
                failed.append(str(error))
            progress((number + 1) / len(files))
    if plot is not None:
        from footfall.files.formats import load
        from footfall.plots.contacts import save_contact_plot

        with replacing([plot], [*files, *read.files], force=force):
            save_contact_plot(load(files[0], options), plot)
    found = _with_hints(found)
    _show(output, found, joints)
    if plot is not None:
        output.say(f"  wrote {plot}")
    drawn = {} if plot is None else {"plot": str(plot)}
    output.result({"clips": [i.as_dict() for i in found], "errors": failed} | drawn, failed)


def _with_hints(found: list[Inspection]) -> list[Inspection]:
    """Clips whose up axis is doubtful, with that of the other clips that have their joints."""
    from dataclasses import replace

    from footfall.body.up_axis import settle_up

    settled = settle_up(((i.joints, i.parents), i.up, i.up_sure) for i in found)
    hints = {
        id(i): f"its skeleton's other clips here have {settled[i.joints, i.parents]} up: "
        f"--source-up {settled[i.joints, i.parents]} settles it."
        for i in found
        if not i.up_sure and (i.joints, i.parents) in settled
    }
    return [replace(i, notes=(*i.notes, hints[id(i)])) if id(i) in hints else i for i in found]


def _show(output: Output, found: list[Inspection], joints: bool) -> None:
    """Print each clip with its own notes; those of several clips stand at the end."""
    counts = Counter(note for inspection in found for note in set(inspection.notes))
    for inspection in found:
        output.say(f"{inspection.file}: {inspection.headline}")
        output.table(inspection.rows(joints=joints))
        output.notes(note for note in inspection.notes if counts[note] == 1)
    output.notes(note for note, count in counts.items() if count > 1 for _ in range(count))
