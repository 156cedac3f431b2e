"""Access control: who may ask, from which page, and how much may be sent.

Pages of other sites can make a browser send requests here, and DNS rebinding can make the name of
such a site resolve to this machine. So the Host header must name this server, and requests that
change anything must come from a page of this server.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from secrets import compare_digest
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .settings import Settings, is_local

# More than any task of 30x30 grids, or any program, that a person would send.
MAX_BODY_BYTES = 1_000_000
# Digits of a Content-Length; Python refuses to parse numbers with thousands.
MAX_LENGTH_DIGITS = 20
COOKIE = "arcbatt_token"
SAFE_METHODS = frozenset({"GET", "HEAD"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


class BodyTooLarge(Exception):
    """The request body is too large."""


class Guard:
    """Middleware that rejects forbidden requests and adds security headers to every answer."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        # Browsers share cookies among all ports of a host, so the name includes the port.
        self._cookie = f"{COOKIE}_{settings.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = self._refusal(scope)
        if answer is not None:
            await answer(scope, receive, _with_headers(send))
            return
        n_bytes = 0
        has_begun = False

        async def count_bytes() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > MAX_BODY_BYTES:
                raise BodyTooLarge
            return message

        async def note_begin(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self.app(scope, count_bytes, _with_headers(note_begin))
        except BodyTooLarge:
            if has_begun:
                raise
            await _too_large(scope)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the answer to a rejected request."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_own(host):
            return _refuse(scope, 421, f"{host or 'a request without Host'} is not this server")
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site")
        own = f"{scope.get('scheme', 'http')}://{host}"
        if origin is not None and origin != own:
            return _refuse(scope, 403, f"requests from pages of {origin} are not answered")
        if scope["method"] in SAFE_METHODS:
            # Links from other sites are allowed; embedding our pictures or scripts is not.
            if site == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
                return _refuse(scope, 403, "requests from pages of other sites are not answered")
        elif origin is None and site != "same-origin":
            return _refuse(scope, 403, "a request that changes anything must come from a page here")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdecimal():
            return _refuse(scope, 400, "Content-Length is not a number")
        if len(length) > MAX_LENGTH_DIGITS or int(length) > MAX_BODY_BYTES:
            return _too_large(scope)
        return self._token_refusal(scope, headers)

    def _is_own(self, host: str) -> bool:
        name, port = _split_host(host)
        if port not in ("", str(self.settings.port)):
            return False
        if is_local(self.settings.host):
            return is_local(name)
        if name in (self.settings.host, socket.gethostname()) or is_local(name):
            return True
        try:  # an IP address cannot be rebound to another machine
            ip_address(name)
        except ValueError:
            return False
        return True

    def _token_refusal(self, scope: Scope, headers: Headers) -> Response | None:
        token = self.settings.token
        if token is None:
            return None
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"))
        if any(name == "token" and _same(value, token) for name, value in query):
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            # A path that starts with two slashes would be another host.
            path = "/" + scope["path"].lstrip("/\\")
            answer = RedirectResponse(path + (f"?{rest}" if rest else ""), 303)
            # Lax, not strict: links from other sites, and the link with the token, must work.
            answer.set_cookie(self._cookie, token, httponly=True, samesite="lax")
            return answer
        given = [headers.get("authorization", "").removeprefix("Bearer ")]
        given += _cookies(headers.getlist("cookie"), self._cookie)
        if any(_same(each, token) for each in given):
            return None
        return _refuse(
            scope,
            401,
            "this server asks for a token: open the address that it printed at its start",
        )


def _split_host(host: str) -> tuple[str, str]:
    """Return the name and port of a Host header, without the brackets of an IPv6 address."""
    if host.startswith("["):
        name, _, rest = host[1:].partition("]")
        return name, rest.removeprefix(":")
    name, _, port = host.partition(":")
    return name, port


def _cookies(headers: Iterable[str], name: str) -> list[str]:
    tokens = []
    for header in headers:
        try:
            cookie = SimpleCookie(header)
        except CookieError:
            continue
        if name in cookie:
            tokens.append(cookie[name].value)
    return tokens


def _same(given: str, token: str) -> bool:
    return compare_digest(given.encode(), token.encode())


def _refuse(scope: Scope, status: int, message: str) -> Response:
    if scope["path"].startswith("/api/"):
        return JSONResponse({"error": message}, status)
    return PlainTextResponse(f"{message}\n", status)


def _too_large(scope: Scope) -> Response:
    return _refuse(scope, 413, f"at most {MAX_BODY_BYTES:,} bytes are read")


def _with_headers(send: Send) -> Send:
    async def add(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return add
