"""Validates JSON whose numbers are decimals in Python; pydantic makes floats of them first, which have 15 to 17 digits.

The text of a number is found by the float that it is. Where two texts are the same float, as 1.1 and 1.10, each gets a float of
its own that stands for it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from math import isinf
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import PydanticKnownError, SchemaValidator

Texts = Mapping[float, str]
"""The text of each number that is not an integer, by its float."""

_MAY_HAVE_FRACTIONS: Final = re.compile(rb"[0-9][.eE]")
_NUMBERS: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)', re.DOTALL)
_OUT_OF_THE_WAY: Final = b"%d.5e200"
_SCALARS_IF_STRICT: Final = frozenset({"any", "float", "literal"})
_SCALARS: Final = frozenset({"any", "bool", "date", "datetime", "float", "int", "literal", "str", "time", "timedelta"})
_LEAVES: Final = frozenset({"metadata", "default", "expected", "members", "cls", "function", "config"})


class DecimalValidator:
    """Validates JSON of a type with decimals.

    Args:
        schema: Pydantic's schema of the type.
        config: Pydantic's configuration.
    """

    def __init__(self, schema: Any, config: Any) -> None:
        scalars = _SCALARS_IF_STRICT if config["strict"] else _SCALARS
        self._by_value = SchemaValidator(_wrapped(schema, frozenset()), config, _use_prebuilt=False)
        self._by_place = SchemaValidator(_wrapped(schema, scalars), config, _use_prebuilt=False)

    def validate_json(self, data: bytes) -> Any:
        """Return the value. Raises ValidationError."""
        if _MAY_HAVE_FRACTIONS.search(data) is None:
            return self._by_value.validate_json(data)
        texts: dict[float, str] = {}
        for text in map(bytes.decode, _fractions(data)):
            if texts.setdefault(float(text), text) != text:
                return self._distinguished(data)
        return self._by_value.validate_json(data, context=texts)

    def check_json(self, data: bytes) -> None:
        """Check JSON, in less time than its value takes. Raises ValidationError."""
        self._by_value.validate_json(data)

    def _distinguished(self, data: bytes) -> Any:
        texts: dict[float, str] = {}

        def replaced(match: re.Match[bytes]) -> bytes:
            number = match[1]
            if number is None or not _is_fraction(number):
                return match[0]
            stand_in = _OUT_OF_THE_WAY % len(texts)
            texts[float(stand_in)] = number.decode()
            return stand_in

        try:
            return self._by_place.validate_json(_NUMBERS.sub(replaced, data), context=texts)
        except ValidationError:
            return self._by_value.validate_json(data)  # whose errors have the numbers themselves


def _fractions(data: bytes) -> Iterator[bytes]:
    return (number for number in _NUMBERS.findall(data) if _is_fraction(number))


def _is_fraction(number: bytes) -> bool:
    return not number.lstrip(b"-").isdigit() and number != b""


def _wrapped(schema: Any, scalars: frozenset[str]) -> Any:
    """Return a schema whose decimals, and these scalars, begin with the text of a number."""
    if isinstance(schema, list | tuple):
        return type(schema)([_wrapped(each, scalars) for each in schema])
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    new = {name: each if name in _LEAVES else _wrapped(each, scalars) for name, each in schema.items()}
    if kind == "decimal":
        return _before(_decimal, {**new, "strict": False})  # numbers and strings, as in JSON
    return _before(_scalar, new) if isinstance(kind, str) and kind in scalars else new


def _before(convert: Callable[[Any, Any], Any], schema: Any) -> Any:
    return {"type": "function-before", "function": {"type": "with-info", "function": convert}, "schema": schema}


def _decimal(found: Any, info: Any) -> Any:
    if type(found) is bool:
        raise PydanticKnownError("decimal_type")
    text = (info.context or {}).get(found) if type(found) is float else None
    if text is None or isinf(float(text)):
        return found
    try:
        return Decimal(text)
    except ArithmeticError:
        raise PydanticKnownError("decimal_parsing") from None


def _scalar(found: Any, info: Any) -> Any:
    texts: Texts = info.context or {}
    if type(found) is float:
        return float(texts.get(found, found))
    if type(found) is list:
        return [_scalar(each, info) for each in found]
    return {name: _scalar(each, info) for name, each in found.items()} if type(found) is dict else found
