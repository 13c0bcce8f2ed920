"""Extras of the package: optional libraries."""

from collections.abc import Iterator
from contextlib import contextmanager


class MissingExtraError(RuntimeError):
    """A library of an extra is not installed; the message says how to install it."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Name the extra to install when an import fails.

    Raises:
        MissingExtraError: a module that the `with` block imports is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        raise MissingExtraError(f"{missing.name} is not installed; install it with: pip install 'eddyline[{name}]'") from missing
