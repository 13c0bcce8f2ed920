"""Who may ask the server: credentials, rate limit, and the names under which it is asked."""

import base64
import binascii
import time
from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eddyline.adapters.web.options import LOOPBACK_NAMES, ServerOptions
from eddyline.adapters.web.problems import ProblemError
from eddyline.adapters.web.rate_limit import RateLimit
from eddyline.adapters.web.roles import Role, set_role

_OPEN_PATHS = frozenset({"/health/live", "/health/ready"})


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
    """Refuses requests without credentials, too many requests, and foreign names of a server on loopback.

    Without credentials a web page could let its own host name point to 127.0.0.1 and read the state in the browser of a user
    (DNS rebinding), so the server answers only under names of loopback then. Probes of health need no credentials.
    """

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        self._app = app
        self._protected = options.protected
        self._credentials = Credentials(options)
        self._limit = RateLimit(options.rate_limit, time.monotonic)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Cache-Control"] = "no-store"
                headers["X-Content-Type-Options"] = "nosniff"
            await send(message)

        refused = self._refused(scope)
        answer = self._app if refused is None else refused.response()
        await answer(scope, receive, send_with_headers)

    def _refused(self, scope: Scope) -> ProblemError | None:
        if scope["path"] in _OPEN_PATHS:
            return None
        client = scope.get("client") or ("",)
        if not self._limit.allows(str(client[0])):
            detail = "too many requests of this client; send fewer, or raise the setting server.rate.limit"
            return ProblemError(HTTPStatus.TOO_MANY_REQUESTS, "rate-limit", detail, headers={"Retry-After": "1"})
        headers = Headers(scope=scope)
        if not self._protected:
            set_role(scope, Role.OPERATOR)
            return None if _is_loopback_name(headers.get("host", "")) else _foreign_name()
        role = self._credentials.role(headers.get("authorization"))
        if role is not None:
            set_role(scope, role)
            return None
        detail = "the request has no valid credentials; send the header Authorization with the token or login of the server"
        challenge = {"WWW-Authenticate": self._credentials.challenge}
        return ProblemError(HTTPStatus.UNAUTHORIZED, "unauthorized", detail, headers=challenge)


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
