"""A file from the web: resumed where it broke off, bounded, and checked against its checksum.

What has come so far lies under a name of its own beside a note on where it came from; the server
is asked for the rest only if it can say that the file is still the same (RFC 9110, If-Range).
"""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import shutil
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from footfall.errors import InputError
from footfall.library.fetch.registry import LOOPBACK
from footfall.library.store.arrays import remove
from footfall.safe_open import open_regular, read_regular

Progress = Callable[[float], None]

_BLOCK = 1 << 16
_MOST_REDIRECTS = 5
_TRY_LATER = (408, 425, 429, 500, 502, 503, 504)
_MOST_ROUNDS = 200


@dataclass(frozen=True)
class Patience:
    """How much and how long to try.

    most_bytes  a larger file is refused, whatever its server says of its size
    total_s     the whole download, all tries together, may take
    timeout_s   without a byte, and a connection is given up
    tries       so many in a row that bring too little, and the download is
    wait_s      before the second of them; each further wait is twice as long
    slow_s      a connection that brings less than `least_rate` over this time is given up
    least_rate  bytes per second
    """

    most_bytes: int = 4 << 30
    total_s: float = 4 * 3600.0
    timeout_s: float = 30.0
    tries: int = 5
    wait_s: float = 1.0
    slow_s: float = 30.0
    least_rate: float = 2000.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            least = 0 if name == "wait_s" else 1e-9
            if not (isinstance(value, int | float) and least <= value < float("inf")):
                raise InputError(f"{name} is {value!r}", remedy="a number above 0")


class _BrokenOffError(Exception):
    """A connection ended before the file was complete; the received part is kept."""


class _TooSlowError(_BrokenOffError):
    """A connection that is slower than the least accepted rate."""


def download(
    url: str,
    to: Path,
    *,
    sha256: str = "",
    progress: Progress | None = None,
    patience: Patience | None = None,
) -> str:
    """Fetch `url` into the file `to` and return its SHA-256.

    Goes on with what an earlier call left beside `to`. Raises an InputError with one sentence if
    the server cannot be reached or takes too long, the file is too large or not what its
    checksum says. What has come is kept if a later call can go on with it.
    """
    part = _PartFile(to, url, sha256)
    fetcher = _Fetcher(part, progress or (lambda share: None), patience or Patience())
    if not to.is_file():
        fetcher.run()
        part.finish()
    found = file_sum(to)
    if sha256 and found != sha256:
        remove(to)
        raise InputError(
            f"has another checksum than it should ({found[:16]}…, not {sha256[:16]}…)",
            where=url, remedy="nothing of it was used; try again later",
        )  # fmt: skip
    return found


