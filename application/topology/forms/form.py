"""What the form of a type is: how its values are written in state, so that they come back as they were."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

from eddyline.application.topology.types import type_name

_MAX_SHOWN: Final = 60


class FormError(ValueError):
    """A value is not one of its type, or cannot come back as it is; the message has the path to it and the reason."""


class NoFormError(TypeError):
    """State cannot represent a type; the message names the part of it and what to use instead."""


class Names:
    """The names in an expression, and what they stand for."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self._count = 0
        self._within: list[Form] = []

    def of(self, value: Any) -> str:
        """Return a name for a value."""
        name = self.new()
        self.values[name] = value
        return name

    def new(self) -> str:
        """Return a name that is assigned in the expression."""
        self._count += 1
        return f"_{self._count}"

    def part(self, expression: str, form: "Form") -> str:
        """Return the condition for a part of a value; that of a form within itself is a call."""
        name = self.new()
        start = f"(({name} := {expression}) is {name}) and "
        if form in self._within:
            return f"{start}{self.of(form.exact_all)}(({name},))"
        self._within.append(form)
        try:
            return f"{start}{form.condition(name, self)}"
        finally:
            self._within.pop()


class Form(ABC):
    """Converts the values of one type to what JSON represents, and back.

    Attributes:
        kinds: The classes of the values; empty if they may be of any class.
        plain: Whether values whose classes are those that were declared are JSON as they are, once dataclasses are objects.
    """

    kinds: tuple[type, ...] = ()
    plain: bool = False

    @cached_property
    def exact(self) -> Callable[[Any], bool]:
        """Returns whether all classes in a value are those that were declared; False where a union lets several be."""
        names = Names()
        condition = self.condition("value", names)
        found: Callable[[Any], bool] = eval(f"lambda value: {condition}", names.values)  # noqa: S307 - it has only names from here
        return found

    def condition(self, value: str, names: "Names") -> str:
        """Return the Python expression for whether a value, of which `value` is the name, is exact.

        Compared with calls of functions for all parts of a value, one expression takes a fifth of the time.
        """
        return f"{names.of(self.exact_all)}(({value},))"

    def exact_all(self, values: Sequence[Any]) -> bool:
        """Return whether many values are exact."""
        del values
        return False

    @abstractmethod
    def dump(self, value: Any) -> Any:
        """Return the value as JSON represents it: None, booleans, numbers, text, lists, and dicts by text.

        Raises:
            FormError: the value is not one of the type.
        """

    @abstractmethod
    def load(self, data: Any) -> Any:
        """Return the value that was dumped.

        Raises:
            FormError: the data is not from a value of the type.
        """


class LeafForm(Form):
    """Values without parts."""

    def condition(self, value: str, names: Names) -> str:
        conditions = [f"type({value}) is {names.of(kind)}" for kind in self.kinds]
        return f"({' or '.join(conditions)})"

    def exact_all(self, values: Sequence[Any]) -> bool:
        return set(self.kinds).issuperset(map(type, values))


def within(error: FormError, part: str) -> FormError:
    """Return the error of a part of a value, such as `.amount` or `[2]`, as one of the value."""
    path, separator, reason = str(error).partition(": ")
    is_path = bool(separator) and " " not in path
    return FormError(f"{part.lstrip('.')}{_joined(path)}: {reason}" if is_path else f"{part.lstrip('.')}: {error}")


def _joined(path: str) -> str:
    return path if path.startswith("[") else f".{path}"


def tagged(tag: str, data: Any) -> dict[str, Any]:
    """Return data with the name of its class, which begins with `$` as no field does."""
    return {f"${tag}": data}


def untagged(data: Any) -> tuple[str, Any] | None:
    """Return the tag and what is tagged, None if the data has no tag."""
    if type(data) is dict and len(data) == 1:
        ((name, inner),) = data.items()
        if type(name) is str and name.startswith("$"):
            return name[1:], inner
    return None


def expected_found(expected: str, value: object) -> str:
    """Return "expected int, found str '5'"."""
    return f"expected {expected}, found {described(value)}"


def described(value: object) -> str:
    """Return the type of a value and its shortened repr, such as "str 'dear'", or the repr alone where it names the type."""
    name = type_name(type(value))
    shown = shortened(value)
    names_its_type = shown.partition("(")[0].rpartition(".")[2] == name or shown.startswith(f"<{name}")
    return shown if value is None or names_its_type else f"{name} {shown}"


def shortened(value: object) -> str:
    """Return the repr of a value, at most 60 characters of it."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to print an int of more than 4,300 digits
        return f"<{type_name(type(value))}>"
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
