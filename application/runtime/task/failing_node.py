"""Finds the operator that raised an exception in its traceback, so that processing a record costs nothing for it."""

from collections.abc import Callable, Iterable
from traceback import walk_tb
from types import CodeType, FrameType
from typing import Any, NamedTuple


class Failing(NamedTuple):
    """An operator that raised an exception, with key and timestamp (ms since the epoch, None if unknown) of what it processed."""

    node: str
    key: Any
    timestamp: int | None


class NodeFunctions:
    """The functions of linked nodes by name. Those with the same code differ in the variables that they enclose."""

    def __init__(self, functions: Iterable[tuple[str, Callable[..., Any]]]) -> None:
        self._by_code: dict[CodeType, list[tuple[str, Callable[..., Any]]]] = {}
        for name, function in functions:
            code = getattr(function, "__code__", None)
            if code is not None:
                self._by_code.setdefault(code, []).append((name, function))

    def failing(self, error: BaseException) -> Failing | None:
        """Return the innermost operator in the traceback of an exception, None if there is none."""
        for frame, _ in reversed(list(walk_tb(error.__traceback__))):
            for name, function in self._by_code.get(frame.f_code, ()):
                if _runs(frame, function):
                    timestamp = frame.f_locals.get("timestamp")
                    return Failing(name, frame.f_locals.get("key"), timestamp if type(timestamp) is int else None)
        return None


def _runs(frame: FrameType, function: Any) -> bool:
    """Return whether the frame is a call of this very function."""
    found = frame.f_locals
    bound_to = getattr(function, "__self__", None)
    if bound_to is not None:
        return found.get("self") is bound_to
    return all(
        found.get(name) is _contents(cell)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the variable is not assigned yet
        return None