def file_sum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _PartFile:
    """What has come of a file so far, and what the server calls that version of it."""

    def __init__(self, to: Path, url: str, sha256: str) -> None:
        self.to, self.url, self.sha256 = to, url, sha256
        self.path = to.with_name(to.name + ".part")
        self.note = to.with_name(to.name + ".part.json")
        self.etag = self.modified = ""
        try:
            note = json.loads(read_regular(self.note, 1 << 20))
            if note["url"] == url:
                self.etag, self.modified = str(note["etag"]), str(note["modified"])
            else:
                self.forget()
        except (InputError, OSError, ValueError, KeyError, TypeError):
            self.forget()

    @property
    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    @property
    def condition(self) -> str:
        """What the rest may be asked for by: a weak ETag does not promise the same bytes."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.modified

    @property
    def resumable(self) -> bool:
        """Whether the rest will fit: the server says so, or the checksum will."""
        return self.size > 0 and bool(self.condition or self.sha256)

    def begin(self, response: http.client.HTTPResponse) -> None:
        """Begin a new version."""
        self.etag = response.headers.get("ETag") or ""
        self.modified = response.headers.get("Last-Modified") or ""
        note = {"url": self.url, "etag": self.etag, "modified": self.modified}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(b"")
        self.note.write_text(json.dumps(note))

    def forget(self) -> None:
        remove(self.path)
        remove(self.note)

    def finish(self) -> None:
        self.path.replace(self.to)
        remove(self.note)


class _Fetcher:
    """Requests a file until it has arrived or patience ends."""

    def __init__(self, part: _PartFile, progress: Progress, patience: Patience) -> None:
        self.part, self.progress, self.patience = part, progress, patience
        self.opener = _opener(part.url)
        self.reached = False
        self.end = time.monotonic() + patience.total_s

    def run(self) -> None:
        """Download the file; remove what cannot be resumed."""
        try:
            self._run()
        except BaseException:
            if not self.part.resumable:
                self.part.forget()
            raise

    def _run(self) -> None:
        vain, best = 0, self.part.size
        for _ in range(_MOST_ROUNDS):
            slow = False
            try:
                if self._round():
                    return
                reason, wait = "the connection broke off", 0.0
            except (_BrokenOffError, http.client.HTTPException, OSError) as error:
                reason, wait = _reason(error, self.part.url)
                slow = isinstance(error, _TooSlowError)
            more = self.part.resumable and self.part.size > best and not slow
            vain = 0 if more else vain + 1
            best = max(best, self.part.size)
            if vain >= self.patience.tries or not self.reached or time.monotonic() > self.end:
                break
            if vain:
                time.sleep(min(max(wait, self.patience.wait_s * 2 ** (vain - 1)), 60.0))
        kept = " (what has come so far is kept)" if self.part.resumable else ""
        raise InputError(
            f"cannot be fetched: {reason}{kept}", where=_host(self.part.url),
            remedy="check the connection and try again, or build from files that you have",
        )  # fmt: skip

    def _round(self) -> bool:
        """Return one request; True if the file is whole then."""
        at = self.part.size if self.part.resumable else 0
        headers = {"Range": f"bytes={at}-"} if at else {}
        if at and self.part.condition:
            headers["If-Range"] = self.part.condition
        request = urllib.request.Request(self.part.url, headers=headers)
        try:
            response = self.opener.open(request, timeout=self.patience.timeout_s)
        except urllib.error.HTTPError as error:
            self.reached = True
            with error:
                if error.code != 416:
                    raise
                whole = error.headers.get("Content-Range", "") == f"bytes */{at}"
            if not whole:
                self.part.forget()
            return whole and at > 0
        self.reached = True
        with response:
            return self._receive(response, at)

    def _receive(self, response: http.client.HTTPResponse, at: int) -> bool:
        total = _length(response)
        if response.status == 206:
            first, whole = _content_range(response)
            if first != at:
                self.part.forget()
                raise _BrokenOffError("the server sent another part than asked for")
            total = whole
        else:  # the whole file: another version, or a server that knows no parts
            self.part.begin(response)
            at = 0
        if total is not None:
            self._check_size(total, total - at)
        with self.part.path.open("ab") as file:
            got = self._copy(response, file, at, total)
        return got == total if total is not None else True

    def _copy(
        self, response: http.client.HTTPResponse, file: IO[bytes], got: int, total: int | None
    ) -> int:
        since, mark = time.monotonic(), got
        while block := response.read1(_BLOCK):
            got += len(block)
            if got > self.patience.most_bytes or (total is not None and got > total):
                raise self._too_large(got)
            file.write(block)
            if total:
                self.progress(got / total)
            now = time.monotonic()
            if now > self.end:
                raise _TooSlowError(f"it takes longer than {_time(self.patience.total_s)}")
            if now - since > self.patience.slow_s:
                if got - mark < self.patience.least_rate * (now - since):
                    least = f"{self.patience.least_rate / 1e3:g} kB/s"
                    raise _TooSlowError(f"the server sends next to nothing (under {least})")
                since, mark = now, got
        return got

    def _check_size(self, total: int, rest: int) -> None:
        if total > self.patience.most_bytes:
            raise self._too_large(total)
        free = shutil.disk_usage(self.part.path.parent).free
        if rest > free:
            raise InputError(
                f"needs {_gb(rest)}, and {_gb(free)} are free", where=str(self.part.path.parent)
            )

    def _too_large(self, size: int) -> InputError:
        self.part.forget()
        most = _gb(self.patience.most_bytes)
        return InputError(
            f"is larger than it may be ({_gb(size)} or more, at most {most})", where=self.part.url
        )


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Few, and never from an encrypted address to one that is not, nor to another kind."""

    max_redirections = _MOST_REDIRECTS
    max_repeats = 2

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        local = new.hostname in LOOPBACK and old.hostname in LOOPBACK
        plain_before = old.scheme == "http" and old.hostname not in LOOPBACK
        if new.scheme != "https" and not (new.scheme == "http" and (local or plain_before)):
            raise InputError(
                f"leads on to {newurl[:200]!r}, which is not encrypted", where=req.full_url
            )
        made = super().redirect_request(req, fp, code, msg, headers, newurl)
        if made is not None:
            for name in ("Range", "If-range"):
                if req.has_header(name):
                    made.add_header(name, str(req.get_header(name)))
        return made


