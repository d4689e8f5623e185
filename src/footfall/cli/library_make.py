"""`footfall library make`: the default clips by performers of one's own, or drawn ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.cli.library_options import Jobs
from footfall.cli.options import Force, To, command
from footfall.cli.output import Output

if TYPE_CHECKING:
    from footfall.generate.performer import Performer


@command
def make(
    output: Output,
    to: To = Path("out/performers"),
    performers: int | None = None,
    performer: str = "",
    group: str = "",
    seed: int = 0,
    jobs: Jobs = None,
    force: Force = False,
) -> None:
    """Make the default clips by one performer, or libraries of many that differ as people do.

    to          The library's folder, or that of all of them.
    performers  The number of people, each with a library.
    performer   Figures like age=70,energy=0.4: age, stature_m, build, legs, arms,
                shoulders, hips, energy, stiffness, mood, manner. With --performers
                all have these.
    group       One group of the default clips, like park.
    seed        Seed of the drawn performers and of their strides.

    Examples:
      footfall library make --performer age=70,energy=0.4 -o out/old
      footfall library make --performers 20 -o out/people
      footfall library make --performers 8 --performer mood=-0.8 --group park -o out/sad
    """
    from footfall.generate.performer import draw_performers, performer_from, performer_values
    from footfall.library.performers import make_libraries, make_library

    given = performer_values(performer)
    people = (
        (performer_from(given),)
        if performers is None
        else draw_performers(performers, seed, **given)
    )
    options: dict[str, Any] = {"group": group, "seed": seed, "jobs": jobs, "force": force}
    with output.progress("making") as progress:
        if performers is None:
            libraries = [make_library(to, people[0], progress=progress, **options)]
        else:
            libraries = [*make_libraries(to, people, progress=progress, **options)]
    for library, who in zip(libraries, people, strict=True):
        output.say(f"{library.folder}: {len(library)} clips, {_describe_performer(who)}")
    output.result(
        {
            "libraries": [
                {"library": str(library.folder), "clips": len(library), "performer": _facts(who)}
                for library, who in zip(libraries, people, strict=True)
            ]
        }
    )


def _facts(who: Performer) -> dict[str, Any]:
    return {**who.facts(), "mass_kg": round(who.mass_kg, 1)}


def _describe_performer(who: Performer) -> str:
    """Return a performer in a few words."""
    return (
        f"{who.age:.0f} years, {who.stature_m:.2f} m, {who.mass_kg:.0f} kg, "
        f"energy {who.energy:.2f}, stiffness {who.stiffness:.2f}, mood {who.mood:+.2f}"
    )
