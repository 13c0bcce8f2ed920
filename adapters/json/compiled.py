"""Decodes the JSON of simple types by msgspec in a third of pydantic's time, where both certainly give the same value."""

import typing
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from itertools import repeat
from operator import itemgetter
from types import NoneType, UnionType
from typing import Any, Final

import msgspec
from pydantic.fields import FieldInfo

from eddyline.adapters.codecs.field_names import CLASS_CHOICE, FieldName, field_names
from eddyline.adapters.json.by_alias import Decoders, decoders_by_alias
from eddyline.adapters.json.nulls import present_in, with_nulls
from eddyline.application.topology.types import Names

_SCALARS: Final = frozenset({str, int, float, bool})
_CUSTOMIZED: Final = (
    "__get_pydantic_core_schema__",
    "__get_validators__",
    "__pydantic_config__",
    "__pydantic_validator__",
)
_OF_PYDANTIC: Final = frozenset(FieldInfo.__slots__) - {"alias", "title", "description"}
"""The entries in the metadata of a field that pydantic takes for its own, other than names and texts."""
_BACKSLASH: Final = ord("\\")  # a number is found in a tenth of the time of a byte string
_BRACKET: Final = ord("[")
_OF_INTEGERS: Final = b"-0123456789\n"
_ALWAYS_SHALLOW_BYTES: Final = 128
_MAX_BYTES: Final = 4_096
_MAX_BRACKETS: Final = 64
_MAX_FAILURES: Final = 1_000
_MAX_RENAMED: Final = 5

_first_of: Callable[[bytes], int] = itemgetter(0)
_last_of: Callable[[bytes], int] = itemgetter(-1)

Decode: typing.TypeAlias = Callable[[bytes], Any]
DecodeColumn: typing.TypeAlias = Callable[[Sequence[bytes | None]], Sequence[Any] | None]


def compiled_decoder(declared: Any, names: Names) -> Decode | None:
    """Return a function that decodes values of a type, or returns None where pydantic has to decide; None for other types.

    The types are strings, numbers, booleans, and lists, tuples and dataclasses of such types, each of them possibly None. msgspec
    finds fields by their names; where these are others in JSON, such as `sentAt` for `sent_at`, it fills a stand-in for the
    dataclass, or, if there are such fields within others, they are replaced there first. JSON with another spelling of a name
    is for pydantic.

    msgspec accepts fewer values than pydantic, which converts some: 1.0 and "1" to the integer 1. It does not look into unknown
    fields, so JSON in which they may hold what pydantic refuses is not for it: escapes, invalid UTF-8, long numbers, and many
    levels. After many values that msgspec or a class's `__post_init__` refuses, it is not asked any more.
    """
    compiled = _compiled(declared, names)
    if compiled is None:
        return None
    decode_any, renamed, others = compiled.decoders.one, compiled.renamed, compiled.others
    failures = 0

    def decode(data: bytes) -> Any:
        nonlocal failures
        size = len(data)
        if size > _ALWAYS_SHALLOW_BYTES and (size > _MAX_BYTES or not (_is_flat(data) or _is_shallow(data))):
            return None
        if _BACKSLASH in data or not (data.isascii() or _is_utf8(data)) or failures >= _MAX_FAILURES:
            return None
        named = _with_own_names(data, renamed, others) if renamed or others else data
        if named is None:
            return None
        try:
            return decode_any(named)
        except Exception:  # noqa: BLE001 - a class may raise anything in its __post_init__, which pydantic then reports
            failures += 1
            return None

    return decode


def compiled_column_decoder(declared: Any, names: Names) -> DecodeColumn | None:
    """Return a function that decodes many values of a type as one by one, or returns None if they must be; None for other types.

    The types are integers, tuples and dataclasses that `compiled_decoder` decodes. msgspec decodes the values as lines.
    """
    brackets = _brackets_of(declared)
    compiled = _compiled(declared, names) if brackets is not None or declared is int else None
    if compiled is None:
        return None
    decode_lines, renamed, others = compiled.decoders.lines, compiled.renamed, compiled.others
    failures = 0

    def decode(column: Sequence[bytes | None]) -> Sequence[Any] | None:
        nonlocal failures
        present = present_in(column)
        lines: bytes | None = b"\n".join(present)
        if failures >= _MAX_FAILURES or not lines or not _has_one_value_each(present, lines, brackets):
            return None
        if _BACKSLASH in lines or not (lines.isascii() or _is_utf8(lines)) or not _are_shallow(present, lines):
            return None
        lines = _with_own_names(lines, renamed, others)
        try:
            decoded = None if lines is None else decode_lines(lines)
        except Exception:  # noqa: BLE001 - likewise
            failures += 1
            return None
        return None if decoded is None or len(decoded) != len(present) else with_nulls(column, decoded)

    return decode


class _Compiled(typing.NamedTuple):
    """Functions that decode a type, the names to replace before (in the type, and in JSON), and names that are for pydantic.

    All names are in quotes.
    """

    decoders: Decoders
    renamed: Sequence[tuple[bytes, bytes]]
    others: Sequence[bytes]


def _compiled(declared: Any, names: Names) -> _Compiled | None:
    found = _Fields(names)
    if not _is_simple(declared, (), found):
        return None
    by_alias = _by_alias(declared, names) if found.renamed else None
    if by_alias is not None:
        return _Compiled(by_alias, (), ())
    if not found.can_be_replaced:
        return None
    decoder = msgspec.json.Decoder(declared)
    renamed = [(_quoted(name), _quoted(alias)) for alias, name in found.renamed.items()]
    others = [_quoted(name) for name in found.others - found.renamed.keys()]
    return _Compiled(Decoders(decoder.decode, decoder.decode_lines), renamed, others)


