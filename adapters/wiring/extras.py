"""Extras of the package: optional libraries."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final


class MissingExtraError(RuntimeError):
    """A library of an extra is not installed; the message says how to install it."""


_COMES_WITH: Final = {"py4j": "pyspark"}
"""Libraries that are installed with others, by those."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Name the extra to install when an import fails.

    Raises:
        MissingExtraError: a module that the `with` block imports is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        library = _COMES_WITH.get(missing.name or "", missing.name)
        raise MissingExtraError(f"{library} is not installed; install it with: pip install 'eddyline[{name}]'") from missing
