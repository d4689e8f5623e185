"""A web server on this machine that behaves as badly as it is told to."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Manners:
    """What is served and how.

    files        path -> content
    breaks       how many bytes each request sends before the connection is cut; None: all
    ranges       whether parts are given
    etag         the version; empty: none is told
    length       whether the length is told
    status       path -> statuses that the next requests get instead
    redirects    path -> where it leads
    wrong_range  answers with another part than asked for
    drip_s       seconds between bytes
    """

    files: dict[str, bytes] = field(default_factory=dict)
    breaks: list[int | None] = field(default_factory=list)
    ranges: bool = True
    etag: str = '"one"'
    length: bool = True
    status: dict[str, list[int]] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    wrong_range: bool = False
    drip_s: float = 0.0
    url: str = ""
    asked: list[dict[str, str]] = field(default_factory=list)
    sent: int = 0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    manners: Manners

    def do_GET(self) -> None:
        tell = self.manners
        tell.asked.append({"path": self.path, **{k.lower(): v for k, v in self.headers.items()}})
        self.close_connection = True
        waiting = tell.status.get(self.path)
        if waiting:
            self._empty(waiting.pop(0))
        elif self.path in tell.redirects:
            self._empty(302, {"Location": tell.redirects[self.path]})
        elif self.path in tell.files:
            self._send(tell.files[self.path])
        else:
            self._empty(404)

    def _send(self, content: bytes) -> None:
        tell = self.manners
        first, stated = 0, self.headers.get("Range", "")
        fits = self.headers.get("If-Range", tell.etag) == tell.etag
        if tell.ranges and stated and fits:
            first = int(stated.removeprefix("bytes=").removesuffix("-"))
            if first >= len(content):
                self._empty(416, {"Content-Range": f"bytes */{len(content)}"})
                return
            first += 3 if tell.wrong_range else 0
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        if tell.etag:
            self.send_header("ETag", tell.etag)
        if tell.length:
            self.send_header("Content-Length", str(len(content) - first))
        self.end_headers()
        self._body(content[first:])

    def _body(self, content: bytes) -> None:
        tell = self.manners
        most = tell.breaks.pop(0) if tell.breaks else None
        content = content if most is None else content[:most]
        tell.sent += len(content)
        if tell.drip_s:
            for k in range(len(content)):
                try:
                    self.wfile.write(content[k : k + 1])
                except OSError:
                    return
                time.sleep(tell.drip_s)
        else:
            self.wfile.write(content)

    def _empty(self, status: int, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""


@contextmanager
def web_server() -> Iterator[Manners]:
    """A server; what it does can be changed while it runs."""
    manners = Manners()
    handler = type("Handler", (_Handler,), {"manners": manners})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        manners.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield manners
        finally:
            server.shutdown()
            thread.join()
