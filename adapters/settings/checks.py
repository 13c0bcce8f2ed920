"""Checks of the values of settings; each returns the value, or raises a ValueError that says what to give instead."""

import re
from pathlib import Path

from eddyline.application.runtime.application_ids import why_invalid


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


def local_directory(path: Path) -> Path:
    """Return the path of a local directory, which may not exist yet."""
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+:/", str(path)):
        raise ValueError("is a URI; give the path of a local directory, and the URI of checkpoints as checkpoint.dir")
    if path.exists() and not path.is_dir():
        raise ValueError("is a file; give the path of a directory")
    return path
