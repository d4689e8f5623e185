"""Make the pages of the gallery: every behaviour of the default clips and each method, played.

    python -m tools.gallery            # into site/gallery/, after the docs are built
    python -m tools.gallery --only walk,graph -o out/gallery

`play.html` lists them. A page is one file that needs no network; they are made, not kept in git.
"""

from __future__ import annotations

import argparse
import html
import sys
from pathlib import Path

from bench.acting.strips import BEHAVIOURS

from footfall import load_path, load_scene, load_task, open_library, plan
from footfall.task import Follow, GoTo, Place, Plan, Query
from footfall.verbs.player import save_player
from footfall.world.scene import Scene

PROJECT = Path(__file__).resolve().parents[1]
METHODS = ("graph", "blending", "roadmap", "optimal")
INDEX = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Footfall: gallery</title>
<style>body{{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}}
ul{{columns:3}}</style><h1>Gallery</h1><h2>Methods</h2><ul>{methods}</ul>
<h2>Behaviours of the default clips</h2><ul>{clips}</ul></html>
"""


def plan_of(method: str) -> tuple[Plan, Scene | None]:
    """Return a plan that shows what a method does, and its scene."""
    if method == "graph":
        path = Follow(load_path("zigzag").points)
        return plan(Query(stages=path), method=method, library=BASTEN), None
    if method == "optimal":
        task = load_task(PROJECT / "examples" / "tasks" / "jump.toml")
        return plan(task.query, method=method), task.query.scene
    scene = load_scene("hills" if method == "blending" else "crevice")
    asked = scene.queries[0]
    start, goal = asked.start, asked.goal
    query = Query(Place(start.x, start.z, start.yaw), GoTo(goal.x, goal.z, goal.yaw), scene=scene)
    return plan(query, method=method), scene


BASTEN = "default:basten"


def make_pages(folder: Path, only: list[str]) -> list[str]:
    """Write the pages and their index; return the names of those that were made."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    library = open_library("default")
    for name, behaviour in BEHAVIOURS.items():
        if not only or name in only:
            clip = library.clip(behaviour.clip)
            save_player(clip, folder / f"{name}.html", title=name.replace("_", " "))
            made.append(name)
    for method in METHODS:
        if not only or method in only:
            found, scene = plan_of(method)
            if found.clip is None:
                print(f"{method}: {found.status}: {found.reason}", file=sys.stderr)
                continue
            save_player(found, folder / f"{method}.html", scene, title=method)
            made.append(method)
    items = {name: f'<li><a href="{name}.html">{html.escape(name.replace("_", " "))}</a></li>'
             for name in made}  # fmt: skip
    text = INDEX.format(
        methods="".join(items[name] for name in made if name in METHODS),
        clips="".join(items[name] for name in made if name not in METHODS),
    )
    (folder / "play.html").write_text(text, "utf-8")
    return made


def main() -> int:
    """Make the pages; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.gallery", description="Make its pages.")
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "site" / "gallery")
    parser.add_argument("--only", default="", help="names, separated by commas")
    given = parser.parse_args()
    wanted = [name for name in given.only.split(",") if name]
    made = make_pages(given.output, wanted)
    print(f"{len(made)} pages, listed in {given.output / 'play.html'}")
    return 0 if made else 1


if __name__ == "__main__":
    sys.exit(main())
