"""Types of keys and values are known where they follow from functions, classes and processors."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, NewType, Self

import pytest

from eddyline import FixedKeyProcessor, Processor, Record, TopologyBuilder, TopologyError, ValueTransformerWithKey, session
from eddyline.application.topology.nodes import Node
from eddyline.testing import MemoryEngine

if TYPE_CHECKING:
    from decimal import Decimal as Unknown

OrderId = NewType("OrderId", str)


@dataclass(frozen=True)
class Total:
    amount: int = 0

    def plus(self, amount: int) -> Self:
        return type(self)(self.amount + amount)

    def named(self, name: str) -> str:
        return f"{name}: {self.amount}"

    @classmethod
    def of(cls, amount: int) -> Self:
        return cls(amount)

    @staticmethod
    def half(amount: int) -> float:
        return amount / 2


@dataclass(frozen=True)
class Scale:
    factor: float

    def __call__(self, amount: int) -> float:
        return amount * self.factor


def partly_known(_amount: int, _other: Unknown | None = None) -> bytes:
    return b""


@functools.cache
def cached(amount: int) -> str:
    return str(amount)


@functools.wraps(cached)
def wrapping(*arguments: Any) -> Any:
    return cached(*arguments)


def parts(_amount: int) -> tuple[int, str]:
    return 1, "a"


def texts(_amount: int) -> Iterator[str]:
    yield "a"


def listed(amounts: list[int], amount: int) -> list[int]:
    return [*amounts, amount]


def by_text(amounts: dict[str, int], amount: int) -> dict[str, int]:
    return amounts | {str(amount): amount}


def mean(aggregate: float, amount: int) -> float:
    return (aggregate + amount) / 2


def plus(aggregate: Total | None, amount: int) -> Total | None:
    return Total(amount + (aggregate.amount if aggregate else 0))


def pairs(_key: str, _amount: int) -> tuple[str, ...]:
    return "a", "b"


class Paired(NamedTuple):
    left: int
    right: int | None


class Doubling(FixedKeyProcessor[str, int, float]):
    def process(self, record: Record[str, int]) -> None:
        self.context.forward(record.with_value(record.value * 2.0))


class Keyed(Processor[str, int, int, str]):
    def process(self, record: Record[str, int]) -> None:
        self.context.forward(record.with_key(record.value).with_value(record.key))


class AlsoKeyed(Keyed):
    """A subclass: the types are those that its base has passed on."""


class Lengths(ValueTransformerWithKey[str, int, str]):
    def transform(self, key: str, value: int | None) -> Any:
        return key * (value or 0)


def keyed() -> Processor[str, int, int, str]:
    return Keyed()


VALUES: dict[str, tuple[Callable[[Any], Any], object]] = {
    "builtin class": (lambda s: s.map_values(float), float),
    "builtin function": (lambda s: s.map_values(str).map_values(len), int),
    "method of str": (lambda s: s.map_values(str).map_values(str.upper), str),
    "method of a text": (lambda s: s.map_values(str).map_values(", ".join), str),
    "parts of a text": (lambda s: s.map_values(str).flat_map_values(str.split), str),
    "generic class": (lambda s: s.map_values(deque[int]), deque[int]),
    "new type": (lambda s: s.map_values(OrderId), OrderId),
    "class method": (lambda s: s.map_values(Total.of), Total),
    "static method": (lambda s: s.map_values(Total.half), float),
    "bound method": (lambda s: s.map_values(Total(1).plus), Total),
    "callable object with fields": (lambda s: s.map_values(Scale(2.0)), float),
    "unknown types of other parameters": (lambda s: s.map_values(partly_known), bytes),
    "cached": (lambda s: s.map_values(cached), str),
    "partial": (lambda s: s.map_values(functools.partial(Total(1).named)), str),
    "wrapped": (lambda s: s.map_values(wrapping), str),
    "elements of a tuple": (lambda s: s.flat_map_values(parts), int | str),
    "elements of an iterator": (lambda s: s.flat_map_values(texts), str),
    "pairs of equal types": (lambda s: s.map(pairs), str),
    "filter keeps": (lambda s: s.filter(lambda _key, _amount: True), int),
    "class as a joiner": (lambda s: s.left_join(s.to_table(), Paired), Paired),
    "list": (lambda s: s.group_by_key().aggregate(list, listed).to_stream(), list[int]),
    "dict": (lambda s: s.group_by_key().aggregate(dict, by_text).to_stream(), dict[str, int]),
    "float from an int": (lambda s: s.group_by_key().aggregate(int, mean).to_stream(), float),
    "adder": (lambda s: s.group_by_key().aggregate(lambda: None, plus).to_stream(), Total),
    "merger": (
        lambda s: s.group_by_key().windowed_by(session(1, grace=0)).aggregate(lambda: 0, lambda a, b: a + b, mean).to_stream(),
        float,
    ),
    "cogroup": (lambda s: s.group_by_key().cogroup(plus).aggregate(lambda: None).to_stream(), Total),
    "rows": (
        lambda s: s.to_table().group_by(lambda k, v: (k, v), key=str, value=int).aggregate(list, listed, listed).to_stream(),
        list[int],
    ),
    "processor": (lambda s: s.process(Keyed), str),
    "inherited processor": (lambda s: s.process(AlsoKeyed), str),
    "supplier": (lambda s: s.process(keyed), str),
    "processor of values": (lambda s: s.process_values(Doubling), float),
    "transformer": (lambda s: s.to_table().transform_values(Lengths).to_stream(), Any),
}


def last_node(define: Callable[[Any], Any]) -> Node:
    builder = TopologyBuilder()
    define(builder.stream("amounts", key=str, value=int))
    return builder.build().nodes[-1]


@pytest.mark.parametrize("kind", VALUES)
def test_the_type_of_values_follows(kind: str) -> None:
    define, expected = VALUES[kind]
    assert last_node(define).value_type == expected


def test_the_types_of_keys_follow() -> None:
    assert last_node(lambda stream: stream.process(Keyed)).key_type is int
    assert last_node(lambda stream: stream.process_values(Doubling)).key_type is str
    assert last_node(lambda stream: stream.map(pairs)).key_type is str
    builder = TopologyBuilder()
    builder.add_source("source", "amounts", key=str, value=int)
    builder.add_processor("keyed", Keyed, parents=["source"])
    node = builder.build().nodes[-1]
    assert (node.key_type, node.value_type) == (int, str)


def test_a_class_that_is_defined_in_a_function_is_found() -> None:
    class Local(NamedTuple):
        amount: int

        @classmethod
        def of(cls, amount: int) -> Local:
            return cls(amount)

    def made(amount: int) -> Local:
        return Local(amount)

    assert last_node(lambda stream: stream.map_values(Local.of)).value_type is Local
    assert last_node(lambda stream: stream.map_values(made)).value_type is Local


def test_what_no_annotation_says_has_to_be_passed() -> None:
    with pytest.raises(TopologyError, match=r"annotate the return type of its initializer or adder, or pass value= to aggregate"):
        last_node(lambda stream: stream.group_by_key().aggregate(lambda: 0, lambda total, amount: total + amount))


def test_a_processor_is_followed_by_an_aggregation_without_a_type() -> None:
    builder = TopologyBuilder()
    amounts = builder.stream("amounts", key=str, value=int)
    amounts.process(Keyed).group_by_key().aggregate(int, lambda total, text: total + len(text)).to_stream().to("totals")
    engine = MemoryEngine(builder.build())
    engine.pipe("amounts", "till", 3, 0)
    assert [(record.key, record.value) for record in engine.outputs("totals")] == [(3, 4)]
