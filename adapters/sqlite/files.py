"""The names of the files of sent alerts: `<topic> to <recipient>.sqlite`."""

from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import quote

_SUFFIX: Final = ".sqlite"
_LONGEST_NAME: Final = 255 - len("-journal")
"""The longest name in bytes: file systems allow 255, and SQLite creates a file beside it with a suffix."""


def file_of(folder: Path, topic: str, recipient: str) -> Path:
    """Return the file of the alerts of a topic to a recipient; names that are too long are replaced by their hashes."""
    name = f"{_quoted(topic)} to {_quoted(recipient)}{_SUFFIX}"
    if len(name) > _LONGEST_NAME:
        name = f"{_hash(topic)} to {_hash(recipient)}{_SUFFIX}"
    return folder / name


def files_of(folder: Path, topic: str) -> list[Path]:
    """Return the existing files of the alerts of a topic, sorted."""
    return sorted(path for name in (_quoted(topic), _hash(topic)) for path in folder.glob(f"{name} to *{_SUFFIX}"))


def _quoted(text: str) -> str:
    return quote(text, safe="@", errors="backslashreplace")


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
