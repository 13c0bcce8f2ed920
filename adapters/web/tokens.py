"""Generated tokens: a server writes its own where programs of the same user on the same machine find it."""

import secrets
from pathlib import Path
from urllib.parse import urlsplit

from eddyline.adapters.private_files import private_folder, read_secret, write_secret
from eddyline.adapters.web.options import is_loopback

_PORTS = {"http": 80, "https": 443}


def generated_token() -> str:
    """Return a new token."""
    return secrets.token_urlsafe(32)


def publish(url: str, token: str) -> None:
    """Let programs of this user find the token of the server with this URL.

    Raises:
        PrivateFolderError: Someone else could write where the token is.
    """
    write_secret(_file(url), token)


def withdraw(url: str, token: str) -> None:
    """Remove the token of a server that has ended, unless another server has the URL by now."""
    if published_token(url) == token:
        _file(url).unlink(missing_ok=True)


def published_token(url: str) -> str | None:
    """Return the token that the server with this URL has published, None if there is none or the server is on another machine.

    Raises:
        PrivateFolderError: Someone else could write where the token is.
    """
    try:
        parts = urlsplit(url)
        found = parts.username is None and is_loopback(parts.hostname or "") and parts.port != 0
    except ValueError:
        return None
    return read_secret(_file(url)) if found else None


def _file(url: str) -> Path:
    parts = urlsplit(url)
    host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname
    folder = private_folder("servers", "set server.token for server and commands")
    return folder / f"{host}-{parts.port or _PORTS.get(parts.scheme, 0)}"
