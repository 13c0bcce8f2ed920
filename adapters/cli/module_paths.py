"""Modules given by their paths: `./fraud`, `fraud.py` or `src/fraud/flows.py` instead of `fraud` or `fraud.flows`."""

import os
import sys
from pathlib import Path

from eddyline.adapters.cli.errors import UsageError

_SUFFIX = ".py"
_PACKAGE = "__init__.py"
_FLOWS = "flows.py"


def is_path(text: str) -> bool:
    """Return whether a text is the path of a Python file or a folder, rather than the name of a module."""
    return os.sep in text or text.endswith(_SUFFIX) or text.startswith((".", "~"))


def importable(text: str) -> str:
    """Return the name of the module at a path, and let Python find it.

    A folder is a package; without an `__init__.py`, its `flows.py` is taken. The workers of Spark search where this process does.

    Raises:
        UsageError: there is no such file, or a name is not one of Python.
    """
    path = Path(text).expanduser().resolve()
    if path.is_dir() and not (path / _PACKAGE).exists() and (path / _FLOWS).exists():
        path /= _FLOWS
    if not (path.is_dir() or (path.is_file() and path.suffix == _SUFFIX)):
        raise UsageError(f"'{text}' is neither a Python file nor a folder; check --flows")
    names, folder = [path.stem], path.parent
    while (folder / _PACKAGE).exists():
        names.insert(0, folder.name)
        folder = folder.parent
    if not all(name.isidentifier() for name in names):
        raise UsageError(f"'{text}' cannot be imported: '{'.'.join(names)}' is not the name of a Python module; rename it")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return ".".join(names)
