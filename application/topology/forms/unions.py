"""The forms of unions: values that are JSON as they are have no tag, all others that of their class."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from eddyline.application.topology.forms.form import Form, FormError, Names, described, expected_found, tagged, untagged
from eddyline.application.topology.forms.records import class_of, tag_of
from eddyline.application.topology.types import type_name

_NATURAL: Final = (str, int, bool, float)


class NullableForm(Form):
    """Values of a type, or None."""

    def __init__(self, inner: Form) -> None:
        self._inner = inner
        self.kinds = (*inner.kinds, type(None))
        self.plain = inner.plain

    def condition(self, value: str, names: Names) -> str:
        return f"({value} is None or ({self._inner.condition(value, names)}))"

    def exact_all(self, values: Sequence[Any]) -> bool:
        present = [value for value in values if value is not None]
        return not present or self._inner.exact_all(present)

    def dump(self, value: Any) -> Any:
        return None if value is None else self._inner.dump(value)

    def load(self, data: Any) -> Any:
        return None if data is None else self._inner.load(data)


class UnionForm(Form):
    """Values of one of several types.

    Text, numbers and booleans are written as they are, all other values with a tag: the name of their class, or of their type
    if several have the same class. Values of a class that is not in the union are those of the nearest base that is.

    Args:
        members: The types in the union, without None, with their forms.
        form_of: Returns the form of a subclass.
    """

    def __init__(self, members: Mapping[Any, Form], form_of: Callable[[Any], Form]) -> None:
        self._members, self._form_of = members, form_of
        self._name = " | ".join(map(type_name, members))
        self.kinds = tuple(dict.fromkeys(kind for form in members.values() for kind in form.kinds))
        self._by_kind: dict[type, list[tuple[str, Form]]] = {}
        self._by_tag: dict[str, Form] = {}
        for declared, form in members.items():
            tag = type_name(declared) if type_name(declared) not in self._by_tag else _full_name(declared)
            self._by_tag[tag] = form
            for kind in form.kinds:
                self._by_kind.setdefault(kind, []).append((tag, form))
        self._roots = [declared for declared in members if isinstance(declared, type)]
        self._of_classes = {
            declared: form for declared, form in members.items() if declared in self._roots and form.kinds == (declared,)
        }
        by_class = {form.kinds: form for form in members.values()}
        self._numbers = {"bool": by_class.get((int,), by_class.get((float,))), "int": by_class.get((float,))}
        self._numbers["float"] = self._numbers["int"]

    def dump(self, value: Any) -> Any:
        kind = type(value)
        members = self._by_kind.get(kind)
        if members is None:
            return self._dump_subclass(value)
        errors: list[FormError] = []
        for tag, form in members:
            try:
                data = form.dump(value)
            except FormError as error:
                errors.append(error)
                continue
            return data if kind in _NATURAL and type(data) is kind else tagged(tag, data)
        raise errors[0] if len(errors) == 1 else FormError(expected_found(self._name, value))

    def load(self, data: Any) -> Any:
        kind = type(data)
        if kind in _NATURAL:
            return self._load_natural(data)
        found = untagged(data)
        if found is None:
            raise FormError(f"a value of {self._name} without the name of its class; it was written by another version")
        tag, inner = found
        form = self._by_tag.get(tag)
        if form is not None:
            return form.load(inner)
        number = self._numbers.get(tag)
        if number is not None:
            return number.load(data)
        return self._form_of(class_of(tag, self._roots)).load(inner)

    def _load_natural(self, data: Any) -> Any:
        for _, form in self._by_kind.get(type(data), ()):
            try:
                return form.load(data)
            except FormError:
                continue
        number = self._numbers.get(type(data).__name__)
        if number is not None:
            return number.load(data)
        raise FormError(expected_found(self._name, data))

    def _dump_subclass(self, value: Any) -> Any:
        kind = type(value)
        for base in kind.__mro__[1:]:
            if base in self._of_classes and base not in _NATURAL:
                return tagged(tag_of(kind, self._roots), self._form_of(kind).dump(value))
        number = self._numbers.get(kind.__name__) if kind in _NATURAL else None
        if number is not None:
            return number.dump(value)
        raise FormError(expected_found(self._name, value))


class UntypedForm(Form):
    """Values of any type that JSON preserves: text, numbers, booleans, None, and lists and dicts by text of these."""

    plain = True

    def exact_all(self, values: Sequence[Any]) -> bool:
        return all(map(_is_json, values))

    def dump(self, value: Any) -> Any:
        kind = type(value)
        if kind is float:
            return value if value - value == 0 else tagged("float", repr(value))
        if kind in _NATURAL or value is None:
            return value
        if kind is list:
            return [self.dump(element) for element in value]
        if kind is dict and all(type(key) is str for key in value):
            found = {key: self.dump(inner) for key, inner in value.items()}
            return tagged("dict", list(map(list, found.items()))) if untagged(found) else found
        what = "a dict with keys other than strings" if kind is dict else f"a value of type '{type_name(kind)}'"
        raise FormError(f"JSON does not preserve the type of {what} in state; annotate the function that returns it")

    def load(self, data: Any) -> Any:
        kind = type(data)
        if kind is list:
            return [self.load(element) for element in data]
        if kind is dict:
            match untagged(data):
                case "float", str(text):
                    return float(text)
                case "dict", [[str(key), inner]]:
                    return {key: self.load(inner)}
                case None:
                    return {key: self.load(inner) for key, inner in data.items()}
            raise FormError(f"expected text, numbers, lists and dicts, found {described(data)}")
        return data


def _full_name(declared: Any) -> str:
    return f"{declared.__module__}.{declared.__qualname__}" if isinstance(declared, type) else repr(declared)


def _is_json(value: Any) -> bool:
    """Return whether a value is JSON as it is, and has no part that looks like one with a tag."""
    kind = type(value)
    if kind is dict:
        if len(value) == 1 and untagged(value):
            return False
        return {str}.issuperset(map(type, value)) and all(map(_is_json, value.values()))
    if kind is list:
        return all(map(_is_json, value))
    return kind is str or kind is int or kind is bool or value is None or (kind is float and value - value == 0)
