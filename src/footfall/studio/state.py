"""A studio: its work folder, plans, jobs and the tabs that are notified."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from footfall.errors import InputError
from footfall.files.atomic import write_bytes_atomically
from footfall.studio.files import Files
from footfall.studio.jobs import Jobs
from footfall.studio.models import Session
from footfall.studio.plans import PlanStore
from footfall.studio.work import WorkFolder, check_name

MOST_QUEUED = 1000
_MOST_FILES, _MOST_BYTES = 5000, 1 << 30
_PLAN_FILES = ("plan.json", "query.json", "document.json", "clip.npz")


class Studio:
    """All that a server keeps; `publish` may be called from any thread."""

    def __init__(self, folder: str | Path) -> None:
        self.work = WorkFolder(folder)
        self.files = Files(self.work)
        self.plans = PlanStore(self.work, self.files)
        self.jobs = Jobs(self.files, self.plans, self.publish)
        self.tabs: set[asyncio.Queue[str]] = set()
        self.loop: asyncio.AbstractEventLoop | None = None

    def publish(self, message: Mapping[str, Any]) -> None:
        """Send a message to all tabs."""
        text = json.dumps(message, default=str)
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._send, text)

    def _send(self, text: str) -> None:
        for tab in self.tabs:
            if tab.qsize() < MOST_QUEUED:  # a tab that does not read misses news
                tab.put_nowait(text)

    # ---- drawing ------------------------------------------------------------------------

    def draw_scene(self, table: dict[str, Any] | None) -> dict[str, Any]:
        """Return the drawing document of a scene."""
        from footfall.render.player.document import motion_document

        return motion_document([], self.files.make_scene(table))

    def draw_clip(self, library: str, clip: str) -> dict[str, Any]:
        """Return the drawing document of a library's clip."""
        from footfall.render.player.document import PlayedMotion, motion_document

        found = self.files.open_library(library).clip(clip)
        return motion_document([PlayedMotion(found, name=clip)], title=clip)

    def draw_character(self, name: str) -> dict[str, Any]:
        """Return the drawing document of a character at rest."""
        import numpy as np

        from footfall.body.clip import Clip
        from footfall.library.characters import find_character
        from footfall.render.player.document import PlayedMotion, motion_document

        path = self.files.character_place(name)
        assert path is not None
        skeleton = find_character(path)
        rotations = np.zeros((2, len(skeleton), 4))
        rotations[..., 0] = 1.0
        root = np.repeat(skeleton.offsets[:1], 2, axis=0)
        rest = Clip(skeleton, 30.0, root, rotations, name=name)
        return motion_document([PlayedMotion(rest, name=name)], title=name)

    def describe_library(self, name: str) -> dict[str, Any]:
        """Return a library's clips in short."""
        library = self.files.open_library(name)
        keys = ("name", "tags", "seconds", "frames", "source")
        clips = [{k: getattr(entry, k) for k in keys} for entry in library.entries]
        editable = self.files.is_editable(name)
        return {"name": name, "editable": editable, "fps": library.fps, "clips": clips}

    def describe_methods(self) -> list[dict[str, Any]]:
        """Return the planners, their stages and options."""
        from footfall.task.method import find_method, method_names

        found = []
        for name in method_names():
            method = find_method(name)
            lines = (type(method).__doc__ or "").strip().splitlines()
            options = [
                {"name": f.name, "type": str(f.type), "default": f.default, **f.metadata}
                for f in fields(method.Options)
            ]
            stages = [stage.kind for stage in method.stages]
            summary = lines[0] if lines else ""
            found.append({"name": name, "summary": summary, "stages": stages, "options": options})
        return found

    # ---- session files ------------------------------------------------------------------

    def pack_session(self) -> bytes:
        """Return the session, its scenes and plans as a zip."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("session.json", self.work.session.model_dump_json())
            for path in sorted((self.work.folder / "scenes").iterdir()):
                if path.is_file() and not path.name.startswith("."):
                    archive.write(path, f"scenes/{path.name}")
            for path in sorted((self.work.folder / "plans").glob("*/*")):
                if path.name in _PLAN_FILES:
                    archive.write(path, f"plans/{path.parent.name}/{path.name}")
        return out.getvalue()

    def unpack_session(self, content: bytes) -> int:
        """Restore a session file: its session replaces the present one, the rest is added."""
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                parts = archive.infolist()
                if len(parts) > _MOST_FILES or sum(p.file_size for p in parts) > _MOST_BYTES:
                    raise InputError("the session file is too large", remedy="at most 1 GB")
                held = {p.filename: archive.read(p) for p in parts if not p.is_dir()}
            session = Session.model_validate_json(held.pop("session.json"))
        except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, OSError) as error:
            raise InputError("this is no session file") from error
        except ValidationError:
            raise InputError("the session file holds no valid session") from None
        targets = {self._target(name): data for name, data in held.items()}
        for path, data in targets.items():
            write_bytes_atomically(path, data)
        self.plans.reload()
        return self.work.replace_session(session)

    def _target(self, name: str) -> Path:
        """Return where a file of a session file belongs; refuse any other."""
        kind, _, rest = name.partition("/")
        if kind == "scenes":
            return self.work.path("scenes", rest)
        plan, _, file = rest.partition("/")
        if kind == "plans" and file in _PLAN_FILES:
            return self.work.path("plans", check_name(plan)) / file
        raise InputError(f"the session file holds {name[:60]!r}", remedy="it is none of ours")
