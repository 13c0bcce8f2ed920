"""The options of the query server, checked together."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Self

DEFAULT_PORT = 8642
_SECRETS = ("token", "username", "password", "operator_token", "operator_username", "operator_password")
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """Where the server listens, who may ask it, and how much.

    Args:
        host: The address to listen on.
        port: The port; 0 is any free port.
        token: The bearer token that clients must send.
        username: The user of the basic login, as an alternative to the token.
        password: The password of this user.
        operator_token: The bearer token of operators, who may also redrive dead letters and stop the run.
        operator_username: The user of the basic login of operators.
        operator_password: The password of this user.
        generated: Whether the token of operators was generated, so that programs of this user are to find it.
        certificate: The PEM file of the TLS certificate chain; None for HTTP without TLS.
        private_key: The PEM file of its private key, None if it is in the file of the certificate.
        ca_file: The PEM file of authorities to verify other instances with, None for those that the system trusts.
        rate_limit: The greatest number of requests per second and client; 0 for no limit.
        max_timeout_s: The longest time that a request may wait for an offset.
        max_waiting: The greatest number of requests that wait at a time.
        max_streams: The greatest number of event streams at a time.
        event_interval_s: The least time between two events of a stream.
        discovery_s: The least time between two looks for new stores.
        sessions: Sessions of browsers that have begun on an earlier server, as `Sessions.left` returns them.

    Raises:
        ValueError: Options do not fit together, or access is open to others than this machine.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    token: str | None = None
    username: str | None = None
    password: str | None = None
    operator_token: str | None = None
    operator_username: str | None = None
    operator_password: str | None = None
    generated: bool = False
    certificate: Path | None = None
    private_key: Path | None = None
    ca_file: Path | None = None
    rate_limit: int = 2_000
    max_timeout_s: float = 30.0
    max_waiting: int = 64
    max_streams: int = 100
    event_interval_s: float = 0.1
    discovery_s: float = 1.0
    sessions: Mapping[str, tuple[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for role in ("", "operator."):
            user, password = (getattr(self, f"{role}{part}".replace(".", "_")) for part in ("username", "password"))
            if (user is None) != (password is None):
                missing, given = ("password", "username")[:: 1 if password is None else -1]
                raise ValueError(f"setting 'server.{role}{given}' needs 'server.{role}{missing}'; set both or neither")
        if self.private_key is not None and self.certificate is None:
            raise ValueError("setting 'server.tls.key.file' needs 'server.tls.cert.file'; set both or neither")
        empty = [name for name in _SECRETS if getattr(self, name) == ""]
        if empty:
            raise ValueError(f"setting 'server.{empty[0].replace('_', '.')}' is empty; give it a value or leave it out")
        unsendable = [name for name in _SECRETS[::3] if not _is_sendable(getattr(self, name) or "")]
        if unsendable:
            raise ValueError(
                f"setting 'server.{unsendable[0].replace('_', '.')}' has characters that a header cannot have; use letters, "
                "digits and signs of ASCII without spaces, such as 'openssl rand -hex 16' prints"
            )
        for own, of_operator in (("token", "operator_token"), ("username", "operator_username")):
            if getattr(self, own) is not None and getattr(self, own) == getattr(self, of_operator):
                raise ValueError(
                    f"setting 'server.{of_operator.replace('_', '.')}' equals 'server.{own}', so that every reader would be an "
                    "operator; give it another value, or leave out the one for readers"
                )
        if not self.protected and not is_loopback(self.host):
            raise ValueError(
                f"address '{self.host}' (server.host) is not loopback, so access must be restricted: set "
                "server.token (EDDYLINE_SERVER_TOKEN), or server.username and server.password; or listen on 127.0.0.1"
            )

    def following(self, left: Mapping[str, Any]) -> Self:
        """Return the options of a server that takes the place of one of this machine: with its port, token and sessions.

        Args:
            left: What `QueryServer.left` of the other server has returned; empty if there was none.
        """
        given = {"port": left.get("port") if self.port == 0 else None, "sessions": left.get("sessions")}
        given["operator_token"] = left.get("token") if self.generated else None
        return replace(self, **{name: value for name, value in given.items() if value is not None})

    @property
    def protected(self) -> bool:
        """Whether requests need a token or a login."""
        credentials = (self.token, self.username, self.operator_token, self.operator_username)
        return any(credential is not None for credential in credentials)

    @property
    def reader_authorization(self) -> str | None:
        """The value of the header Authorization with which readers of this server read, None if they need none."""
        token = self.token if self.token is not None or self.username is not None else self.operator_token
        if token is not None:
            return f"Bearer {token}"
        user, password = (
            (self.username, self.password)
            if self.username is not None
            else (
                self.operator_username,
                self.operator_password,
            )
        )
        return None if user is None else basic_authorization(user, password or "")

    @property
    def scheme(self) -> str:
        """The scheme of the server's URL."""
        return "http" if self.certificate is None else "https"


def basic_authorization(user: str, password: str) -> str:
    """Return the value of the header Authorization of a basic login."""
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


def _is_sendable(token: str) -> bool:
    return all("!" <= character <= "~" for character in token)


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
