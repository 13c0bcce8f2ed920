"""Functions that cannot be called with what an operator passes are found while the topology is built."""

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from eddyline import Processor, TopologyBuilder, TopologyError, join_windows, session, tumbling

Payments: TypeAlias = Any
"""A Stream[str, int], unchecked: the mistakes that are tested are mistakes of types, too."""


def payments() -> Payments:
    return TopologyBuilder().stream("payments", key=str, value=int)


def table(stream: Payments) -> Any:
    return stream.group_by_key().count(store="counts")


def regrouped(stream: Payments) -> Any:
    return table(stream).group_by(lambda key, value: (key, value), key=str, value=int)


def one(value: int) -> int:
    return value


def two(_key: str, value: int) -> int:
    return value


def three(_key: str, left: int, right: int) -> int:
    return left + right


WRONG: dict[str, tuple[Callable[[Payments], Any], str]] = {
    "filter": (lambda s: s.filter(one, name="op"), r"predicate .* called with \(key, value\), but 'one' takes \(value: int\)"),
    "filter_not": (lambda s: s.filter_not(one, name="op"), r"predicate .* called with \(key, value\), but 'one'"),
    "map": (lambda s: s.map(one, name="op"), r"mapper .* called with \(key, value\)"),
    "map_values": (lambda s: s.map_values(two, name="op"), r"mapper .* called with \(value\), but 'two'"),
    "map_values with key": (lambda s: s.map_values(one, with_key=True, name="op"), r"mapper .* called with \(key, value\)"),
    "flat_map_values": (lambda s: s.flat_map_values(two, name="op"), r"mapper .* called with \(value\)"),
    "select_key": (lambda s: s.select_key(one, name="op"), r"mapper .* called with \(key, value\), but 'one'"),
    "group_by": (lambda s: s.group_by(one, name="op"), r"mapper .* called with \(key, value\), but 'one'"),
    "peek": (lambda s: s.peek(one, name="op"), r"action .* called with \(key, value\)"),
    "aggregate": (lambda s: s.group_by_key().aggregate(int, one, name="op"), r"adder .* called with \(aggregate, value\)"),
    "initializer": (lambda s: s.group_by_key().aggregate(one, two, name="op"), "initializer .* called with no arguments"),
    "reduce": (lambda s: s.group_by_key().reduce(one, name="op"), r"adder .* called with \(aggregate, value\), but 'one'"),
    "window": (
        lambda s: s.group_by_key().windowed_by(tumbling(1, grace=0)).aggregate(int, three, name="op"),
        r"adder .* called with \(aggregate, value\)",
    ),
    "join": (
        lambda s: s.join(s, three, windows=join_windows(before=1, after=1, grace=0), name="op"),
        r"joiner .* called with \(left, right\), but 'three'",
    ),
    "table join": (lambda s: s.join(table(s), one, name="op"), r"joiner .* called with \(left, right\)"),
    "table filter": (lambda s: table(s).filter(one, name="op"), r"predicate .* called with \(key, value\)"),
    "split": (
        lambda s: s.split(name="op").branch(one, name="first").no_default_branch(),
        r"predicate .* called with \(key, value\), but 'one'",
    ),
    "merge": (
        lambda s: s.group_by_key().windowed_by(session(1, grace=0)).aggregate(int, max, merge=one, name="op"),
        r"merger .* called with \(aggregate, aggregate\)",
    ),
    "table group_by": (
        lambda s: table(s).group_by(one, key=str, value=int, name="op").count(),
        r"selector .* called with \(key, value\), but 'one'",
    ),
    "table adder": (
        lambda s: regrouped(s).aggregate(int, one, max, name="op"),
        r"adder of operator 'op' is called with \(aggregate, value\)",
    ),
    "table subtractor": (
        lambda s: regrouped(s).aggregate(int, max, one, name="op"),
        r"subtractor of operator 'op' is called with \(aggregate, value\)",
    ),
    "partitioner": (lambda s: s.to("out", partitioner=one, name="op"), r"partitioner .* called with \(key, value, partitions\)"),
    "to": (lambda s: s.to(one, name="op"), r"topic .* called with \(key, value\)"),
    "not a function": (lambda s: s.filter(True, name="op"), "predicate .* is True, which cannot be called; pass a function"),
    "not a number": (lambda s: s.filter_not(3, name="op"), "predicate .* is 3, which cannot be called; pass a function"),
    "no selector": (lambda s: s.select_key(3, name="op"), "mapper .* is 3, which cannot be called; pass a function"),
    "no reducer": (lambda s: s.group_by_key().reduce(3, name="op"), "adder .* is 3, which cannot be called; pass a function"),
}


@pytest.mark.parametrize("operator", WRONG)
def test_an_operator_names_the_function_and_the_arguments_that_it_passes(operator: str) -> None:
    define, message = WRONG[operator]
    with pytest.raises(TopologyError, match=message) as error:
        define(payments())
    assert "operator 'op'" in str(error.value)


class Adder:
    def __call__(self, _key: str, value: int) -> int:
        return value

    def add(self, value: int) -> int:
        return value


class Forwarding(Processor[str, int, str, int]):
    def process(self, record: Any) -> None:
        self.context.forward(record)


