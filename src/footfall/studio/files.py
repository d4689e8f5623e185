"""Scenes, libraries and characters that the studio offers, and uploads of new ones."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from footfall.errors import InputError, choices
from footfall.files.atomic import write_bytes_atomically
from footfall.files.scene.read import build_scene, builtin_scenes, load_scene
from footfall.files.scene.write import scene_table, scene_text
from footfall.studio.work import NotFoundError, ReadOnlyError, WorkFolder, check_name

if TYPE_CHECKING:
    from footfall.library.library import Library
    from footfall.world.scene import Scene

MOST_SCENES, MOST_LIBRARIES = 16, 8
SCENE_KINDS, CHARACTER_KINDS = (".toml", ".glb", ".obj"), (".bvh", ".glb")
CLIP_KINDS = (".bvh", ".glb", ".amc", ".asf", ".npz")
_Kept = TypeVar("_Kept")


class Recent:
    """Values by their keys; the one not used for the longest time goes first."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: OrderedDict[Any, Any] = OrderedDict()
        self._lock = threading.RLock()

    def get(self, key: Any, make: Callable[[], _Kept]) -> _Kept:
        """Return what is kept under a key, made now if it is not there."""
        with self._lock:
            if key not in self._kept:
                self._kept[key] = make()
            self._kept.move_to_end(key)
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)
            return self._kept[key]  # type: ignore[no-any-return]

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


