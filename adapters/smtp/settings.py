"""The settings of the mail server."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

Security: TypeAlias = Literal["starttls", "tls", "none"]
"""How the connection is encrypted: upgraded to TLS by STARTTLS, with TLS from the start, or not at all."""

DEFAULT_PORTS: dict[Security, int] = {"starttls": 587, "tls": 465, "none": 25}


class SmtpSettingsError(ValueError):
    """An invalid combination of settings; the message names the settings and what to change."""


@dataclass(frozen=True)
class SmtpSettings:
    """A mail server and the account on it.

    Attributes:
        host: The host name of the mail server.
        sender: The address that mails are sent from.
        port: The port; None means 587, 465 or 25, depending on `security`.
        security: How the connection is encrypted.
        username: The name to log in with; None without a login.
        password: The password to log in with; required with `username`, and never sent unencrypted.
        ca_file: A PEM file with the trusted certificate authorities; None trusts those of the system.
        timeout_s: The timeout of each network operation in seconds.

    Raises:
        SmtpSettingsError: the settings are incomplete or contradict each other.
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
                raise SmtpSettingsError(f"smtp.{name} is missing; set it, for example smtp.{name}={example}")
        if (self.username is None) != (self.password is None):
            given, missing = ("username", "password") if self.password is None else ("password", "username")
            raise SmtpSettingsError(f"smtp.{given} is set without smtp.{missing}; set both to log in, or neither")
        if self.username is not None and self.security == "none":
            raise SmtpSettingsError(
                "smtp.security=none would send smtp.password unencrypted; use starttls or tls, or remove username and password"
            )
        if self.ca_file is not None and not self.ca_file.is_file():
            raise SmtpSettingsError(f"smtp.ca.file '{self.ca_file}' does not exist; set it to a file with PEM certificates")

    @property
    def address(self) -> str:
        """The host and the port, separated by a colon."""
        return f"{self.host}:{self.port_number}"

    @property
    def port_number(self) -> int:
        """The port, with the default applied."""
        return DEFAULT_PORTS[self.security] if self.port is None else self.port
