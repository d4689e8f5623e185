"""Scene files: TOML in, `Scene` out.

    scene = load_scene("dungeon")            # a built-in scene
    scene = load_scene("levels/yard.toml")   # one's own
    scene = load_scene("scan.glb")           # a level or a scan, as it is

Every mistake in a file is one sentence that names the place, the value and what would be right.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import FileFormatError, InputError, choices
from footfall.files.scene.origins import remember
from footfall.safe_open import check_regular, read_regular
from footfall.toml import toml_table
from footfall.world.scene import QueryEnd, Scene, SceneQuery, rectangle

if TYPE_CHECKING:
    from footfall.files.scene.schema import SceneFile

MAX_SCENE_BYTES = 4_000_000
_MESHES = (".glb", ".obj")


def builtin_scenes() -> dict[str, Path]:
    """Return the built-in scenes: name -> file."""
    folder = Path(__file__).resolve().parents[2] / "scenes"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load_scene(source: str | Path) -> Scene:
    """Return a scene by its built-in name, or from a .toml, .glb or .obj file."""
    path = Path(source)
    if path.suffix.lower() == ".toml":
        return _load_toml(path)
    if path.suffix.lower() in _MESHES:
        return import_level(path)
    known = builtin_scenes()
    if str(source) in known:
        return _load_toml(known[str(source)])
    if path.exists():
        check_regular(path)
        kind = path.suffix or "no suffix"
        raise FileFormatError(
            f"this is no scene ({kind})", where=path.name, remedy=choices([".toml", *_MESHES])
        )
    remedy = choices(known, str(source)) + ", or give a .toml, .glb or .obj file"
    raise InputError(f"there is no scene {str(source)!r}", remedy=remedy)


def import_level(
    path: str | Path,
    max_slope_deg: float = 40.0,
    step_height: float = 0.25,
    up: str = "y",
    unit: float = 1.0,
) -> Scene:
    """Return a game level or a scan (GLB, OBJ) as ground and obstacles.

    max_slope_deg  floors are no steeper        step_height  steep parts no higher do not block
    up             the file's up axis           unit         metres per unit of the file
    """
    from footfall.files.scene.mesh import level_from_mesh, read_mesh, sane_file

    path = Path(path)
    axes = ("x", "y", "z", "-x", "-y", "-z")
    if up not in axes:
        raise InputError(f"the up axis is {up!r}", remedy=choices(axes, up))
    if not 0.0 < max_slope_deg < 90.0:
        raise InputError(f"max_slope_deg is {max_slope_deg}", remedy="it must be in (0, 90)")
    if not (np.isfinite(unit) and unit > 0.0):
        raise InputError(f"the unit is {unit}", remedy="it must be > 0")
    vertices, triangles = read_mesh(sane_file(path, path.name), up, unit)
    slope = float(np.radians(max_slope_deg))
    ground, obstacles = level_from_mesh(vertices, triangles, slope, step_height)
    spec = _import_spec(path.name, max_slope_deg, step_height, up, unit)
    for part in (ground, *obstacles):
        remember(part, spec, path.parent.resolve())
    outline = _bounds_of(ground.vertices)
    return Scene(path.stem, outline, ground, obstacles, description=f"imported from {path.name}")


def _import_spec(file: str, max_slope_deg: float, step_height: float, up: str, unit: float) -> Any:
    from footfall.files.scene.schema import ImportSpec

    # not checked again: it is only written down
    return ImportSpec.model_construct(
        file=file, max_slope_deg=max_slope_deg, step_height=step_height, up=up, unit=unit
    )


def _load_toml(path: Path) -> Scene:
    size = check_regular(path).st_size
    if size > MAX_SCENE_BYTES:
        raise FileFormatError(
            f"the scene file has {size / 1e6:.1f} MB", where=path.name,
            remedy=f"at most {MAX_SCENE_BYTES / 1e6:.0f} MB; keep heights and meshes in own files",
        )  # fmt: skip
    try:
        text = read_regular(path, MAX_SCENE_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileFormatError("the file is not UTF-8 text", where=path.name) from error
    return parse_scene(text, folder=path.parent, file=path.name)


def parse_scene(text: str, folder: Path | None = None, file: str = "scene.toml") -> Scene:
    """Return a scene from the text of a scene file; meshes are looked for in `folder`."""
    from pydantic import ValidationError

    from footfall.files.scene.errors import scene_error
    from footfall.files.scene.schema import SceneFile

    data = toml_table(text, file)
    try:
        spec = SceneFile.model_validate(data)
    except ValidationError as error:
        raise scene_error(error, data, file) from error
    try:
        return build_scene(spec, (folder or Path.cwd()).resolve(), Path(file).stem)
    except InputError as error:
        where = f"{file}: {error.where}" if error.where else file
        raise FileFormatError(error.problem, where=where, remedy=error.remedy) from error


def build_scene(spec: SceneFile, folder: Path, stem: str) -> Scene:
    """Return the scene that a checked file describes."""
    from footfall.files.scene.build import build_holes, build_obstacles, build_waters
    from footfall.files.scene.ground import build_ground
    from footfall.files.scene.paths import build_paths

    outline = _outline(spec)
    imported: tuple[Any, ...] = ()
    if spec.import_ is not None:
        outline, ground, imported = _import(spec, outline, folder)
    else:
        if outline is None:
            raise InputError("the floor has no extent", remedy="give size = [x, z] or an outline")
        ground = remember(build_ground(spec.ground, outline, folder), spec.ground, folder)
    scene = Scene(
        name=spec.name or stem,
        outline=outline,
        ground=ground,
        holes=build_holes(spec.hole),
        waters=build_waters(spec.water),
        description=spec.description,
    )
    obstacles = (*imported, *build_obstacles(spec.obstacle, scene, folder))
    whole = Scene(
        scene.name, scene.outline, ground, obstacles, scene.holes, scene.waters,
        _queries(spec), build_paths(spec.path), scene.description,
    )  # fmt: skip
    _check_names(whole)
    _check_queries(whole)
    return whole


def _outline(spec: SceneFile) -> Any:
    if spec.size is not None and spec.outline is not None:
        raise InputError("both size and outline are given", remedy="give one of them")
    if spec.size is not None:
        half = 0.5 * np.array(spec.size)
        return rectangle(-half, half)
    return None if spec.outline is None else np.array(spec.outline)


def _bounds_of(vertices: Any) -> Any:
    return rectangle(vertices.min(axis=0)[[0, 2]], vertices.max(axis=0)[[0, 2]])


def _import(spec: SceneFile, outline: Any, folder: Path) -> tuple[Any, Any, tuple[Any, ...]]:
    from footfall.files.scene.mesh import level_from_mesh, mesh_file, read_mesh

    level = spec.import_
    assert level is not None
    if "ground" in spec.model_fields_set:
        raise InputError("both ground and import are given", remedy="give one of them")
    mesh = read_mesh(mesh_file(level.file, folder, "import"), level.up, level.unit)
    slope = float(np.radians(level.max_slope_deg))
    ground, obstacles = level_from_mesh(*mesh, slope, level.step_height)
    for part in (ground, *obstacles):
        remember(part, level, folder)
    return (_bounds_of(ground.vertices) if outline is None else outline), ground, obstacles


def _queries(spec: SceneFile) -> tuple[SceneQuery, ...]:
    def place(values: list[float]) -> QueryEnd:
        yaw = float(np.radians(values[2])) if len(values) > 2 else 0.0
        return QueryEnd(values[0], values[1], yaw)

    return tuple(
        SceneQuery(q.name, place(q.start), place(q.goal), q.note, tuple(q.needs))
        for q in spec.query
    )


def _check_names(scene: Scene) -> None:
    """Names that are used to find things must say which one is meant."""
    for what, names in (
        ("query", [q.name for q in scene.queries]),
        ("path", [p.name for p in scene.paths]),
        ("obstacle", [o.name for o in scene.obstacles if o.name]),
    ):
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise InputError(f"two of {what} have the name {name!r}", remedy="rename one")
            seen.add(name)


def _check_queries(scene: Scene) -> None:
    """Check that a body can stand at every start and goal."""
    from footfall.world.collision.queries import body_clearance, is_under_water

    if not scene.queries:
        return
    ends = [("start", q.name, q.start) for q in scene.queries]
    ends += [("goal", q.name, q.goal) for q in scene.queries]
    points = np.array([[e.x, e.z] for _, _, e in ends])
    heights = scene.height(points)
    wet = is_under_water(scene, points)
    clear, which = body_clearance(scene, points)
    for n, (what, name, end) in enumerate(ends):
        where = f"query {name!r}"
        here = f"the {what} ({end.x:g}, {end.z:g})"
        if not np.isfinite(heights[n]):
            raise InputError(f"{here} is not on the ground", where=where, remedy="move it")
        if wet[n]:
            raise InputError(f"{here} is under water", where=where, remedy="move it")
        if clear[n] <= 0.0:
            thing = scene.obstacles[int(which[n])]
            label = f"{thing.kind} {thing.name!r}" if thing.name else thing.kind
            problem = f"{here} lies inside obstacle {int(which[n]) + 1} ({label})"
            raise InputError(problem, where=where, remedy="move it")