class Files:
    """What there is to choose from, and how it is opened."""

    def __init__(self, work: WorkFolder) -> None:
        self.work = work
        self._scenes, self._libraries = Recent(MOST_SCENES), Recent(MOST_LIBRARIES)

    # ---- scenes -------------------------------------------------------------------------

    def list_scenes(self) -> list[dict[str, Any]]:
        """Return the names and sources of all scenes."""
        own = sorted(p.stem for p in (self.work.folder / "scenes").glob("*.toml"))
        named = [("builtin", name) for name in builtin_scenes() if name != "paths"]
        found = []
        for source, name in [*named, *(("work", name) for name in own)]:
            try:
                found.append({"name": name, "source": source, **self._describe(source, name)})
            except InputError as error:
                found.append({"name": name, "source": source, "description": f"broken: {error}"})
        return found

    def _describe(self, source: str, name: str) -> dict[str, str]:
        return {"description": self._load(source, name).description}

    def _load(self, source: str, name: str) -> Scene:
        path = builtin_scenes()[name] if source == "builtin" else self._scene_path(name)
        stamp = path.stat().st_mtime_ns
        return self._scenes.get((str(path), stamp), lambda: load_scene(path))

    def _scene_path(self, name: str) -> Path:
        return self.work.path("scenes", f"{name}.toml")

    def read_scene(self, name: str) -> dict[str, Any]:
        """Return a scene as the table that its file holds."""
        source = "work" if self._scene_path(name).exists() else "builtin"
        if source == "builtin" and name not in builtin_scenes():
            raise NotFoundError(f"there is no scene {name!r}", remedy=choices(builtin_scenes()))
        table = scene_table(self._load(source, name), self.work.folder / "scenes")
        return {"name": name, "source": source, "table": table}

    def make_scene(self, table: dict[str, Any] | None) -> Scene | None:
        """Return the scene that a table describes; the same table gives the same scene."""
        if table is None:
            return None
        from pydantic import ValidationError

        from footfall.files.scene.errors import scene_error
        from footfall.files.scene.schema import SceneFile

        folder = self.work.folder / "scenes"

        def build() -> Scene:
            try:
                spec = SceneFile.model_validate(table)
            except ValidationError as error:
                raise scene_error(error, table, "scene") from None
            return build_scene(spec, folder, "scene")

        digest = hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()
        return self._scenes.get(digest, build)

    def scene_toml(self, table: dict[str, Any] | None) -> str:
        """Return a scene as the text of a scene file."""
        scene = self.make_scene(table)
        if scene is None:
            raise InputError("there is no scene", remedy="choose one")
        return scene_text(scene, self.work.folder / "scenes")

    def save_scene(self, name: str, table: dict[str, Any]) -> None:
        """Keep a scene under a name."""
        path = self._scene_path(check_name(name))
        write_bytes_atomically(path, self.scene_toml(table).encode())

    def remove_scene(self, name: str) -> None:
        """Remove a scene of the work folder."""
        path = self._scene_path(name)
        if not path.exists():
            if name in builtin_scenes():
                raise ReadOnlyError(f"the scene {name!r} is built in", remedy="it stays")
            raise NotFoundError(f"there is no scene {name!r}")
        path.unlink()

    # ---- libraries and characters -------------------------------------------------------

    def list_libraries(self) -> list[dict[str, Any]]:
        """Return the names and sources of all libraries."""
        from footfall.library.default import default_groups, default_names

        names = [("default", len(default_names()))]
        names += [(f"default:{group}", len(default_names(group))) for group in default_groups()]
        found: list[dict[str, Any]] = [
            {"name": name, "source": "default", "clips": count} for name, count in names
        ]
        for folder in sorted((self.work.folder / "libraries").iterdir()):
            if folder.is_dir() and not folder.name.startswith("."):
                found.append({"name": folder.name, "source": "work", "clips": None})
        return found

    def library_place(self, name: str) -> str | Path:
        """Return what `open_library` takes for a library of this name."""
        if name == "default" or name.startswith("default:"):
            return name
        folder = self.work.path("libraries", name)
        if not folder.is_dir():
            raise NotFoundError(f"there is no library {name!r}", remedy="see /api/libraries")
        return folder

    def open_library(self, name: str) -> Library:
        """Return a library, opened once."""
        from footfall.library.library import open_library

        place = self.library_place(name)
        manifest = Path(place) / "library.toml"
        stamp = manifest.stat().st_mtime_ns if manifest.exists() else 0
        return self._libraries.get((name, stamp), lambda: open_library(place))

    def is_editable(self, name: str) -> bool:
        return isinstance(self.library_place(name), Path)

    def character_place(self, name: str | None) -> Path | None:
        """Return the file of a character; None stands for the clips' own."""
        if name is None:
            return None
        path = self.work.path("characters", name)
        if not path.is_file():
            raise NotFoundError(f"there is no character {name!r}", remedy="upload it first")
        return path

    def list_characters(self) -> list[dict[str, Any]]:
        """Return the characters that were uploaded."""
        from footfall.library.characters import find_character

        home, found = self.work.folder / "characters", []
        for path in sorted(home.iterdir()):
            if path.suffix.lower() in CHARACTER_KINDS and not path.name.startswith("."):
                found.append({"name": path.name, "joints": len(find_character(path))})
        return found

    # ---- uploads ------------------------------------------------------------------------

    def upload(self, kind: str, name: str, content: bytes, library: str = "") -> dict[str, Any]:
        """Keep a file that a reader accepts; one that it refuses leaves nothing behind."""
        check_name(name, "file name")
        if kind == "task":
            return self._read_task(name, content)
        folder, kinds, check = self._intake(kind, library)
        suffix = Path(name).suffix.lower()
        if suffix not in kinds:
            raise InputError(f"{name!r} is no {kind}", remedy=choices(kinds, suffix))
        path = self.work.path(folder, name)
        old = path.read_bytes() if path.exists() else None
        write_bytes_atomically(path, content)
        try:
            check(path)
        except BaseException:
            path.unlink(missing_ok=True)
            if old is not None:
                write_bytes_atomically(path, old)
            raise
        given = Path(name).stem if kind == "scene" else name
        return {"kind": kind, "name": given, "notes": []}

    def _intake(self, kind: str, library: str) -> tuple[str, tuple[str, ...], Callable[..., Any]]:
        """Return the folder, the suffixes and the reader of a kind of upload."""
        from footfall.files.formats import load
        from footfall.library.characters import find_character

        if kind == "scene":
            return "scenes", SCENE_KINDS, self._check_scene
        if kind == "character":
            return "characters", CHARACTER_KINDS, find_character
        if kind == "clip":
            folder = self.work.path("libraries", check_name(library, "library"))
            if library.startswith("default"):
                raise ReadOnlyError("the default clips are read-only", remedy="name a library")
            folder.mkdir(exist_ok=True)
            return f"libraries/{library}", CLIP_KINDS, load
        raise InputError(f"kind is {kind[:40]!r}", remedy=choices(["scene", "clip", "character"]))

    def _check_scene(self, path: Path) -> None:
        scene = load_scene(path)
        if path.suffix.lower() != ".toml":
            text = scene_text(scene, path.parent)
            write_bytes_atomically(path.with_suffix(".toml"), text.encode())

    def _read_task(self, name: str, content: bytes) -> dict[str, Any]:
        """Return a task file's table and its scene's, checked."""
        from footfall.task.file import make_task
        from footfall.toml import toml_table

        try:
            table = toml_table(content.decode(), name)
        except UnicodeDecodeError:
            raise InputError("the file is no UTF-8 text", where=name) from None
        scene = None
        if isinstance(table.get("scene"), str):
            scene = self.read_scene(check_name(Path(table["scene"]).stem))["table"]
        _refuse_files(table)
        make_task(table, name, scenes=lambda _: self.make_scene(scene))  # type: ignore[arg-type,return-value]
        return {"kind": "task", "name": name, "task": table, "scene": scene, "notes": []}


def _refuse_files(table: dict[str, Any]) -> None:
    """Refuse names of files in a task: a page may not open what lies on this machine."""
    stages = table.get("stages")
    named = [table.get("path"), *(s.get("path") for s in _tables(stages))]
    for path in named:
        if isinstance(path, str) and not path.replace("_", "").replace("-", "").isalnum():
            raise InputError(f"path is {path[:60]!r}", remedy="give points, or a path's name")
    for key in ("library", "character"):
        if key in table and not isinstance(table[key], str):
            raise InputError(f"{key} is {str(table[key])[:40]}", remedy="it must be text")


def _tables(stages: object) -> list[dict[str, Any]]:
    return [s for s in stages if isinstance(s, dict)] if isinstance(stages, list) else []


def check_task(table: dict[str, Any], scene: Scene | None) -> Any:
    """Return the task that a table from a page means; its files are not opened."""
    from footfall.task.file import make_task

    own = {k: v for k, v in table.items() if k not in ("scene", "library", "character", "method")}
    _refuse_files(own)
    if scene is None:
        return make_task(own)
    return make_task({**own, "scene": "scene"}, scenes=lambda _: scene)
