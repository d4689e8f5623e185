"""`footfall scene list|check|show|export`: the built-in scenes and one's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.options import Force, To, command, make_group
from footfall.cli.output import Output

if TYPE_CHECKING:
    from footfall.world.scene import Scene

_ROUTES_S = 5.0
"""How long `check` looks for the routes of a scene's queries."""
_WORDS = {"no route": "no walking route", "not known": "whether there is a route is not known"}
scene_app = make_group(
    "scene", "Look at, check and export scenes: the built-in ones and one's own."
)
Which = Annotated[str, typer.Argument(help="A built-in name, or a .toml, .glb or .obj file.")]
At = Annotated[float | None, typer.Option("--time", help="Seconds, for obstacles that move.")]


@dataclass(frozen=True)
class Level:
    """How a level is read; a group of options (see `footfall.cli.options`).

    max_slope    Of a .glb or .obj level: steepest floor, degrees.
    step_height  Of a level: what is lower does not block, metres.
    up           Of a level: its up axis.
    unit         Of a level: metres per unit.
    """

    max_slope: float = 40.0
    step_height: float = 0.25
    up: str = "y"
    unit: float = 1.0

    def load(self, name: str) -> Scene:
        """Return a built-in scene, or that of a file or a level."""
        from footfall.files.scene.read import import_level, load_scene

        if Path(name).suffix.lower() in (".glb", ".obj"):
            return import_level(name, self.max_slope, self.step_height, self.up, self.unit)
        return load_scene(name)


@scene_app.command("list")
@command
def list_scenes(output: Output) -> None:
    """Name the built-in scenes.

    Example:
      footfall scene list
    """
    import tomllib

    from footfall.files.scene.read import builtin_scenes

    rows = []
    for name, file in builtin_scenes().items():
        rows.append((name, str(tomllib.loads(file.read_text("utf-8")).get("description", ""))))
    output.table(rows)
    output.result({"scenes": [{"name": name, "description": text} for name, text in rows]})


@scene_app.command("check")
@command
def check(scenes: list[str], level: Level, output: Output) -> None:
    """Read scenes and report what they hold, or in one sentence what is wrong.

    Queries without a route for walking on the level are named, with the reason.

    scenes  Built-in names or files.

    Examples:
      footfall scene check dungeon
      footfall scene check levels/*.toml --json
      footfall scene check scan.glb --up z --unit 0.01
    """
    from footfall.errors import InputError

    found, failed = [], []
    for name in scenes:
        try:
            scene = level.load(name)
        except InputError as error:
            if len(scenes) == 1:
                raise
            failed.append(str(error))
            continue
        facts = _facts(scene)
        output.say(f"{name}: {scene.description or scene.name}")
        output.table([(key, str(v)) for key, v in facts.items() if key not in ("name", "routes")])
        for route in facts["routes"]:
            if route["status"] != "route":
                output.say(f"  query {route['query']!r}: {_WORDS[route['status']]}, {route['why']}")
        found.append(facts)
    output.result({"scenes": found, "errors": failed}, failed)


@scene_app.command("show")
@command
def show(
    scene: Which,
    level: Level,
    output: Output,
    to: To = Path("out/scene"),
    overlay: str = "clearance",
    yaw: float | None = None,
    pitch: float = 40.0,
    time: At = None,
    force: Force = False,
) -> None:
    """Draw a scene: a map from above with heights, clearance or corridors, and a 3D view.

    to       A stem: STEM.map.png and STEM.view.png.
    overlay  On the map: none, clearance or corridors.
    yaw      The view looks along this yaw, degrees.
    pitch    The view looks down, degrees.

    Examples:
      footfall scene show dungeon -o out/dungeon
      footfall scene show room -o out/room --overlay corridors
    """
    from footfall.files.results import replacing
    from footfall.plots.scene_map import save_scene_map
    from footfall.render.scene_view import save_scene_view

    world = level.load(scene)
    above, view = Path(f"{to}.map.png"), Path(f"{to}.view.png")
    with replacing([above, view], [scene], force=force), output.progress("drawing") as progress:
        save_scene_map(world, above, overlay, time)
        progress(0.5)
        save_scene_view(world, view, yaw_deg=yaw, pitch_deg=pitch, time=time)
        progress(1.0)
    output.say(f"{above}\n{view}")
    output.result({"map": str(above), "view": str(view)})


@scene_app.command("export")
@command
def export(
    scene: Which,
    level: Level,
    output: Output,
    to: Annotated[Path, typer.Option("--output", "-o")],
    time: At = None,
    force: Force = False,
) -> None:
    """Write a scene as GLB, so that a motion and its world open together.

    to  A .glb or .gltf file.

    Example:
      footfall scene export dungeon -o out/dungeon.glb
    """
    from footfall.errors import InputError, choices
    from footfall.files.atomic import make_folder_of
    from footfall.files.results import replacing
    from footfall.files.scene.glb import write_scene

    if to.suffix.lower() not in (".glb", ".gltf"):
        raise InputError(f"{to.name} is no glTF file", remedy=choices([".glb", ".gltf"], to.suffix))
    with replacing([to], [scene], force=force):
        make_folder_of(to)
        write_scene(level.load(scene), to, time=time)
    output.say(str(to))
    output.result({"file": str(to)})


def _facts(scene: Scene) -> dict[str, Any]:
    from collections import Counter

    from footfall.world.corridor.free_floor import walking_routes

    kinds = Counter(obstacle.kind for obstacle in scene.obstacles)
    blocked = scene.blocked_polygons()
    x0, z0, x1, z1 = scene.bounds.bounds
    return {
        "name": scene.name,
        "size": f"{x1 - x0:g} x {z1 - z0:g} m",
        "obstacles": ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "none",
        "moving": sum(o.motion is not None for o in scene.obstacles),
        "holes": len(scene.holes),
        "waters": len(scene.waters),
        "free floor": f"{scene.bounds.area - blocked.area:.1f} of {scene.bounds.area:.1f} m²",
        "queries": ", ".join(q.name for q in scene.queries) or "none",
        "paths": ", ".join(f"{p.name} ({p.length:.1f} m)" for p in scene.paths) or "none",
        "routes": [
            {"query": r.query, "status": r.status, "why": r.why}
            for r in walking_routes(scene, seconds=_ROUTES_S)
        ],
    }