def _opener(url: str) -> urllib.request.OpenerDirector:
    """Return an opener that speaks HTTP alone: no files, no FTP, no cookies, no passwords."""
    opener = urllib.request.OpenerDirector()
    proxies: dict[str, str] | None = {} if urlsplit(url).hostname in LOOPBACK else None
    handlers = (
        urllib.request.ProxyHandler(proxies),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
        _Redirects(),
    )
    for handler in handlers:
        opener.add_handler(handler)
    opener.addheaders = [("User-Agent", "footfall"), ("Accept-Encoding", "identity")]
    return opener


def _length(response: http.client.HTTPResponse) -> int | None:
    stated = response.headers.get("Content-Length", "")
    chunked = "chunked" in response.headers.get("Transfer-Encoding", "").lower()
    return int(stated) if stated.isdecimal() and not chunked else None


def _content_range(response: http.client.HTTPResponse) -> tuple[int, int | None]:
    """Return where a part begins and how large the whole is; (-1, None) if that makes no sense."""
    found = re.fullmatch(
        r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})", response.headers.get("Content-Range", "")
    )
    if not found or not int(found[1]) <= int(found[2]) == int(found[3]) - 1:
        return -1, None
    return int(found[1]), int(found[3])


def _reason(error: Exception, url: str) -> tuple[str, float]:
    """Return why a request failed and how long to wait; raise if it will always fail."""
    if isinstance(error, urllib.error.HTTPError):
        if error.code in range(300, 400):
            raise InputError("leads on and on, or nowhere", where=url) from None
        if error.code not in _TRY_LATER:
            said = " ".join(str(error.reason).split())[:80]
            raise InputError(
                f"the server answers {error.code} {said}".rstrip(), where=url
            ) from None
        wait = 0.0
        with suppress(ValueError):
            wait = float(error.headers.get("Retry-After") or 0.0)
        return f"the server answers {error.code}", wait if 0.0 <= wait <= 60.0 else 60.0
    cause: object = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, ssl.SSLCertVerificationError):
        raise InputError("its certificate is not valid", where=_host(url)) from None
    if isinstance(cause, TimeoutError):
        return "the server does not answer", 0.0
    if isinstance(cause, _BrokenOffError):
        return str(cause), 0.0
    if isinstance(cause, http.client.HTTPException):
        return "the server's answer is cut off or makes no sense", 0.0
    if isinstance(cause, OSError):
        disk = not isinstance(error, urllib.error.URLError) and cause.filename is not None
        if disk or cause.errno in (28, 122):  # no space, no quota
            raise InputError(f"cannot be written ({cause.strerror})", where=str(cause.filename))
        return _offline(cause), 0.0
    return " ".join(str(cause).split())[:200] or "it failed", 0.0


def _offline(cause: OSError) -> str:
    said = " ".join((cause.strerror or type(cause).__name__).split())
    return f"this machine is offline or the server is ({said})"


def _host(url: str) -> str:
    return urlsplit(url).hostname or url


def _time(seconds: float) -> str:
    return f"{seconds / 60.0:g} minutes" if seconds >= 60.0 else f"{seconds:g} s"


def _gb(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{size / 1e6:.1f} MB"
