"""What a client of the server may do, and that a request to do it comes from its own page or from no page at all."""

from collections.abc import Callable, MutableMapping
from enum import StrEnum
from http import HTTPStatus
from typing import Any

from fastapi import Request

from eddyline.adapters.web.problems import ProblemError

_ROLE = "eddyline.role"
OWN_SITES = frozenset({"same-origin", "none"})
"""The values of the header `Sec-Fetch-Site` of requests that no page of another site has sent."""
_JSON = "application/json"


class Role(StrEnum):
    """The roles of clients: an operator may also redrive dead letters and stop the run."""

    READ_ONLY = "read-only"
    OPERATOR = "operator"


def set_role(scope: MutableMapping[str, Any], role: Callable[[], Role | None]) -> None:
    """Store how the role of the client that has sent a request is found; `scope` is that of the request.

    A page stays open longer than the request, and its session may end meanwhile: then the role is None.
    """
    scope[_ROLE] = role


def role_of(scope: MutableMapping[str, Any]) -> Role:
    """Return the role of the client that has sent a request: read-only unless it was found to be an operator."""
    role: Callable[[], Role | None] = scope.get(_ROLE, lambda: None)
    return role() or Role.READ_ONLY


async def operator_only(request: Request) -> None:
    """Refuse a request that is to change something, unless an operator has sent it on purpose.

    Browsers add logins that they remember to requests of any page, and a server on loopback may need none, so a request that a
    page of another server has made is refused: it has a foreign `Origin` or `Sec-Fetch-Site`. The body must be declared as JSON,
    which browsers send to other servers only after asking them.

    Raises:
        ProblemError: The request is refused.
    """
    site, origin, host = (request.headers.get(name) for name in ("sec-fetch-site", "origin", "host"))
    foreign = origin is not None and origin.partition("://")[2] != host  # the scheme may be that of a proxy
    if foreign or site not in {None, *OWN_SITES}:
        detail = "a page of another server sent the request; send it from the page of this server, or without a browser"
        raise ProblemError(HTTPStatus.FORBIDDEN, "foreign-origin", detail)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
        detail = f"the body must be JSON; send the header Content-Type: {_JSON}, and {{}} if there is nothing to say"
        raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", detail)
    if role_of(request.scope) is not Role.OPERATOR:
        detail = (
            "these credentials may only read; send those of an operator, which the settings server.operator.token, or "
            "server.operator.username and server.operator.password, have"
        )
        raise ProblemError(HTTPStatus.FORBIDDEN, "operator-only", detail)
