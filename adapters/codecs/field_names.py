"""What the fields of a type are called outside Python: in JSON, in schemas of every format, and in data frames.

A field has the name with which it is declared, or that name in camelCase. An alias takes precedence: that of
`Annotated[…, Field(alias=…)]`, of `field(metadata={"alias": …})`, or of a pydantic model. A class can make the choice for itself
with an attribute `__field_names__`, which is `as-declared` or `camelCase`.
"""

import dataclasses
import re
import typing
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from eddyline.application.ports.codec import UnsupportedTypeError
from eddyline.application.topology.types import Names

CLASS_CHOICE: Final = "__field_names__"
"""The attribute of a class with the choice for its own fields."""


class FieldName(NamedTuple):
    """The names of a field.

    Attributes:
        attribute: The name in Python.
        written: The name with which it is written.
        read: The names that are accepted when it is read, the one that counts if there are several first.
        excluded: Whether the field is read but not written.
    """

    attribute: str
    written: str
    read: tuple[str, ...]
    excluded: bool = False


class _Declared(NamedTuple):
    attribute: str
    written: str | None = None
    read: tuple[str, ...] = ()
    excluded: bool = False


@cache
def field_names(declared: Any, names: Names) -> Mapping[str, FieldName]:
    """Return the names of the fields of a dataclass, a TypedDict, a NamedTuple or a pydantic model, by their names in Python.

    A field is read by the name with which it is written, by its name in Python, and by the other spelling of this name
    (`payment_id` for `paymentId` and the reverse), unless another field has this name.

    Args:
        declared: The class.
        names: The choice for classes that make none.

    Raises:
        UnsupportedTypeError: Two fields would have the same name, or the choice of the class is unknown.
    """
    own = list(_declared_fields(declared))
    choice = _choice(declared, names)
    written = {each.attribute: each.written or _spelled(each.attribute, choice) for each in own}
    _check_distinct(declared, written)
    taken = {*written.values(), *(name for each in own for name in each.read)}
    attributes = {each.attribute for each in own}
    spellings = [spelling for each in own for spelling in {camel_case(each.attribute), snake_case(each.attribute)}]
    found = {}
    for each in own:
        name = written[each.attribute]
        others = [each.attribute] if each.attribute not in taken else []
        others += [
            spelling
            for spelling in (camel_case(each.attribute), snake_case(each.attribute))
            if spelling not in taken and spelling not in attributes and spellings.count(spelling) == 1
        ]
        found[each.attribute] = FieldName(
            each.attribute, name, tuple(dict.fromkeys((*each.read, name, *others))), excluded=each.excluded
        )
    return found


def camel_case(name: str) -> str:
    """Return `min_price` as `minPrice`.

    Names in camelCase stay as they are. Every word becomes title case, also after a digit, as in `p50Ms`; underscores at the
    beginning and the end stay.
    """
    if re.fullmatch(r"[a-z]+[A-Za-z0-9]*", name) and not re.search(r"[0-9][a-z]", name):
        return name
    words = [word.title() for word in re.split(r"(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])", name)]
    start = len(name) - len(name.lstrip("_"))
    joined = "".join(words)
    return joined[:start] + joined[start : start + 1].lower() + joined[start + 1 :]


def snake_case(name: str) -> str:
    """Return `minPrice` as `min_price`; a name without a lower-case letter before a capital stays as it is."""
    parted = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", parted).lower() if re.search("[a-z0-9][A-Z]", name) else name


def _choice(declared: Any, names: Names) -> Names:
    found = getattr(declared, CLASS_CHOICE, names)
    if found not in typing.get_args(Names):
        choices = ", ".join(map(repr, typing.get_args(Names)))
        raise UnsupportedTypeError(f"{CLASS_CHOICE} of '{declared.__name__}' is {found!r}; choose one of: {choices}")
    return typing.cast("Names", found)


def _spelled(name: str, names: Names) -> str:
    return camel_case(name) if names == "camelCase" else name


def _check_distinct(declared: Any, written: Mapping[str, str]) -> None:
    by_name: dict[str, str] = {}
    for attribute, name in written.items():
        other = by_name.setdefault(name, attribute)
        if other != attribute:
            raise UnsupportedTypeError(
                f"fields '{other}' and '{attribute}' of '{declared.__name__}' are both written as '{name}'; "
                "rename one of them, or give it another alias"
            )


def _declared_fields(declared: Any) -> Iterator[_Declared]:
    of_pydantic = getattr(declared, "__pydantic_fields__", None)
    if of_pydantic is not None:
        for name, info in of_pydantic.items():
            yield _with_generated_alias(declared, _of(name, [info]))
        return
    try:
        hints = typing.get_type_hints(declared, include_extras=True)
    except NameError:
        hints = {}  # a type that only a function knows; codecs that need it name it
    if not dataclasses.is_dataclass(declared):
        for name in getattr(declared, "_fields", hints):
            yield _of(name, _metadata_of(hints.get(name)))
        return
    for each in dataclasses.fields(declared):
        yield _with_generated_alias(declared, _of(each.name, [*_metadata_of(hints.get(each.name)), each.metadata, each.default]))


def _metadata_of(hint: Any) -> Iterable[Any]:
    """Return what is annotated to the type of a field, also within Required and its like."""
    for argument in typing.get_args(hint)[:1] if typing.get_origin(hint) is not None else ():
        if typing.get_origin(hint) is typing.Annotated:
            return hint.__metadata__  # type: ignore[no-any-return]
        if typing.get_origin(argument) is typing.Annotated and typing.get_origin(hint) in _WRAPPERS:
            return argument.__metadata__  # type: ignore[no-any-return]
    return ()


_WRAPPERS: Final = (typing.Required, typing.NotRequired)


def _of(name: str, metadata: Iterable[Any]) -> _Declared:
    """Return what metadata such as that of pydantic's `Field` says of a field; the last one counts."""
    written: str | None = None
    read: tuple[str, ...] = ()
    excluded = False
    for each in metadata:
        alias = _get(each, "alias")
        alias = alias if isinstance(alias, str) else None
        own = _get(each, "serialization_alias")
        written = own if isinstance(own, str) else alias or written
        read = tuple(_plain_names(_get(each, "validation_alias"))) or ((alias,) if alias else read)
        excluded = excluded or _get(each, "exclude") is True
    return _Declared(name, written, read, excluded=excluded)


def _get(metadata: Any, name: str) -> Any:
    if isinstance(metadata, Mapping):
        return metadata.get(name)
    return getattr(metadata, name, None) if hasattr(metadata, "serialization_alias") else None


def _plain_names(validation_alias: Any) -> Iterator[str]:
    """Yield the names of one of pydantic's validation aliases, without paths into values."""
    for choice in getattr(validation_alias, "choices", [validation_alias]):
        if isinstance(choice, str):
            yield choice


def _with_generated_alias(declared: Any, own: _Declared) -> _Declared:
    """Return a field with the alias that a generator in the configuration of pydantic gives it, if it has none of its own."""
    config: Any = getattr(declared, "model_config", None) or getattr(declared, "__pydantic_config__", None) or {}
    generate = config.get("alias_generator")
    if generate is None:
        return own
    if callable(generate):
        alias = generate(own.attribute)
        return own._replace(written=own.written or alias, read=own.read or (alias,))
    alias, validation_alias, written = generate.generate_aliases(own.attribute)
    names = tuple(_plain_names(validation_alias)) or ((alias,) if alias else ())
    return own._replace(written=own.written or written or alias, read=own.read or names)