@pytest.mark.parametrize(
    "define",
    [
        lambda s: s.map_values(str, value=str),
        lambda s: s.map_values(functools.partial(two, "key")),
        lambda s: s.map_values(Adder().add),
        lambda s: s.map_values(lambda *values: values),
        lambda s: s.map_values(lambda value, more=1: value + more),
        lambda s: s.filter(Adder()),
        lambda s: s.peek(print),
        lambda s: s.group_by_key().reduce(max),
        lambda s: s.process(Forwarding),
    ],
)
def test_every_function_that_can_be_called_is_accepted(define: Callable[[Payments], Any]) -> None:
    define(payments())


def test_a_key_selector_that_cannot_be_called_is_named() -> None:
    builder: Any = TopologyBuilder()
    rows = builder.global_table("rows", key=str, value=int)
    with pytest.raises(TopologyError, match=r"key selector of operator 'op' is called with \(key, value\), but 'one'"):
        builder.stream("payments", key=str, value=int).join(rows, max, key_selector=one, name="op")


def nothing(_one: object, _other: object) -> None:
    """Return nothing, as a function that changes its first argument may."""


NOTHING: dict[str, tuple[Callable[[Payments], Any], str]] = {
    "filter": (lambda s: s.filter(nothing), "True or False"),
    "split": (lambda s: s.split().branch(nothing, name="one").no_default_branch(), "True or False"),
    "table filter": (lambda s: table(s).filter(nothing), "True or False"),
    "aggregate": (lambda s: s.group_by_key().aggregate(list, nothing, value=list[int]), "the aggregate, also if it was changed"),
    "reduce": (lambda s: s.group_by_key().reduce(nothing), "the aggregate"),
    "merge": (
        lambda s: s.group_by_key().windowed_by(session(5, grace=0)).aggregate(int, two, merge=nothing, value=int),
        "the aggregate",
    ),
    "subtractor": (lambda s: regrouped(s).aggregate(int, two, nothing, value=int), "the aggregate"),
    "flat_map": (lambda s: s.flat_map(nothing, key=str, value=int), "several results"),
}


@pytest.mark.parametrize("operator", NOTHING)
def test_a_function_that_is_annotated_as_returning_nothing_is_refused(operator: str) -> None:
    define, returned = NOTHING[operator]
    with pytest.raises(TopologyError, match=rf"is 'nothing', which returns nothing \(-> None\); return {returned}"):
        define(payments())


def changing(value: Any, *_more: Any) -> Any:
    value.clear()


def tombstone(_value: object) -> Any:
    return None


FORGOTTEN: dict[str, tuple[Callable[[Payments], Any], str]] = {
    "map_values": (lambda s: s.map_values(changing), r"return the result; .* peek\(…\) and foreach\(…\)"),
    "map": (lambda s: s.map(changing, key=str, value=int), "return the result"),
    "join": (lambda s: s.join(table(s), changing), "return the result"),
    "aggregate": (lambda s: s.group_by_key().aggregate(list, changing, value=list[int]), "return the aggregate, also if it was"),
    "filter": (lambda s: s.filter(lambda _key, _value: None), "return True or False"),
    "flat_map": (lambda s: s.flat_map(changing, key=str, value=int), "return several results"),
}


@pytest.mark.parametrize("operator", FORGOTTEN)
def test_a_function_without_a_return_is_refused(operator: str) -> None:
    define, cure = FORGOTTEN[operator]
    with pytest.raises(TopologyError, match=rf"which returns nothing: it has no 'return' with a value; {cure}"):
        define(payments())


@pytest.mark.parametrize(
    "adder", [lambda items, item: items.append(item), lambda items, item: items.extend([item])], ids=["append", "extend"]
)
@pytest.mark.parametrize("initial", [list, list[int]])
def test_an_adder_that_returns_what_a_method_of_list_returns_is_refused(adder: Any, initial: Any) -> None:
    with pytest.raises(TopologyError, match=r"adder .* returns what '\w+' of list returns, which is None; call '\w+' and return"):
        payments().group_by_key().aggregate(initial, adder, value=list[int])


class Basket(list[int]):
    def append(self, item: int) -> Any:
        return Basket([*self, item])


@pytest.mark.parametrize(
    "define",
    [
        lambda s: s.map_values(tombstone),
        lambda s: s.map_values(lambda _value: None),
        lambda s: s.peek(changing),
        lambda s: s.group_by_key().aggregate(list, lambda items, item: items.append(item) or items, value=list[int]),
        lambda s: s.group_by_key().aggregate(Basket, lambda items, item: items.append(item), value=list[int]),
    ],
    ids=["tombstones", "a lambda of tombstones", "an action", "the aggregate after all", "a method of its own"],
)
def test_a_function_that_may_return_something_or_none_on_purpose_is_accepted(define: Callable[[Payments], Any]) -> None:
    define(payments())


class Ignoring(Processor[str, int, str, int]):
    def process(self, record: Any) -> None:
        """Ignore the record."""


def test_an_object_in_place_of_its_class_or_of_a_function_is_refused_with_what_to_pass() -> None:
    with pytest.raises(TopologyError, match="cannot be called; pass the class, 'Ignoring', or a function that returns a new one"):
        payments().process(Ignoring())
    with pytest.raises(TopologyError, match=r"initializer .* is \[\], which cannot be called; pass .* returns it: lambda: \[\]"):
        payments().group_by_key().aggregate([], two, value=list[int])


def test_a_branch_is_one_of_a_split_stream() -> None:
    with pytest.raises(TopologyError, match=r"has no 'branch', which a BranchedStream has; write .split\(\).branch\(…\)"):
        payments().branch(two)
