"""From what fastavro reads to Python values: schema resolution, compiled once a pair of writer's schema and reader's shape.

Fields are matched by name; one that the writer does not have takes the dataclass's own default; one that the reader does not
have is left out. Numbers widen, text and bytes stand for each other, and names of records are compared without namespace,
as Avro says; beyond that, text and enums stand for each other.
"""

import dataclasses
from collections.abc import Callable
from functools import singledispatchmethod
from operator import itemgetter
from typing import Any

from eddyline.adapters.avro.misfit import MisfitError
from eddyline.adapters.avro.read_leaves import Step, choice, logical, mismatch, natural, primitive, simple_name
from eddyline.adapters.avro.shapes import (
    ANYTHING,
    Anything,
    Array,
    Choice,
    Dictionary,
    Enumeration,
    Logical,
    Primitive,
    Record,
    RecordField,
    Shape,
    Union,
    branch_name,
)
from eddyline.adapters.avro.writer_schema import NAMED, WriterSchema, type_of


@dataclasses.dataclass(frozen=True)
class Reading:
    """How a datum becomes a value; `gaps` are the things that the writer's schema allows and the reader cannot hold."""

    step: Step
    gaps: tuple[str, ...]


def reading(shape: Shape, writer: WriterSchema) -> Reading:
    """How data of the writer's schema become values of the shape. Raises MisfitError when no datum could."""
    resolver = _Resolver(writer)
    step = resolver.step(shape, writer.root, "")
    return Reading(step, tuple(resolver.gaps))


class _Resolver:
    """Resolves one writer's schema against one shape."""

    def __init__(self, writer: WriterSchema) -> None:
        self._writer = writer
        self._records: dict[tuple[int, str], list[Callable[[Any], Any]]] = {}
        self.gaps: list[str] = []

    def step(self, shape: Shape, schema: Any, place: str) -> Step:
        """What is done with a datum of the schema. Raises MisfitError when no datum could become a value of the shape."""
        schema = self._writer.resolve(schema)
        if isinstance(schema, list):
            return self._from_union(shape, schema, place)
        return self._into(shape, schema, place)

    @singledispatchmethod
    def _into(self, shape: Shape, schema: Any, place: str) -> Step:
        raise MisfitError(mismatch(schema, str(shape)), place)

    @_into.register
    def _(self, shape: Anything, schema: Any, place: str) -> Step:
        kind = type_of(schema)
        if kind == "array":
            return _each(self.step(shape, schema["items"], place))
        if kind == "map":
            return _each_value(self.step(shape, schema["values"], place))
        return self._once(shape, schema, place) if kind in ("record", "error") else natural(schema)

    @_into.register
    def _(self, shape: Primitive, schema: Any, place: str) -> Step:
        return primitive(shape, schema, place)

    @_into.register
    def _(self, shape: Logical, schema: Any, place: str) -> Step:
        return logical(shape, schema, place)

    @_into.register
    def _(self, shape: Choice, schema: Any, place: str) -> Step:
        return choice(shape, primitive(shape.base, schema, place))

    def _from_union(self, shape: Shape, branches: list[Any], place: str) -> Step:
        """The datum is a pair where the branch is a named type, and of a class of its own else."""
        named: dict[str, Callable[[Any], Any]] = {}
        plain: dict[type, Callable[[Any], Any]] = {}
        refused: list[MisfitError] = []
        same = True
        for branch in map(self._writer.resolve, branches):
            try:
                step = self.step(shape, branch, place)
            except MisfitError as error:
                refused.append(error)
                step = _refusal(error.reason)
            if type_of(branch) in NAMED:
                named[branch["name"]] = step or _same
            else:
                plain[_CLASSES[type_of(branch)]] = step or _same
            same = same and step is None and not named
        if len(refused) == len(branches):
            raise refused[0]
        self.gaps.extend(map(str, refused))
        return (
            None
            if same
            else lambda datum: named[datum[0]](datum[1]) if datum.__class__ is tuple else plain[datum.__class__](datum)
        )

    @_into.register
    def _(self, shape: Union, schema: Any, place: str) -> Step:
        kind = type_of(schema)
        name = simple_name(schema) if kind in NAMED else kind
        for exact in (True, False):
            for branch in shape.branches:
                if exact and branch_name(branch).rpartition(".")[2] != name:
                    continue
                gaps = len(self.gaps)
                try:
                    return self.step(branch, schema, place)
                except MisfitError:
                    del self.gaps[gaps:]
        expected = " or ".join(branch_name(branch) for branch in shape.branches)
        raise MisfitError(mismatch(schema, expected), place)

    @_into.register
    def _(self, shape: Record, schema: Any, place: str) -> Step:
        if type_of(schema) not in ("record", "error") or simple_name(schema) != shape.name.rpartition(".")[2]:
            raise MisfitError(mismatch(schema, f"the record {shape.name}"), place)
        return self._once(shape, schema, place)

    def _once(self, shape: Record | Anything, schema: Any, place: str) -> Step:
        """Resolves a record; where a record holds itself, its step is made once."""
        key = (id(shape), schema["name"])
        if key in self._records:
            known = self._records[key]
            return lambda datum: known[0](datum)  # noqa: PLW0108 - it is still empty
        cell: list[Callable[[Any], Any]] = []
        self._records[key] = cell
        try:
            build = (
                self._plain_builder(shape, schema, place) if isinstance(shape, Anything) else self._builder(shape, schema, place)
            )
        except MisfitError:
            del self._records[key]
            raise
        cell.append(build)
        return build

    def _plain_builder(self, shape: Anything, schema: Any, place: str) -> Callable[[Any], Any]:
        """A dict of the writer's fields; what was written as a value of any form is that value."""
        steps = {
            entry["name"]: self.step(shape, entry["type"], f"{place}.{entry['name']}") or _same for entry in schema["fields"]
        }
        if simple_name(schema) == ANYTHING and list(steps) == ["value"]:
            unwrap = steps["value"]
            return lambda datum: unwrap(datum["value"])
        return lambda datum: {name: step(datum[name]) for name, step in steps.items()}

    def _builder(self, shape: Record, schema: Any, place: str) -> Callable[[Any], Any]:
        written = {entry["name"]: entry["type"] for entry in schema["fields"]}
        present: list[RecordField] = []
        steps = []
        for entry in shape.fields:
            if entry.name in written:
                step = self.step(entry.shape, written[entry.name], f"{place}.{entry.name}")
                if step is not None:
                    steps.append((len(present), step))
                present.append(entry)
            elif not entry.optional:
                raise MisfitError(
                    f"the writer does not have it, and it has no default; the writer has: {', '.join(written) or 'none'}",
                    f"{place}.{entry.name}",
                )
        return _record_builder(shape, present, tuple(steps))

    @_into.register
    def _(self, shape: Array, schema: Any, place: str) -> Step:
        if type_of(schema) != "array":
            raise MisfitError(mismatch(schema, "array"), place)
        item = self.step(shape.items, schema["items"], f"{place}[]")
        if shape.python is list:
            return _each(item)
        return tuple if item is None else lambda data: tuple([item(datum) for datum in data])

    @_into.register
    def _(self, shape: Dictionary, schema: Any, place: str) -> Step:
        if isinstance(shape.values, Anything) and type_of(schema) == "record" and simple_name(schema) != ANYTHING:
            return self.step(shape.values, schema, place)
        if type_of(schema) != "map":
            raise MisfitError(mismatch(schema, "map"), place)
        return _each_value(self.step(shape.values, schema["values"], f"{place}[]"))

    @_into.register
    def _(self, shape: Enumeration, schema: Any, place: str) -> Step:
        if type_of(schema) not in ("enum", "string"):
            raise MisfitError(mismatch(schema, f"the enum {shape.name}"), place)
        members = {member.name: member for member in shape.python}
        default = members.get(shape.default or "")
        unknown = [symbol for symbol in schema["symbols"] if symbol not in members] if type_of(schema) == "enum" else []
        if unknown and default is None:
            self.gaps.append(str(MisfitError(f"the reader's enum {shape.name} has not {', '.join(unknown)}", place)))

        def convert(symbol: str) -> Any:
            member = members.get(symbol, default)
            if member is None:
                raise MisfitError(f"{symbol!r} is not one of {', '.join(members)}")
            return member

        return convert


