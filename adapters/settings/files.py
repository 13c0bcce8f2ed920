"""Files that users name: a pipe or a device, on which a read would wait or never end, is refused."""

import errno
import os
import re
import tomllib
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, Final

_MAX_BYTES: Final = 64_000_000
_LOCATION: Final = re.compile(r"(^|\.)(ca|certificate|key|keystore|crl)\.location$")


class TomlError(ValueError):
    """The content of a file is not TOML; the message says why."""


def read_toml_file(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file.

    Raises:
        OSError: As `read_text_file`.
        TomlError: It is not TOML.
    """
    try:
        return tomllib.loads(read_text_file(path))
    except UnicodeDecodeError:
        raise TomlError("it is not in UTF-8") from None
    except RecursionError:
        raise TomlError("it is nested too deeply") from None
    except ValueError as invalid:
        raise TomlError(str(invalid)) from None


def reason_of(error: Exception) -> str:
    """Return why a file cannot be accessed, as a part of a sentence."""
    return str(getattr(error, "strerror", None) or error).lower()


def read_text_file(path: Path) -> str:
    """Return the text of a file in UTF-8: of settings, a service, a schema, a description or a case.

    Raises:
        OSError: It cannot be read, is no regular file, or is larger than 64 million bytes.
        UnicodeDecodeError: It is not in UTF-8.
    """
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "Is no regular file", str(path))
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise OSError(errno.EFBIG, "Is larger than 64 million bytes", str(path))
    return content.decode("utf-8-sig").replace("\r\n", "\n")


def regular_file(path: Path) -> Path:
    """Return the path of a file, which may not exist. Raises ValueError if it is something else."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return path
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot be accessed: {reason_of(error)}; give the path of a file") from None
    if not S_ISREG(mode):
        raise ValueError(f"is {'a directory' if S_ISDIR(mode) else 'no regular file'}; give the path of a file")
    return path


def check_location(name: str, value: object) -> None:
    """Check a setting of a client that is the path of a certificate or key. Raises ValueError if it is a pipe or a device."""
    if _LOCATION.search(name) and isinstance(value, str) and not Path(value).is_dir():
        regular_file(Path(value))
