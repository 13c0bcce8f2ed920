"""Files of this user in the system's folder for temporary files, which no other user can write."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path


class PrivateFolderError(OSError):
    """A private folder or file cannot be trusted; the message has its path and the fix."""


def private_folder(purpose: str, cure: str) -> Path:
    """Return this user's folder `eddyline-<purpose>-<uid>`; create it if it is missing.

    Args:
        purpose: What the folder is for, a part of its name.
        cure: What a user can do if it cannot be trusted, for the message; the first choice is to remove it.

    Raises:
        PrivateFolderError: Someone else could write there: the folder has another owner or mode, or is a link.
    """
    folder = Path(tempfile.gettempdir(), f"eddyline-{purpose}-{os.getuid()}")
    with suppress(FileExistsError):
        folder.mkdir(0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or not _only_own(found, stat.S_IWGRP | stat.S_IWOTH):
        raise PrivateFolderError(f"'{folder}' is no directory that only you can write; remove it, or {cure}")
    return folder


def write_secret(file: Path, secret: str) -> None:
    """Write a file that only this user can read, in one step; what was there is replaced."""
    new = file.with_name(f".{file.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as opened:
        opened.write(secret)
    new.replace(file)


def read_secret(file: Path) -> str | None:
    """Return what `write_secret` has written, None if the file is missing.

    Raises:
        PrivateFolderError: Someone else could read or write it, or it is no file.
    """
    try:
        opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _not_own(file) from error
    with os.fdopen(opened, encoding="ascii", errors="replace") as content:
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode) or not _only_own(found, stat.S_IRWXG | stat.S_IRWXO):
            raise _not_own(file)
        return content.read()


def _only_own(found: os.stat_result, of_others: int) -> bool:
    """Return whether this user owns a file, whose mode gives others none of these permissions."""
    return found.st_uid == os.getuid() and not found.st_mode & of_others


def _not_own(file: Path) -> PrivateFolderError:
    return PrivateFolderError(f"'{file}' is no file that only you can read; remove it, and start the server again")
