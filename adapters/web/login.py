"""The login of browsers: a form that takes the token, or the user and password, and sets a cookie for the page."""

import asyncio
from collections.abc import Callable
from html import escape
from http import HTTPStatus
from importlib.resources import files
from string import Template
from urllib.parse import parse_qs, quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from eddyline.adapters.web.connections import REQUEST_S
from eddyline.adapters.web.options import ServerOptions, basic_authorization
from eddyline.adapters.web.roles import Role
from eddyline.adapters.web.sessions import LIFETIME_S, Sessions

PAGE_PATH = "/ui"
"""Where the page is."""
LOGIN_PATH = "/login"
_LOGOUT_PATH = "/logout"
_MAX_BODY = 8_192
_FAILED_PAUSE_S = 0.5
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    )
}


def session_cookie(options: ServerOptions) -> str:
    """Return the name of the cookie; browsers share cookies between the ports of a host, so it has the port."""
    return f"eddyline_session_{options.port}"


def login_address(path: str, query: str) -> str:
    """Return the address of the login that leads on to a path of the page."""
    return f"{LOGIN_PATH}?next={quote(path + ('?' + query if query else ''), safe='/')}"


def logged_in(target: str, options: ServerOptions, secret: str) -> Response:
    """Return the answer that lets a browser keep the secret of its session and leads it on."""
    answer = RedirectResponse(target, HTTPStatus.SEE_OTHER)
    answer.set_cookie(
        session_cookie(options), secret, max_age=LIFETIME_S, secure=options.scheme == "https", httponly=True, samesite="lax"
    )
    return answer


class Login:
    """The routes of the login.

    Args:
        options: The options of the server.
        sessions: The sessions to begin and to end.
        role_of: Returns the role that the value of an Authorization header gives, None if it does not open the server.
    """

    def __init__(self, options: ServerOptions, sessions: Sessions, role_of: Callable[[str], Role | None]) -> None:
        self._options, self._sessions, self._role_of = options, sessions, role_of

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(include_in_schema=False)
        router.add_api_route(LOGIN_PATH, self.form, methods=["GET"])
        router.add_api_route(LOGIN_PATH, self.log_in, methods=["POST"])
        router.add_api_route(_LOGOUT_PATH, self.log_out, methods=["POST"])
        return router

    async def form(self, request: Request) -> Response:
        """Show the form."""
        return self._form(_next(request.query_params.get("next", "")))

    async def log_in(self, request: Request) -> Response:
        """Begin a session if the credentials are right, and go to the page."""
        body = b""
        try:
            async with asyncio.timeout(REQUEST_S):
                async for part in request.stream():
                    body += part
                    if len(body) > _MAX_BODY:
                        return Response(status_code=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        except TimeoutError:
            return Response(status_code=HTTPStatus.REQUEST_TIMEOUT, headers={"Connection": "close"})
        fields = {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}
        target = _next(fields.get("next", ""))
        role = self._role_of(_authorization(fields))
        if role is None:
            await asyncio.sleep(_FAILED_PAUSE_S)
            return self._form(target, failed=True)
        return logged_in(target, self._options, self._sessions.begin(role))

    async def log_out(self, request: Request) -> Response:
        """End the session."""
        name = session_cookie(self._options)
        self._sessions.end(request.cookies.get(name, ""))
        answer = RedirectResponse(LOGIN_PATH, HTTPStatus.SEE_OTHER)
        answer.delete_cookie(name)
        return answer

    def _form(self, target: str, *, failed: bool = False) -> Response:
        fields = []
        if self._options.token is not None or self._options.operator_token is not None:
            fields.append(_field("token", "Token", "password", "current-password"))
        if self._options.username is not None or self._options.operator_username is not None:
            fields.append(_field("username", "User", "text", "username"))
            fields.append(_field("password", "Password", "password", "current-password"))
        either = "<p>Enter the token, or the user and password.</p>" if len(fields) > 2 else ""  # noqa: PLR2004 - both ways
        error = '<p class="error" role="alert">These credentials are not valid. Check them and try again.</p>' if failed else ""
        template = Template(files(__package__).joinpath("login.html").read_text("utf-8"))
        text = template.substitute(next=escape(target), fields=either + "".join(fields), error=error)
        return HTMLResponse(text, HTTPStatus.UNAUTHORIZED if failed else HTTPStatus.OK, headers=_HEADERS)


def _field(name: str, label: str, kind: str, autocomplete: str) -> str:
    return (
        f'<label for="{name}">{label}</label>'
        f'<input id="{name}" name="{name}" type="{kind}" autocomplete="{autocomplete}" autocapitalize="none" spellcheck="false">'
    )


def _authorization(fields: dict[str, str]) -> str:
    if "token" in fields:
        return f"Bearer {fields['token']}"
    return basic_authorization(fields.get("username", ""), fields.get("password", ""))


def _next(target: str) -> str:
    """Return where a login leads to: only to the page, never to another host."""
    return target if target.startswith(f"{PAGE_PATH}/") and "\\" not in target and "//" not in target else f"{PAGE_PATH}/"