_CLASSES = {
    "null": type(None),
    "boolean": bool,
    "int": int,
    "long": int,
    "float": float,
    "double": float,
    "string": str,
    "bytes": bytes,
    "array": list,
    "map": dict,
}


def _each(item: Step) -> Step:
    return None if item is None else lambda data: [item(datum) for datum in data]


def _each_value(item: Step) -> Step:
    return None if item is None else lambda data: {name: item(datum) for name, datum in data.items()}


def _same(datum: Any) -> Any:
    return datum


def _refusal(reason: str) -> Callable[[Any], Any]:
    def refuse(_datum: Any) -> Any:
        raise MisfitError(reason)

    return refuse


def _record_builder(
    shape: Record, present: list[RecordField], steps: tuple[tuple[int, Callable[[Any], Any]], ...]
) -> Callable[[Any], Any]:
    """Makes the dataclass from a dict of the writer's field names, by position where all fields are there."""
    python = shape.python
    attributes = tuple(entry.attribute for entry in present)
    keyword_only = any(entry.kw_only for entry in dataclasses.fields(python))
    positional = len(present) == len(shape.fields) and not keyword_only
    get = _getter(tuple(entry.name for entry in present))

    def build(datum: Any) -> Any:
        values = list(get(datum))
        index = 0
        try:
            for index, step in steps:
                values[index] = step(values[index])
        except MisfitError as error:
            raise error.within(f".{present[index].name}") from None
        except (ValueError, OverflowError, ArithmeticError) as error:
            raise MisfitError(f"{type(error).__name__}: {error}", f".{present[index].name}") from error
        return python(*values) if positional else python(**dict(zip(attributes, values, strict=True)))

    if positional and not steps:
        return lambda datum: python(*get(datum))
    return build


def _getter(names: tuple[str, ...]) -> Callable[[Any], Any]:
    if len(names) > 1:
        return itemgetter(*names)
    return lambda datum: tuple(datum[name] for name in names)
