"""What an operator that a stream, table or group does not have is called, or which operator comes before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn

from eddyline.application.topology.errors import TopologyError, suggested

_HANDLES: Final[dict[str, type[Guided]]] = {}


class UnknownOperatorError(TopologyError, AttributeError):
    """A stream, table or group does not have the operator; the message says what to write."""


class Guided:
    """What a flow calls operators on; `_ways` are the calls that lead to others, with the names of their classes."""

    _ways: ClassVar[tuple[tuple[str, str], ...]] = ()

    def __init_subclass__(cls) -> None:
        """Remember the class by its name."""
        super().__init_subclass__()
        _HANDLES[cls.__name__] = cls

    if not TYPE_CHECKING:  # type checkers know by themselves what is missing

        def __getattr__(self, name: str) -> NoReturn:
            """Raise an error that says what to write in place of an attribute that is missing."""
            if name.startswith("_"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            raise UnknownOperatorError(_guidance(self, name))


class Ended(Guided):
    """What the operators return that end a stream: there is nothing to call on it."""

    def __init__(self, operator: str, stream: str) -> None:
        self._operator, self._stream = operator, stream


def _guidance(handle: Guided, name: str) -> str:
    if isinstance(handle, Ended):
        return (
            f"'{name}' follows '{handle._operator}', which ends stream '{handle._stream}' and returns nothing; "
            "assign the stream to a variable, and call both on it"
        )
    kind = type(handle)
    own = _named(kind, name)
    if own is not None:
        return f"a {kind.__name__} has no '{name}'; did you mean '{own}'?"
    for way, target in kind._ways:
        found = _named(_HANDLES[target], name)
        if found is not None:
            return f"a {kind.__name__} has no '{name}', which a {target} has; write {way}.{found}(…)"
    return f"a {kind.__name__} has no '{name}'; {suggested(name, operators(kind))}"


def operators(kind: type[Guided]) -> list[str]:
    """Return the names of the operators of a class."""
    return sorted(name for name in dir(kind) if not name.startswith("_"))


def is_operator(name: str) -> bool:
    """Return whether any stream, table or group has an operator of this name."""
    return any(name in operators(kind) for kind in _HANDLES.values())


def _named(kind: type[Guided], name: str) -> str | None:
    """Return the operator of this name, which may be written as in Java, None if there is none."""
    return next((found for found in operators(kind) if found.replace("_", "") == name.replace("_", "").lower()), None)


def ended(operator: str, stream: str) -> Any:
    """Return what an operator returns that ends a stream."""
    return Ended(operator, stream)