def _quoted(name: str) -> bytes:
    return f'"{name}"'.encode()


def _with_own_names(data: bytes, renamed: Sequence[tuple[bytes, bytes]], others: Sequence[bytes]) -> bytes | None:
    """Return JSON with the names that fields have in the type, None if it is not certain which strings are names."""
    for name in others:
        if name in data:
            return None
    for name, alias in renamed:
        if name in data:
            return None
        data = data.replace(alias + b":", name + b":")  # without backslashes, a string before a colon is a name
        if alias in data:
            return None
    return data


def is_simple(declared: Any) -> bool:
    """Return whether all that decides about the JSON of a type are simple types, and the names and types of fields."""
    return _is_simple(declared, (), _Fields("as-declared"))


def _by_alias(declared: Any, names: Names) -> Decoders | None:
    """Return the decoders of a dataclass whose own fields have other names in JSON, None if other types have such fields, too."""
    if not is_dataclass(declared):
        return None
    hints, within = typing.get_type_hints(declared), _Fields(names)
    hints.pop(CLASS_CHOICE, None)
    for hint in hints.values():
        _is_simple(hint, (), within)
    if within.renamed or within.others:
        return None
    return decoders_by_alias(typing.cast("type", declared), hints, field_names(typing.cast("type", declared), names))


def _is_flat(data: bytes) -> bool:
    """Return whether the only bracket is the first byte, if any; counting all of them takes twice as long."""
    return _BRACKET not in data and data.rfind(b"{") <= 0


def _is_shallow(data: bytes) -> bool:
    return data.count(b"[") + data.count(b"{") <= _MAX_BRACKETS


def _brackets_of(declared: Any) -> tuple[int, int] | None:
    """Return the brackets around the JSON of a type, None if it has none."""
    if typing.get_origin(declared) is tuple:
        return ord("["), ord("]")
    return (ord("{"), ord("}")) if is_dataclass(declared) else None


def _has_one_value_each(column: Sequence[bytes], lines: bytes, brackets: tuple[int, int] | None) -> bool:
    """Return whether each value, if it is valid, is at least one of these brackets, and none goes on in the next line.

    Within JSON, no line break can stand between two brackets such as these, since strings contain none.
    """
    if brackets is None:
        return all(column) and lines.count(b"\n") == len(column) - 1 and not lines.translate(None, _OF_INTEGERS)
    first, last = brackets
    try:
        return {first}.issuperset(map(_first_of, column)) and {last}.issuperset(map(_last_of, column))
    except IndexError:  # an empty value
        return False


def _are_shallow(column: Sequence[bytes], lines: bytes) -> bool:
    """Return whether no value is long or has many brackets."""
    longest = max(map(len, column))
    if longest <= _ALWAYS_SHALLOW_BYTES:
        return True
    if longest > _MAX_BYTES:
        return False
    is_flat = _BRACKET not in lines and max(map(bytes.rfind, column, repeat(b"{"))) <= 0
    return is_flat or all(map(_is_shallow, column))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


class _Fields:
    """The names of the fields of a type and of the types within: the same ones in JSON, and others by their names in JSON.

    `others` are the names by which fields with defaults are read besides.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self.same: set[str] = set()
        self.renamed: dict[str, str] = {}
        self.others: set[str] = set()
        self._is_ambiguous = False

    def add(self, declared: Any) -> None:
        """Add the fields of a dataclass."""
        for each in fields(declared):
            name = each.name
            found: FieldName = field_names(declared, self._names)[name]
            if found.written == name:
                self.same.add(name)
            elif self.renamed.setdefault(found.written, name) != name:
                self._is_ambiguous = True
            if found.written != name or each.default is not MISSING or each.default_factory is not MISSING:
                self.others |= {*found.read} - {name, found.written}

    @property
    def can_be_replaced(self) -> bool:
        """Whether each name in JSON stands for one name of a field, and replacing them costs less than msgspec saves."""
        names = {*self.same, *self.renamed.values()}
        return not self._is_ambiguous and names.isdisjoint(self.renamed) and len(self.renamed) <= _MAX_RENAMED


def _is_simple(hint: Any, within: tuple[Any, ...], found: _Fields) -> bool:
    if any(hint is scalar for scalar in _SCALARS):
        return True
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):
        others = [argument for argument in arguments if argument is not NoneType]
        return len(others) == 1 and len(arguments) > 1 and _is_simple(others[0], within, found)
    if origin is list:
        return _is_simple(arguments[0], within, found)
    if origin is tuple:
        return bool(arguments) and all(one is Ellipsis or _is_simple(one, within, found) for one in arguments)
    is_new = isinstance(hint, type) and is_dataclass(hint) and hint not in within
    return is_new and _has_simple_fields(hint, (*within, hint), found)


def _has_simple_fields(declared: type, within: tuple[Any, ...], found: _Fields) -> bool:
    if any(hasattr(declared, name) for name in _CUSTOMIZED) or typing.get_origin(declared) is not None:
        return False
    try:
        hints = typing.get_type_hints(declared, include_extras=True)
    except (NameError, TypeError):
        return False
    own: tuple[Field[Any], ...] = fields(declared)
    found.add(declared)
    return len(hints.keys() - {CLASS_CHOICE}) == len(own) and all(
        each.init
        and _OF_PYDANTIC.isdisjoint(each.metadata)
        and (each.default is MISSING or each.default is None or each.default == () or type(each.default) in _SCALARS)
        and (each.default_factory is MISSING or each.default_factory is list)
        and _is_simple(hints[each.name], within, found)
        for each in own
    )
