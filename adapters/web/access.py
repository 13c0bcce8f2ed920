"""Who may ask the server: credentials, rate limit, and the names under which it is asked."""

import base64
import binascii
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from hmac import compare_digest
from http import HTTPStatus
from urllib.parse import urlencode

from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eddyline.adapters.web.connections import max_connections
from eddyline.adapters.web.login import LOGIN_PATH, PAGE_PATH, logged_in, login_address, session_cookie
from eddyline.adapters.web.options import LOOPBACK_NAMES, ServerOptions
from eddyline.adapters.web.problems import ProblemError
from eddyline.adapters.web.roles import OWN_SITES, Role, set_role
from eddyline.adapters.web.sessions import Sessions

_PROBES = frozenset({"/health", "/health/live", "/health/ready"})
_OPEN_PATHS = _PROBES | {LOGIN_PATH}
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_POLICY_VIOLATION = 1008
_MAX_BODY = 1_000_000
_TOKEN = "token"  # noqa: S105 - the name of a parameter


class Credentials:
    """The tokens and the logins that open the server; they are compared in constant time."""

    def __init__(self, options: ServerOptions) -> None:
        self._bearer = {
            Role.OPERATOR: _digest(options.operator_token),
            Role.READ_ONLY: _digest(options.token),
        }
        self._basic = {
            Role.OPERATOR: _digest(_login(options.operator_username, options.operator_password)),
            Role.READ_ONLY: _digest(_login(options.username, options.password)),
        }
        schemes = ((self._bearer, 'Bearer realm="eddyline"'), (self._basic, 'Basic realm="eddyline", charset="UTF-8"'))
        self.challenge = ", ".join(text for digests, text in schemes if any(digests.values()))

    def match(self, authorization: str | None) -> bool:
        """Return whether the value of an Authorization header opens the server."""
        return self.role(authorization) is not None

    def role(self, authorization: str | None) -> Role | None:
        """Return the role that the value of an Authorization header gives, None if it does not open the server."""
        scheme, _, value = (authorization or "").partition(" ")
        if scheme.lower() == "bearer":
            return _role_of(self._bearer, value.strip().encode())
        if scheme.lower() == "basic":
            try:
                return _role_of(self._basic, base64.b64decode(value.strip(), validate=True))
            except (binascii.Error, ValueError):
                return None
        return None


class AccessMiddleware:
    """Refuses requests without credentials, too many requests, foreign names of a server on loopback, and foreign pages.

    Without credentials a web page could let its own host name point to 127.0.0.1 and read the state in the browser of a user
    (DNS rebinding), so the server answers only under names of loopback then. Browsers let any web page open a web socket to any
    server and send it forms, so those, and requests of scripts for the page, must come from a page of this server. Probes of
    health need no credentials, nor does the login, to which browsers that ask for the page are redirected. An address of the page
    may have the token, as `?token=`: it begins a session, and leads on to the address without it.
    """

    def __init__(self, app: ASGIApp, options: ServerOptions, sessions: Sessions) -> None:
        self._app, self._options = app, options
        self._protected = options.protected
        self._credentials = Credentials(options)
        self._sessions = sessions
        self._cookie = session_cookie(options)
        self._limit = RateLimit(options.rate_limit, time.monotonic)
        self._under_way, self._max_under_way = 0, max_connections()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Cache-Control", "no-store")
                headers["X-Content-Type-Options"] = "nosniff"
            await send(message)

        request = HTTPConnection(scope)
        refusal = self._refusal(request)
        if refusal is None and scope["path"] in _PROBES:
            await self._app(scope, receive, send_with_headers)
        elif refusal is None:
            self._under_way += 1
            try:
                if scope["type"] == "websocket":
                    await self._app(scope, *self._while_logged_in(request, receive, send))
                else:
                    await self._app(scope, receive, send_with_headers)
            finally:
                self._under_way -= 1
        elif scope["type"] == "http":
            await refusal(scope, receive, send_with_headers)
        else:
            await receive()
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})

    def _while_logged_in(self, request: HTTPConnection, receive: Receive, send: Send) -> tuple[Receive, Send]:
        """Return what receives and sends the messages of a web socket until the session of its client ends."""
        closed = False

        async def close() -> None:
            nonlocal closed
            if not closed:
                closed = True
                await send({"type": "websocket.close", "code": _POLICY_VIOLATION})

        async def received() -> Message:
            message = await receive()
            if self._role(request) is not None:
                return message
            await close()
            return {"type": "websocket.disconnect", "code": _POLICY_VIOLATION}

        async def sent(message: Message) -> None:
            if self._role(request) is None:
                await close()
            elif not closed:
                await send(message)

        return received, sent

    def _refusal(self, request: HTTPConnection) -> Response | None:
        """Return the answer to a request that is refused, None if it is not."""
        problem = self._problem(request) or _too_large(request.headers)
        if self._protected and _is_navigation(request) and (problem is None or problem.status == HTTPStatus.UNAUTHORIZED):
            path, parameters = request.url.path, request.query_params.multi_items()
            query = urlencode([(name, value) for name, value in parameters if name != _TOKEN])
            tokens = [value for name, value in parameters if name == _TOKEN]
            role = self._credentials.role(f"Bearer {tokens[-1]}") if tokens else None
            if role is not None:
                return logged_in(path + ("?" + query if query else ""), self._options, self._sessions.begin(role))
            if problem is not None:
                return RedirectResponse(login_address(path, query), HTTPStatus.SEE_OTHER)
        return None if problem is None else problem.response()

    def _problem(self, request: HTTPConnection) -> ProblemError | None:
        path = request.scope["path"]
        client = request.scope.get("client") or ("",)
        if path not in _PROBES and not self._limit.allows(str(client[0])):
            detail = "too many requests of this client; send fewer, or raise the setting server.rate.limit"
            return ProblemError(HTTPStatus.TOO_MANY_REQUESTS, "rate-limit", detail, headers={"Retry-After": "1"})
        if path not in _PROBES and self._under_way >= self._max_under_way:
            detail = "too many requests are being answered; try again, or ask another instance"
            return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "overloaded", detail, headers={"Retry-After": "1"})
        host = request.headers.get("host", "")
        if not self._protected and path not in _PROBES and not _is_loopback_name(host):
            return _foreign_name()
        checked = request.scope.get("method") not in _SAFE_METHODS or path.startswith(f"{PAGE_PATH}/")
        if checked and not (_is_own_origin(request.headers, host) and _is_own_site(request)):
            detail = "a page of another server sent the request; use the page of this one"
            return ProblemError(HTTPStatus.FORBIDDEN, "foreign-origin", detail)
        role = self._role(request)
        if role is not None:
            set_role(request.scope, partial(self._role, request))
        if role is not None or path in _OPEN_PATHS:
            return None
        detail = (
            "the request has no valid credentials; send the header Authorization with the token or login of the server; commands "
            "take them from settings such as server.token (EDDYLINE_SERVER_TOKEN)"
        )
        challenge = {"WWW-Authenticate": self._credentials.challenge}
        return ProblemError(HTTPStatus.UNAUTHORIZED, "unauthorized", detail, headers=challenge)

    def _role(self, request: HTTPConnection) -> Role | None:
        """Return the role that the credentials or the session of a request give, None if it has neither and needs them."""
        if not self._protected:
            return Role.OPERATOR
        role = self._credentials.role(request.headers.get("authorization"))
        return role or self._sessions.role(request.cookies.get(self._cookie, ""))


