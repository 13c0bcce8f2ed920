"""Keys in URLs: text for keys that are strings, JSON for all others."""

import json
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from eddyline.application.ports.codec import Codec, CodecError, UnsupportedTypeError
from eddyline.application.queries.answers import InvalidQueryError, StoreInfo
from eddyline.application.topology.types import UNKNOWN, type_name, without_none

_TEXT = (str, UNKNOWN, Any, object, None)


class KeyParser:
    """Parses keys of one store. Keys of unknown type are text, as those that are read from topics."""

    def __init__(self, store: StoreInfo) -> None:
        self._store = store.name
        self._type = without_none(store.key_type)
        self._is_text = self._type in _TEXT
        self._shown = store.shown
        self._codec = None if self._is_text else _codec(self._shown, self._type)

    @property
    def described(self) -> str:
        """How a key is written, for people."""
        return "The key, as text." if self._is_text else f"The key, as JSON of type {type_name(self._type)}."

    def key(self, text: str) -> Any:
        """Return a key.

        Raises:
            InvalidQueryError: the text is not a key of the store.
        """
        if self._is_text:
            return text
        if self._codec is None:
            raise InvalidQueryError(
                f"keys of store '{self._store}' are of type {type_name(self._type)}, which JSON cannot represent; ask for ranges"
            )
        return _parsed(self._codec, self._type, text, f"keys of store '{self._store}' are JSON of type {type_name(self._type)}")

    @property
    def have_prefixes(self) -> bool:
        """Whether keys are texts, or have fields."""
        return self._is_text or bool(_field_types(self._type))

    def prefix(self, text: str) -> Any:
        """Return the first characters of a text, or a tuple of the first fields of a key, which are a JSON array.

        Raises:
            InvalidQueryError: the keys have no such prefix.
        """
        if self._is_text:
            return text
        types = _field_types(self._type)
        if not types:
            raise InvalidQueryError(f"keys of store '{self._store}' have no prefixes; ask for a range")
        hint = f"a prefix of keys of store '{self._store}' is a JSON array of the first of their {len(types)} fields"
        try:
            count = len(json.loads(text))
        except (ValueError, TypeError, RecursionError):
            count = 0
        if not text.lstrip().startswith("[") or not 1 <= count <= len(types):
            raise InvalidQueryError(f"invalid prefix {_quoted(text)}: {hint}")
        fields_of: Any = tuple[(*types[:count],)]  # type: ignore[misc] # types that are known here only
        return _parsed(self._shown(fields_of), fields_of, text, hint)


def _parsed(codec: Codec, declared: Any, text: str, hint: str) -> Any:
    problem: CodecError | None = None
    for candidate in (text, json.dumps(text)):  # a date or a UUID needs no quotes
        try:
            return codec.decode(candidate.encode())
        except CodecError as error:
            problem = error if problem is None or "Invalid JSON" in str(problem) else problem
    reason = str(problem).removeprefix(f"{type_name(declared)}: ")
    raise InvalidQueryError(f"invalid key {_quoted(text)}: {reason}; {hint}")


def _codec(shown: Callable[[Any], Codec], declared: Any) -> Codec | None:
    try:
        return shown(declared)
    except UnsupportedTypeError:
        return None


def _field_types(declared: Any) -> list[Any]:
    """Return the types of the fields of a tuple, a named tuple or a dataclass."""
    if typing.get_origin(declared) is tuple:
        arguments = typing.get_args(declared)
        return [] if Ellipsis in arguments else list(arguments)
    if not isinstance(declared, type):
        return []
    names = [field.name for field in fields(declared)] if is_dataclass(declared) else list(getattr(declared, "_fields", ()))
    hints = typing.get_type_hints(declared) if names else {}
    return [hints[name] for name in names]


def _quoted(text: str) -> str:
    longest = 100
    return f"'{text[:longest]}…'" if len(text) > longest else f"'{text}'"
