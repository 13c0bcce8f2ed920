"""From Python values to what fastavro writes: compiled once a shape, with no look at the schema afterwards.

A step is chosen by the classes of the values that come by and kept, so that a record of classes seen before costs one look-up.
"""

from collections.abc import Callable
from functools import singledispatchmethod
from operator import attrgetter
from typing import Any, TypeAlias

from eddyline.adapters.avro.misfit import MisfitError
from eddyline.adapters.avro.shapes import (
    Anything,
    Array,
    AvroSchemaError,
    Choice,
    Dictionary,
    Enumeration,
    Logical,
    Primitive,
    Record,
    Shape,
    Union,
    branch_name,
)
from eddyline.adapters.avro.write_anything import anything, text
from eddyline.adapters.avro.write_leaves import Chooser, Step, choice, logical, only, primitive, symbol

Plan: TypeAlias = tuple[tuple[int, Step], ...]
"""What is done with the fields of a record whose values have certain classes: the step at an index; other fields stay."""


def writer_of(shape: Shape) -> Step:
    """A function from values of the shape to what fastavro writes. It raises MisfitError for a value of another type."""
    return _by_class(_Compiler().chooser(shape))


def _by_class(choose: Chooser) -> Step:
    steps: dict[type, Step | None] = {}

    def convert(value: Any) -> Any:
        kind = value.__class__
        try:
            step = steps[kind]
        except KeyError:
            step = steps[kind] = choose(kind)
        return value if step is None else step(value)

    return convert


class _Compiler:
    """Makes the choosers of one shape; a record that holds itself is made once."""

    def __init__(self) -> None:
        self._records: dict[int, list[Step]] = {}

    @singledispatchmethod
    def chooser(self, shape: Shape) -> Chooser:
        raise AvroSchemaError(f"{shape} cannot be written")

    @chooser.register
    def _(self, shape: Anything) -> Chooser:
        del shape
        return lambda _kind: anything

    @chooser.register
    def _(self, shape: Primitive) -> Chooser:
        return primitive(shape.python)

    @chooser.register
    def _(self, shape: Logical) -> Chooser:
        return logical(shape)

    @chooser.register
    def _(self, shape: Choice) -> Chooser:
        return choice(shape)

    @chooser.register
    def _(self, shape: Enumeration) -> Chooser:
        return only(shape.python, symbol(shape))

    @chooser.register
    def _(self, shape: Array) -> Chooser:
        item = _by_class(self.chooser(shape.items))

        def convert(values: Any) -> Any:
            try:
                return [item(value) for value in values]
            except MisfitError as error:
                raise error.within("[]") from None

        return only((list, tuple), convert)

    @chooser.register
    def _(self, shape: Dictionary) -> Chooser:
        item = _by_class(self.chooser(shape.values))

        def convert(values: Any) -> Any:
            try:
                return {text(name): item(value) for name, value in values.items()}
            except MisfitError as error:
                raise error.within("[]") from None

        return only(dict, convert)

    @chooser.register
    def _(self, shape: Union) -> Chooser:
        branches = [(branch, self.chooser(branch)) for branch in shape.branches]

        def choose(kind: type) -> Step | None:
            if kind is type(None) and any(branch_name(branch) == "null" for branch, _ in branches):
                return None
            for exact in (True, False):
                for branch, chooser in branches:
                    if exact and _class_of(branch) is not kind:
                        continue
                    try:
                        return _hinted(branch_name(branch), chooser(kind))
                    except MisfitError:
                        continue
            expected = " or ".join(branch_name(branch) for branch, _ in branches)
            raise MisfitError(f"expected {expected}, not {kind.__name__}")

        return choose

    @chooser.register
    def _(self, shape: Record) -> Chooser:
        cell = self._records.get(id(shape))
        if cell is None:
            cell = self._records[id(shape)] = []
            cell.append(_record(shape, [self.chooser(entry.shape) for entry in shape.fields]))
        return only(shape.python, lambda value: cell[0](value))  # noqa: PLW0108 - inside the record itself it is still empty


def _record(shape: Record, choosers: list[Chooser]) -> Step:
    names = tuple(entry.name for entry in shape.fields)
    attributes = tuple(entry.attribute for entry in shape.fields)
    get = _getter(attributes)
    plans: dict[tuple[type, ...], Plan] = {}

    def plan(kinds: tuple[type, ...]) -> Plan:
        steps = []
        for index, (choose, kind) in enumerate(zip(choosers, kinds, strict=True)):
            try:
                step = choose(kind)
            except MisfitError as error:
                raise error.within(f".{attributes[index]}") from None
            if step is not None:
                steps.append((index, step))
        return tuple(steps)

    def follow(steps: Plan, values: list[Any]) -> list[Any]:
        index = 0
        try:
            for index, step in steps:
                values[index] = step(values[index])
        except MisfitError as error:
            raise error.within(f".{attributes[index]}") from None
        return values

    def convert(value: Any) -> Any:
        values = get(value)
        kinds = tuple(map(type, values))
        try:
            steps = plans[kinds]
        except KeyError:
            steps = plans[kinds] = plan(kinds)
        return dict(zip(names, follow(steps, list(values)) if steps else values, strict=True))

    return convert


def _class_of(branch: Shape) -> type:
    match branch:
        case Choice():
            return branch.base.python
        case Primitive() | Logical() | Array() | Enumeration() | Record():
            return branch.python
        case _:
            return dict


def _getter(attributes: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if len(attributes) > 1:
        return attrgetter(*attributes)
    return lambda value: tuple([getattr(value, attribute) for attribute in attributes])


def _hinted(name: str, step: Step | None) -> Step:
    if step is None:
        return lambda value: (name, value)
    return lambda value: (name, step(value))