def _is_navigation(request: HTTPConnection) -> bool:
    """Return whether a person asks for the page with a browser."""
    path = request.scope["path"]
    is_page = path in {"/", PAGE_PATH} or path.startswith(f"{PAGE_PATH}/")
    return is_page and request.scope["type"] == "http" and "text/html" in request.headers.get("accept", "")


def _is_own_origin(headers: Headers, host: str) -> bool:
    """Return whether a request comes from a page of this server, or from a program, which names no origin."""
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2].lower() == host.lower()


def _is_own_site(request: HTTPConnection) -> bool:
    """Return whether no page of another site sent the request, unless a person follows its link to the page."""
    headers = request.headers
    if headers.get("sec-fetch-site", "none") in OWN_SITES:
        return True
    method = request.scope.get("method")
    return method == "GET" and (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == ("navigate", "document")


def _too_large(headers: Headers) -> ProblemError | None:
    """Return why a body is refused: it is kept in memory before anything else is known of the request."""
    size = headers.get("content-length", "0")
    if "transfer-encoding" in headers:
        detail = "the request does not say how large its body is; send the header Content-Length"
        return ProblemError(HTTPStatus.LENGTH_REQUIRED, "length-required", detail)
    if size.isdecimal() and int(size[:20]) <= _MAX_BODY:
        return None
    detail = f"the body of the request has more than {_MAX_BODY:,} bytes; send several smaller requests"
    return ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", detail)


def _foreign_name() -> ProblemError:
    detail = "a server without credentials answers as localhost or 127.0.0.1 only; set server.token to use other names"
    return ProblemError(HTTPStatus.MISDIRECTED_REQUEST, "foreign-host", detail)


def _is_loopback_name(host: str) -> bool:
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return name.lower() in LOOPBACK_NAMES


def _login(username: str | None, password: str | None) -> str | None:
    return None if username is None else f"{username}:{password}"


def _digest(secret: str | None) -> bytes | None:
    return None if secret is None else sha256(secret.encode()).digest()


def _role_of(digests: Mapping[Role, bytes | None], given: bytes) -> Role | None:
    digest = sha256(given).digest()
    matching = [role for role, expected in digests.items() if expected is not None and compare_digest(expected, digest)]
    return matching[0] if matching else None


_MAX_CLIENTS = 10_000


class RateLimit:
    """A token bucket per client, which holds the requests of one second; only the latest 10,000 clients are remembered."""

    def __init__(self, per_second: int, clock: Callable[[], float]) -> None:
        self._per_second = per_second
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, client: str) -> bool:
        """Count a request of a client and return whether it may be answered."""
        if not self._per_second:
            return True
        now = self._clock()
        tokens, before = self._buckets.pop(client, (float(self._per_second), now))
        tokens = min(float(self._per_second), tokens + (now - before) * self._per_second)
        allowed = tokens >= 1
        self._buckets[client] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > _MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return allowed
