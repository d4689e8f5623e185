"""Which requests are let in: Host, Origin and token are checked for HTTP and WebSockets alike."""

from __future__ import annotations

import hmac
import json
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")
COOKIE = "footfall_token"
_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; "
        "style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; media-src 'self' blob:; worker-src 'self' blob:; "
        "connect-src 'self' ws: wss: blob: data:; object-src 'none'; base-uri 'none'; "
        "frame-ancestors 'none'; form-action 'self'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """ASGI middleware that refuses foreign pages and adds security headers.

    host   the address that the server listens on
    token  what requests must carry; "" for none
    """

    def __init__(self, app: Any, host: str, token: str = "") -> None:
        self.app, self.host, self.token = app, host, token

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        problem = self._problem(scope, headers)
        if problem:
            await _refuse(scope, receive, send, problem)
            return
        cookie = self._cookie(scope)

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                known = {k.lower() for k, _ in message["headers"]}
                extra = {k: v for k, v in _HEADERS.items() if k.encode() not in known}
                if cookie:
                    extra["set-cookie"] = cookie
                message["headers"] = [
                    *message["headers"],
                    *((k.encode(), v.encode()) for k, v in extra.items()),
                ]
            await send(message)

        await self.app(scope, receive, send_with_headers)

    def _problem(self, scope: Any, headers: dict[str, str]) -> str:
        """Return why a request is refused, or nothing."""
        host = headers.get("host", "")
        if not self._is_own(_hostname(host)):
            return f"the host {host[:60]!r} is not served here"
        origin = headers.get("origin")
        if origin is not None and not _same_origin(origin, host):
            return f"pages of {origin[:60]!r} may not use this studio"
        if self.token and not self._has_token(scope, headers):
            return "the token is missing or wrong; open the address that the studio printed"
        return ""

    def _is_own(self, name: str) -> bool:
        if self.host in LOOPBACK:
            return name in LOOPBACK
        # An address that stands for all addresses cannot be compared: the token protects it.
        return self.host in ("0.0.0.0", "::") or name in (self.host.lower(), *LOOPBACK)

    def _has_token(self, scope: Any, headers: dict[str, str]) -> bool:
        given = [_query_token(scope), _cookie_token(headers.get("cookie", ""))]
        kind, _, word = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            given.append(word.strip())
        return any(hmac.compare_digest(one.encode(), self.token.encode()) for one in given)

    def _cookie(self, scope: Any) -> str:
        """Return the cookie that saves the token of an address opened once."""
        if not self.token or scope["type"] != "http" or _query_token(scope) != self.token:
            return ""
        return f"{COOKIE}={self.token}; Path=/; HttpOnly; SameSite=Strict"


def _hostname(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _same_origin(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _query_token(scope: Any) -> str:
    query: str = scope["query_string"].decode("latin-1")
    return parse_qs(query).get("token", [""])[0]


def _cookie_token(text: str) -> str:
    try:
        found = SimpleCookie(text).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value


async def _refuse(scope: Any, receive: Any, send: Any, problem: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": problem[:120]})
        return
    body = json.dumps({"error": problem, "where": "", "remedy": ""}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
