"""Checks of the values of settings; each returns the value, or raises a ValueError that says what to give instead."""

import re
from pathlib import Path
from stat import S_ISDIR
from typing import Final
from urllib.parse import urlsplit

from eddyline.adapters.settings.files import reason_of
from eddyline.adapters.spark.settings import is_uri
from eddyline.application.runtime.plan.application_ids import why_invalid

_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def check_text(value: object, default: object) -> None:
    """Check that the text of a setting or path is neither empty, unless that is the default, nor has control characters."""
    if not isinstance(value, str | Path):
        return
    text = str(value)
    found = _CONTROL.search(text)
    if found is not None:
        raise ValueError(f"has the control character {found[0]!a}; leave it out")
    if not text.strip() and value != default:
        raise ValueError("is empty; give it a value, or leave the setting out")


def checked_application_id(name: str) -> str:
    """Return the name of an application."""
    reason = why_invalid(name)
    if reason:
        raise ValueError(reason)
    return name


def checked_version(name: str) -> str:
    """Return the version of a flow, which becomes a part of names."""
    if not re.fullmatch(r"[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,39}", name):
        raise ValueError("use 1 to 40 letters, digits, dots, hyphens and underscores, with no dot at the beginning")
    return name


def http_url(text: str) -> str:
    """Return the URL of a server."""
    try:
        found = urlsplit(text)
        is_url = found.scheme in {"http", "https"} and bool(found.hostname) and found.port != 0 and not re.search(r"\s", text)
    except ValueError:
        is_url = False
    if not is_url:
        raise ValueError("must begin with http:// or https:// and name a host, for example http://127.0.0.1:8642")
    return text


def checkpoint_directory(text: str) -> str:
    """Return the directory or the URI of checkpoints."""
    if not is_uri(text):
        local_directory(Path(text))
    return text


def local_directory(path: Path) -> Path:
    """Return the path of a local directory, which may not exist yet."""
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+:/", str(path)):
        raise ValueError("is a URI; give the path of a local directory, and the URI of checkpoints as checkpoint.dir")
    try:
        found = path.stat()
    except FileNotFoundError:
        return path
    except NotADirectoryError:
        file = next(parent for parent in path.parents if parent.is_file())
        raise ValueError(f"is below '{file}', which is a file; give the path of a directory") from None
    except OSError as error:
        raise ValueError(f"cannot be accessed: {reason_of(error)}; give the path of a directory") from None
    if not S_ISDIR(found.st_mode):
        raise ValueError("is a file; give the path of a directory")
    return path
