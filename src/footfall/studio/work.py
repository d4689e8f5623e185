"""The work folder: the session, scenes, libraries and characters of a studio.

Every name is checked before it becomes part of a path, and no path leaves the folder.
"""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

from footfall.errors import InputError
from footfall.files.atomic import write_bytes_atomically
from footfall.safe_open import read_regular
from footfall.studio.models import NAME_PATTERN, Session

SESSION_BYTES = 64 << 20
_NAME = re.compile(NAME_PATTERN.replace("$", r"\Z"))
_FOLDERS = ("scenes", "libraries", "characters", "plans")


class StaleRevisionError(InputError):
    """Another tab changed the session first."""


class ReadOnlyError(InputError):
    """Built-in scenes and default clips are not changed."""


class NotFoundError(InputError):
    """There is nothing of this name."""


def check_name(name: str, what: str = "name") -> str:
    """Return a name that is safe as part of a path; refuse any other."""
    if not _NAME.match(name) or name.endswith((".", " ")):
        raise InputError(
            f"the {what} is {name[:60]!r}", remedy="use letters, digits, _, -, . and spaces"
        )
    return name


class WorkFolder:
    """A folder that holds all that a studio keeps."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).resolve()
        try:
            for name in _FOLDERS:
                (self.folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"the folder cannot be made ({error.strerror})", where=str(folder)
            ) from None
        self._lock = threading.Lock()
        self.revision, self.session = self._read_session()

    def path(self, kind: str, name: str) -> Path:
        """Return where something of a kind lies; never outside of the folder."""
        home = (self.folder / kind).resolve()
        path = home / check_name(name)
        if path.resolve().parent != home:
            raise InputError(f"{name[:60]!r} lies outside of the work folder", remedy="rename it")
        return path

    def put_session(self, session: Session, revision: int) -> int:
        """Keep a session that was made from the given revision; return the new revision."""
        with self._lock:
            if revision != self.revision:
                raise StaleRevisionError(
                    "the session was changed elsewhere", remedy="load it and try again"
                )
            self._write_session(session, revision + 1)
            self.revision, self.session = revision + 1, session
            return self.revision

    def replace_session(self, session: Session) -> int:
        """Keep a session whatever the revision is."""
        with self._lock:
            self._write_session(session, self.revision + 1)
            self.revision, self.session = self.revision + 1, session
            return self.revision

    def _write_session(self, session: Session, revision: int) -> None:
        text = json.dumps({"revision": revision, "session": session.model_dump()})
        write_bytes_atomically(self.folder / "session.json", text.encode())

    def _read_session(self) -> tuple[int, Session]:
        """Return the session that was kept; a damaged file is put aside."""
        path = self.folder / "session.json"
        if not path.exists():
            return 0, Session()
        try:
            kept: dict[str, Any] = json.loads(read_regular(path, SESSION_BYTES))
            return int(kept["revision"]), Session.model_validate(kept["session"])
        except (ValueError, KeyError, TypeError, InputError):
            path.replace(path.with_suffix(".damaged.json"))
            return 0, Session()
