"""The forms of text, numbers, bytes, enums and other values without parts."""

import base64
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from enum import Enum, Flag
from fractions import Fraction
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
)
from math import inf, isfinite, nan
from pathlib import Path, PosixPath, PurePath, PurePosixPath, PureWindowsPath
from typing import Any, Final
from uuid import UUID

from eddyline.application.topology.forms.form import Form, FormError, LeafForm, Names, expected_found, tagged, untagged
from eddyline.application.topology.types import type_name

_CONSTANTS: Final = {"nan": nan, "inf": inf, "-inf": -inf}


class ScalarForm(Form):
    """Text, whole numbers and booleans, which are JSON as they are; a boolean among whole numbers has a tag."""

    plain = True

    def __init__(self, kind: type) -> None:
        self._kind = kind
        self.kinds = (kind,)

    def condition(self, value: str, names: Names) -> str:
        del names
        return f"type({value}) is {self._kind.__name__}"

    def exact_all(self, values: Sequence[Any]) -> bool:
        return {self._kind}.issuperset(map(type, values))

    def dump(self, value: Any) -> Any:
        if type(value) is self._kind:
            return value
        if type(value) is bool and self._kind is int:
            return tagged("bool", value)
        raise FormError(expected_found(self._kind.__name__, value))

    def load(self, data: Any) -> Any:
        if type(data) is self._kind:
            return data
        found = untagged(data)
        if found is not None and found[0] == "bool" and self._kind is int and type(found[1]) is bool:
            return found[1]
        raise FormError(expected_found(self._kind.__name__, data))


class FloatForm(Form):
    """Numbers; whole numbers and booleans among them have a tag, as have not-a-number and infinity."""

    plain = True
    kinds = (float,)

    def condition(self, value: str, names: Names) -> str:
        del names
        return f"type({value}) is float and {value} - {value} == 0"  # which is not-a-number for one that is not finite

    def exact_all(self, values: Sequence[Any]) -> bool:
        return {float}.issuperset(map(type, values)) and all(map(isfinite, values))

    def dump(self, value: Any) -> Any:
        kind = type(value)
        if kind is float:
            return value if isfinite(value) else tagged("float", repr(value))
        if kind is int or kind is bool:
            return tagged(kind.__name__, value)
        raise FormError(expected_found("float", value))

    def load(self, data: Any) -> Any:
        if type(data) is float:
            return data
        if type(data) is int:
            return float(data)  # of a field that was an int
        match untagged(data):
            case "float", str(text) if text in _CONSTANTS:
                return _CONSTANTS[text]
            case (("int" | "bool"), int(number)):
                return number
        raise FormError(expected_found("float", data))


class NoneForm(LeafForm):
    """None."""

    kinds = (type(None),)
    plain = True

    def dump(self, value: Any) -> Any:
        if value is not None:
            raise FormError(expected_found("None", value))

    def load(self, data: Any) -> Any:
        return self.dump(data)


class TextForm(LeafForm):
    """Values of a class that have a text from which they can be created again."""

    def __init__(self, name: str, kinds: tuple[type, ...], to_text: Callable[[Any], str], of_text: Callable[[str], Any]) -> None:
        self._name, self._to_text, self._of_text = name, to_text, of_text
        self.kinds = kinds

    def dump(self, value: Any) -> Any:
        if type(value) in self.kinds:
            return self._to_text(value)
        raise FormError(expected_found(self._name, value))

    def load(self, data: Any) -> Any:
        if type(data) is not str:
            raise FormError(expected_found(self._name, data))
        try:
            return self._of_text(data)
        except (ValueError, ArithmeticError, LookupError) as error:
            raise FormError(f"{expected_found(self._name, data)}: {error}") from None


class ComplexForm(Form):
    """Complex numbers, as the texts of their parts."""

    kinds = (complex,)

    def dump(self, value: Any) -> Any:
        if type(value) is complex:
            return [repr(value.real), repr(value.imag)]
        raise FormError(expected_found("complex", value))

    def load(self, data: Any) -> Any:
        try:
            return complex(*map(float, data))
        except (TypeError, ValueError):
            raise FormError(expected_found("complex", data)) from None


class EnumForm(LeafForm):
    """Members of an enum by name, flags by value."""

    def __init__(self, declared: type[Enum]) -> None:
        self._enum = declared
        self.kinds = (declared,)

    def dump(self, value: Any) -> Any:
        if type(value) is self._enum:
            return value.value if isinstance(value, Flag) else value.name
        raise FormError(expected_found(type_name(self._enum), value))

    def load(self, data: Any) -> Any:
        try:
            return self._enum(data) if issubclass(self._enum, Flag) else self._enum[data]
        except (ValueError, KeyError, TypeError):
            names = ", ".join(self._enum.__members__)
            raise FormError(f"{expected_found(type_name(self._enum), data)}; its members are: {names}") from None


class LiteralForm(Form):
    """One of certain values: as it is, or its number if JSON does not know such values."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = values
        self._natural = all(type(value) in (str, int, bool, type(None)) for value in values)
        self.kinds = tuple(dict.fromkeys(map(type, values)))

    def exact_all(self, values: Sequence[Any]) -> bool:
        return all(any(type(value) is type(one) and value == one for one in self._values) for value in values)

    def dump(self, value: Any) -> Any:
        for number, allowed in enumerate(self._values):
            if type(value) is type(allowed) and value == allowed:
                return value if self._natural else number
        raise FormError(self._expected(value))

    def load(self, data: Any) -> Any:
        if self._natural:
            self.dump(data)
            return data
        if type(data) is not int or not 0 <= data < len(self._values):
            raise FormError(self._expected(data))
        return self._values[data]

    def _expected(self, found: Any) -> str:
        return expected_found(f"one of {', '.join(map(repr, self._values))}", found)


def _of_bytes(value: bytes | bytearray) -> str:
    return base64.b64encode(value).decode()


def _to_bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _text_form(kind: type) -> TextForm:
    return TextForm(kind.__name__, (kind,), str, kind)


_WITH_TEXT: Final = (
    *(Decimal, UUID, Fraction, PurePosixPath, PureWindowsPath, PosixPath),
    *(IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network),
)

SCALARS: Final[Mapping[Any, Form]] = {
    **{kind: ScalarForm(kind) for kind in (str, int, bool)},
    float: FloatForm(),
    type(None): NoneForm(),
    None: NoneForm(),
    bytes: TextForm("bytes", (bytes,), _of_bytes, _to_bytes),
    bytearray: TextForm("bytearray", (bytearray,), _of_bytes, lambda text: bytearray(_to_bytes(text))),
    complex: ComplexForm(),
    **{kind: _text_form(kind) for kind in _WITH_TEXT},
    Path: TextForm("Path", (type(Path()),), str, Path),
    PurePath: TextForm("PurePath", (type(PurePath()),), str, PurePath),
}
"""The forms of types without parts."""
