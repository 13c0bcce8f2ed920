"""Which mail server, how it is spoken to, and as whom."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

Security: TypeAlias = Literal["starttls", "tls", "none"]
"""How the connection is made safe: turned into TLS before anything else is said, TLS from the start, or not at all."""

DEFAULT_PORTS: dict[Security, int] = {"starttls": 587, "tls": 465, "none": 25}


class SmtpSettingsError(ValueError):
    """The settings do not go together; the message names them and the cure."""


@dataclass(frozen=True)
class SmtpSettings:
    """A mail server and an account on it.

    `port` is 587, 465 or 25 by `security` when it is not given. The server's certificate is checked against the authorities
    that this machine trusts, or those in `ca_file` (PEM) alone. A login takes both `username` and `password`.
    Raises SmtpSettingsError, also for a login without TLS, which would tell the password to everyone on the way.
    """

    host: str
    sender: str
    port: int | None = None
    security: Security = "starttls"
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: Path | None = None
    timeout_s: float = 30.0

    def __post_init__(self) -> None:
        for name, given, example in (("host", self.host, "mail.example.org"), ("sender", self.sender, "alerts@example.org")):
            if not given:
                raise SmtpSettingsError(f"smtp.{name} is missing; give one, for example smtp.{name}={example}")
        if (self.username is None) != (self.password is None):
            given, missing = ("username", "password") if self.password is None else ("password", "username")
            raise SmtpSettingsError(f"smtp.{given} is given without smtp.{missing}; give both to log in, or neither")
        if self.username is not None and self.security == "none":
            raise SmtpSettingsError("smtp.password would be sent in the clear; choose smtp.security=starttls or tls, or no login")
        if self.ca_file is not None and not self.ca_file.is_file():
            raise SmtpSettingsError(f"smtp.ca.file {self.ca_file} does not exist; name a file of certificates in PEM")

    @property
    def address(self) -> str:
        """Host and port."""
        return f"{self.host}:{self.port_number}"

    @property
    def port_number(self) -> int:
        """The port, the usual one where none is given."""
        return DEFAULT_PORTS[self.security] if self.port is None else self.port
