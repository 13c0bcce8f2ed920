"""Moments of a run: all of its processes append lines `SECONDS NAME DETAIL` to the file that an environment variable names."""

import os
import time
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, Final, NamedTuple

VARIABLE: Final = "MOMENTS"


class Moment(NamedTuple):
    """When a process was somewhere, in seconds since the epoch; `detail` says more, as JSON."""

    at: float
    name: str
    detail: str = ""


def write(name: str, detail: str = "") -> None:
    """Append a moment, in one call, since several processes write to the file."""
    line = f"{time.time():.6f} {name} {detail}\n".encode()
    descriptor = os.open(os.environ[VARIABLE], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, line)
    os.close(descriptor)


def read(file: Path) -> list[Moment]:
    """Return the moments in a file in the order of their times."""
    found = (line.split(" ", 2) for line in file.read_text(encoding="utf-8").splitlines())
    return sorted(Moment(float(at), name, detail) for at, name, detail in found)


def traced(owner: Any, function: str, name: str) -> None:
    """Replace a function of a module or class by one that writes `NAME-begin` before and `NAME-end` after it."""
    original: Callable[..., Any] = getattr(owner, function)

    @wraps(original)
    def call(*args: Any, **options: Any) -> Any:
        write(f"{name}-begin")
        try:
            return original(*args, **options)
        finally:
            write(f"{name}-end")

    setattr(owner, function, call)


def traced_iterator(owner: Any, function: str, name: str) -> None:
    """Do as `traced` for a function that returns an iterator, whose end is when it is exhausted."""
    original: Callable[..., Iterator[Any]] = getattr(owner, function)

    @wraps(original)
    def call(*args: Any, **options: Any) -> Iterator[Any]:
        write(f"{name}-begin")
        yield from original(*args, **options)
        write(f"{name}-end")

    setattr(owner, function, call)
