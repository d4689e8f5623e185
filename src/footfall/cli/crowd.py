"""`footfall crowd TRAJECTORIES`: bodies for people whose paths come from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.options import Force, To, command
from footfall.cli.output import Output
from footfall.cli.pages import Open, check_open, show_page


@command
def crowd(
    trajectories: Path,
    output: Output,
    to: To = Path("out/crowd"),
    formats: str = "glb",
    open_page: Open = False,
    scene: str | None = None,
    library: str | None = None,
    fps: float = 30.0,
    rate: float | None = None,
    scale: float = 1.0,
    avoid: bool = False,
    most: Annotated[int | None, typer.Option("--most", min=1)] = None,
    force: Force = False,
) -> None:
    """Give bodies to people whose trajectories come from a simulation, a tracker or a game.

    trajectories  A CSV file with columns id, t (or frame), x, z (or y).
    to            A .glb with everybody, or a stem for --formats.
    formats       glb, html (everybody in one file), or bvh, npz (one each).
    scene         What they walk on: a built-in scene or a file.
    library       Whose strides are blended (default: ours); of a folder of
                  performers, theirs.
    fps           Frame rate of the motions.
    rate          Frames a second of the file, if it counts them.
    scale         Metres per unit of the file.
    avoid         Let them keep clear of each other and of walls.
    most          The largest number of people; the first ones are taken.

    Examples:
      footfall crowd people.csv -o out/people.glb
      footfall crowd jupedsim.csv --rate 8 --scene plaza -o out/plaza --formats glb
      footfall crowd people.csv --library out/people -o out/differ.glb
      footfall crowd tracks.csv --scale 0.01 --formats bvh -o out/tracks
    """
    from footfall.cli.writing import targets
    from footfall.files.results import replacing
    from footfall.verbs.crowd import crowd as walk
    from footfall.verbs.crowd import crowd_files, crowd_picture, draw_crowd, save_crowd

    files = targets(to, formats)
    check_open(open_page, files)
    picture = crowd_picture(files[0])
    results = [file for path in files for file in crowd_files(trajectories, path, rate, most)]
    results.append(picture)
    with (
        replacing(results, [trajectories, scene, library], force=force),
        output.progress("walking") as progress,
    ):
        done = walk(
            trajectories, library=library, scene=scene, fps=fps, rate=rate, scale=scale,
            avoid=avoid, most=most, progress=progress,
        )  # fmt: skip
        written = [file for path in files for file in save_crowd(done, path)]
        written.append(draw_crowd(done, picture))
        progress(1.0)
    motion = done.motion
    seconds = float(motion.spans_s.max())
    worst = int(motion.off_m.argmax())
    output.say(
        f"{len(motion.clips)} {'person' if len(motion.clips) == 1 else 'people'}, {seconds:.1f} s, "
        f"{float(motion.off_m.mean()):.2f} m off their trajectories (RMS), "
        f"{motion.clips[worst].name!r} most: {float(motion.off_m[worst]):.2f} m"
    )
    output.files(written)
    show_page(open_page, written)
    output.result(
        {
            "people": len(motion.clips),
            "seconds": seconds,
            "names": [clip.name for clip in motion.clips],
            "spans_s": motion.spans_s.tolist(),
            "off_m": motion.off_m.tolist(),
            "furthest_m": motion.furthest_m.tolist(),
            "files": [str(f) for f in written],
        }
    )
