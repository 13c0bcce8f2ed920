"""The forms of lists, tuples, sets and dicts."""

import json
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from eddyline.application.topology.forms.form import Form, FormError, Names, described, expected_found, tagged, untagged, within


class ListForm(Form):
    """Values of a class that has elements of one type: lists, tuples of any length, sets.

    Sets are sorted by the JSON of their elements, since their own order differs from process to process.
    """

    def __init__(self, kind: Any, element: Form) -> None:
        self._kind, self._element = kind, element
        self.kinds = (kind,)
        self._sorts = kind in (set, frozenset)
        self.plain = element.plain and kind in (list, tuple)

    def exact_all(self, values: Sequence[Any]) -> bool:
        return {self._kind}.issuperset(map(type, values)) and (
            not values or self._element.exact_all(list(chain.from_iterable(values)))
        )

    def condition(self, value: str, names: Names) -> str:
        return f"type({value}) is {names.of(self._kind)} and {names.of(self._element.exact_all)}({value})"

    def dump(self, value: Any) -> Any:
        if type(value) is not self._kind:
            raise FormError(expected_found(self._kind.__name__, value))
        found = dump_all(self._element, value)
        return sorted(found, key=canonical_text) if self._sorts else found

    def load(self, data: Any) -> Any:
        return self._kind(load_all(self._element, data, self._kind.__name__))


class DequeForm(Form):
    """Deques: their elements and their greatest length."""

    kinds = (deque,)

    def __init__(self, element: Form) -> None:
        self._element = element

    def dump(self, value: Any) -> Any:
        if type(value) is not deque:
            raise FormError(expected_found("deque", value))
        return [value.maxlen, dump_all(self._element, value)]

    def load(self, data: Any) -> Any:
        match data:
            case [int() | None as limit, list() as elements]:
                return deque(load_all(self._element, elements, "deque"), limit)
        raise FormError(expected_found("deque", data))


class TupleForm(Form):
    """Tuples of a certain length."""

    kinds = (tuple,)

    def __init__(self, elements: Sequence[Form]) -> None:
        self._elements = tuple(elements)
        self.plain = all(element.plain for element in elements)

    def condition(self, value: str, names: Names) -> str:
        parts = [names.part(f"{value}[{at}]", element) for at, element in enumerate(self._elements)]
        return " and ".join((f"type({value}) is tuple and len({value}) == {len(self._elements)}", *parts))

    def exact_all(self, values: Sequence[Any]) -> bool:
        if not ({tuple}.issuperset(map(type, values)) and {len(self._elements)}.issuperset(map(len, values))):
            return False
        columns = zip(*values, strict=True)
        return all(element.exact_all(column) for element, column in zip(self._elements, columns, strict=bool(values)))

    def dump(self, value: Any) -> Any:
        if type(value) is not tuple or len(value) != len(self._elements):
            raise FormError(expected_found(f"tuple of {len(self._elements)}", value))
        return [_dump(form, part, f"[{at}]") for at, (form, part) in enumerate(zip(self._elements, value, strict=True))]

    def load(self, data: Any) -> Any:
        if type(data) is not list or len(data) != len(self._elements):
            raise FormError(expected_found(f"tuple of {len(self._elements)}", data))
        return tuple(_load(form, part, f"[{at}]") for at, (form, part) in enumerate(zip(self._elements, data, strict=True)))


class DictForm(Form):
    """Dicts: an object if the keys are text, else pairs, since the names in objects are text.

    Args:
        kind: The class: `dict`, or one that is created from pairs.
        key: The form of the keys.
        value: The form of the values.
        factory: The default factory, if dicts of the class have one.
    """

    def __init__(self, kind: Any, key: Form, value: Form, factory: Callable[[], Any] | None = None) -> None:
        self._kind, self._key, self._value, self._factory = kind, key, value, factory
        self.kinds = (kind,)
        self.has_text_keys = key.kinds == (str,) and key.plain
        self.plain = kind is dict and self.has_text_keys and value.plain

    def exact_all(self, values: Sequence[Any]) -> bool:
        return (
            {self._kind}.issuperset(map(type, values))
            and self._key.exact_all(list(chain.from_iterable(values)))
            and self._value.exact_all([inner for value in values for inner in value.values()])
        )

    def dump(self, value: Any) -> Any:
        if type(value) is not self._kind:
            raise FormError(expected_found(self._kind.__name__, value))
        if self._kind is defaultdict and value.default_factory is not self._factory:
            what = f"a defaultdict of {self._factory!r}, as its annotation says"
            raise FormError(f"expected {what}, found one of {value.default_factory!r}")
        if self.has_text_keys:
            return {self._key.dump(name): _dump(self._value, inner, f"[{name!r}]") for name, inner in value.items()}
        return [[_dump(self._key, key, f"[{key!r}]"), _dump(self._value, inner, f"[{key!r}]")] for key, inner in value.items()]

    def load(self, data: Any) -> Any:
        if self.has_text_keys and type(data) is dict:
            found = {name: _load(self._value, inner, f"[{name!r}]") for name, inner in data.items()}
        elif not self.has_text_keys and type(data) is list:
            found = dict(self._pair(pair) for pair in data)
        else:
            raise FormError(expected_found(self._kind.__name__, data))
        if self._kind is defaultdict:
            return defaultdict(self._factory, found)
        return found if self._kind is dict else self._kind(found)

    def _pair(self, data: Any) -> tuple[Any, Any]:
        match data:
            case [key, value]:
                return self._key.load(key), self._value.load(value)
        raise FormError(expected_found("a pair of key and value", data))


class AnyOfForm(Form):
    """Values of an abstract type, such as `Sequence`: of one of some classes; those of all but the first one have a tag."""

    def __init__(self, name: str, forms: Sequence[Form]) -> None:
        self._name = name
        self._forms = {form.kinds[0]: form for form in forms}
        self.kinds = tuple(self._forms)

    def dump(self, value: Any) -> Any:
        form = self._forms.get(type(value))
        if form is None:
            known = " or ".join(kind.__name__ for kind in self.kinds)
            raise FormError(f"expected {self._name} that is a {known}, found {described(value)}")
        data = form.dump(value)
        return data if type(value) is self.kinds[0] else tagged(type(value).__name__, data)

    def load(self, data: Any) -> Any:
        found = untagged(data)
        if found is not None:
            for kind in self.kinds[1:]:
                if kind.__name__ == found[0]:
                    return self._forms[kind].load(found[1])
        return self._forms[self.kinds[0]].load(data)


DICTS: dict[Any, type] = {dict: dict, OrderedDict: OrderedDict, Counter: Counter, defaultdict: defaultdict}
"""The classes of dicts."""


def dump_all(form: Form, values: Iterable[Any]) -> list[Any]:
    """Return the elements of a value, dumped. Raises FormError."""
    return [_dump(form, value, f"[{at}]") for at, value in enumerate(values)]


def load_all(form: Form, data: Any, expected: str) -> list[Any]:
    """Return the loaded elements. Raises FormError."""
    if type(data) is not list:
        raise FormError(expected_found(expected, data))
    return [_load(form, element, f"[{at}]") for at, element in enumerate(data)]


def canonical_text(data: Any) -> str:
    """Return what was dumped as JSON, whose order decides that of sets."""
    return json.dumps(data, sort_keys=True)


def _dump(form: Form, value: Any, part: str) -> Any:
    try:
        return form.dump(value)
    except FormError as error:
        raise within(error, part) from None


def _load(form: Form, data: Any, part: str) -> Any:
    try:
        return form.load(data)
    except FormError as error:
        raise within(error, part) from None
