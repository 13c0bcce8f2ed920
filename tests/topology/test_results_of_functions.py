"""Functions that return no result are refused: coroutine functions, and generator functions where a value is expected."""

import asyncio
import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from eddyline import (
    Flow,
    Processor,
    Record,
    TopologyBuilder,
    TopologyError,
    ValueTransformerWithKey,
    aggregations,
    custom_store,
    join_windows,
    key_value_store,
    session,
)
from eddyline.application.flows.alerts import Alert
from eddyline.application.flows.views import ChartView, DetailPart, FeedView, TableView
from eddyline.testing import MemoryEngine

Payments: TypeAlias = Any
"""A Stream[str, int], unchecked: the mistakes that are tested are mistakes of types, too."""


def payments() -> Payments:
    return TopologyBuilder().stream("payments", key=str, value=int)


async def coroutine(*_arguments: Any) -> Any:
    return 1


def generator(*_arguments: Any) -> Any:
    yield 1


async def asynchronous_generator(*_arguments: Any) -> Any:
    yield 1


class Called:
    async def __call__(self, *_arguments: Any) -> Any:
        return 1

    async def method(self, *_arguments: Any) -> Any:
        return 1


NO_RESULTS: dict[str, Callable[..., Any]] = {
    "coroutine function": coroutine,
    "generator function": generator,
    "asynchronous generator function": asynchronous_generator,
    "partial": functools.partial(coroutine, 1),
    "cached": functools.cache(coroutine),
    "bound method": Called().method,
    "callable object": Called(),
    "partial of a callable object": functools.partial(Called(), 1),
    "lambda": lambda *_: (yield),
}

SECOND = 1_000
WINDOWS = join_windows(before=SECOND, after=SECOND, grace=0)


def table(stream: Payments) -> Any:
    return stream.group_by_key().count(store="counts")


def regrouped(stream: Payments) -> Any:
    return table(stream).group_by(lambda key, value: (key, value), key=str, value=int)


def sessions(stream: Payments) -> Any:
    return stream.group_by_key().windowed_by(session(SECOND, grace=0))


def first(_left: int, _right: int | None) -> int:
    return 1


VALUES: dict[str, Callable[[Payments, Any], Any]] = {
    "filter": lambda s, f: s.filter(f),
    "filter_not": lambda s, f: s.filter_not(f),
    "map": lambda s, f: s.map(f, key=str, value=int),
    "map_values": lambda s, f: s.map_values(f, value=int),
    "select_key": lambda s, f: s.select_key(f, key=str),
    "group_by": lambda s, f: s.group_by(f, key=str),
    "peek": lambda s, f: s.peek(f),
    "for_each": lambda s, f: s.for_each(f),
    "split": lambda s, f: s.split().branch(f, name="one").no_default_branch(),
    "initializer": lambda s, f: s.group_by_key().aggregate(f, max, value=int),
    "adder": lambda s, f: s.group_by_key().aggregate(int, f),
    "merger": lambda s, f: sessions(s).aggregate(int, max, merge=f),
    "reducer": lambda s, f: s.group_by_key().reduce(f),
    "reducer of sessions": lambda s, f: sessions(s).reduce(f),
    "cogroup": lambda s, f: s.group_by_key().cogroup(f).aggregate(int),
    "joiner": lambda s, f: s.join(s, f, windows=WINDOWS),
    "joiner of a table": lambda s, f: s.left_join(table(s), f),
    "condition": lambda s, f: s.join(s, first, windows=WINDOWS, condition=f),
    "until": lambda s, f: s.join(s, first, windows=join_windows(before=0, grace=0, until=f)),
    "foreign key": lambda s, f: table(s).join(s.to_table(), first, foreign_key=f),
    "topic": lambda s, f: s.to(f),
    "partitioner": lambda s, f: s.to("out", partitioner=f),
    "partitioner of a repartition": lambda s, f: s.repartition(partitioner=f),
    "table filter": lambda s, f: table(s).filter(f),
    "table map_values": lambda s, f: table(s).map_values(f, value=int),
    "table group_by": lambda s, f: table(s).group_by(f, key=str, value=int).count(),
    "to_stream": lambda s, f: table(s).to_stream(f, key=str),
    "table adder": lambda s, f: regrouped(s).aggregate(int, f, max),
    "table subtractor": lambda s, f: regrouped(s).aggregate(int, max, f),
    "process": lambda s, f: s.process(f),
    "process_values": lambda s, f: s.process_values(f),
    "transform_values": lambda s, f: table(s).transform_values(f, value=int),
    "where": lambda s, f: s.group_by_key().aggregate(aggregations.count().where(f)),
    "sum": lambda _, f: aggregations.sum(f, value=int),
    "avg": lambda _, f: aggregations.avg(f),
    "percentile": lambda _, f: aggregations.percentile(f, 0.5),
    "max": lambda _, f: aggregations.max(f, value=int),
    "min_by": lambda _, f: aggregations.min_by(f),
    "max_by": lambda _, f: aggregations.max_by(f),
    "top_n": lambda _, f: aggregations.top_n(3, f),
    "collect_list": lambda _, f: aggregations.collect_list(f),
    "count_distinct": lambda _, f: aggregations.count_distinct(f, value=int),
    "timestamp": lambda _, f: TopologyBuilder().stream("more", key=str, value=int, timestamp=f),
    "store": lambda _, f: custom_store("own", f, key=str, value=int),
}


@pytest.mark.parametrize("kind", NO_RESULTS)
@pytest.mark.parametrize("operator", VALUES)
def test_a_function_that_returns_no_result_is_refused(operator: str, kind: str) -> None:
    with pytest.raises(TopologyError, match=r"is '.*', a (coroutine|generator) function"):
        VALUES[operator](payments(), NO_RESULTS[kind])


@pytest.mark.parametrize("define", [lambda s, f: s.flat_map(f), lambda s, f: s.flat_map_values(f, value=int)])
def test_several_results_may_come_from_a_generator_function_but_not_from_coroutines(
    define: Callable[[Payments, Any], Any],
) -> None:
    define(payments(), generator)
    for function in (coroutine, asynchronous_generator):
        with pytest.raises(TopologyError, match="a coroutine function"):
            define(payments(), function)


def test_a_decorator_that_runs_a_coroutine_function_is_accepted() -> None:
    @functools.wraps(coroutine)
    def ran(_key: str, _value: int) -> bool:
        return True

    payments().filter(ran)


@pytest.mark.parametrize("method", ["init", "process", "close"])
def test_the_methods_of_a_processor_return_results(method: str) -> None:
    made = type("Waiting", (Forwarding,), {method: coroutine})
    with pytest.raises(TopologyError, match=rf"{method}\(\) of operator 'op' is '.*', a coroutine function"):
        payments().process(made, name="op")
    with pytest.raises(TopologyError, match=rf"{method}\(\) of operator 'op' is '.*', a coroutine function"):
        payments().process(functools.partial(made), name="op")


def test_the_method_of_a_transformer_returns_a_result() -> None:
    class Waiting(ValueTransformerWithKey[str, int, int]):
        transform = coroutine  # type: ignore[assignment] # this is the mistake

    with pytest.raises(TopologyError, match=r"transform\(\) of operator 'op' is 'coroutine', a coroutine function"):
        table(payments()).transform_values(Waiting, value=int, name="op")


class Forwarding(Processor[str, int, str, int]):
    def process(self, record: Record[str, int]) -> None:
        self.context.forward(record)


SHARED = Forwarding()


@pytest.mark.parametrize(
    ("supplier", "message"),
    [
        (lambda: 3, "the supplier of operator 'op' returns 3, which is no Processor"),
        (lambda: None, "the supplier of operator 'op' returns None, which is no Processor"),
        (lambda: Forwarding, "returns <class .*Forwarding'>, which is no Processor"),
        (Called, "the supplier of operator 'op' returns the class 'Called', which is no Processor"),
        (lambda: SHARED, "the supplier of operator 'op' returns the same 'Forwarding' twice; return a new one each time"),
    ],
)
def test_a_supplier_returns_a_new_processor_each_time(supplier: Any, message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        payments().process(supplier, name="op")
    builder = TopologyBuilder()
    builder.add_source("source", "payments", key=str, value=int)
    with pytest.raises(TopologyError, match=message):
        builder.add_processor("op", supplier, parents=["source"])
    with pytest.raises(TopologyError, match=message):
        builder.add_global_store(key_value_store("rows", key=str, value=int), "rows", supplier, key=str, value=int, name="op")


@pytest.mark.parametrize("supplier", [lambda: 3, Forwarding])
def test_a_supplier_returns_a_new_transformer_each_time(supplier: Any) -> None:
    with pytest.raises(TopologyError, match=r"the supplier of operator 'op' returns .*, which is no ValueTransformerWithKey"):
        table(payments()).transform_values(supplier, value=int, name="op")


@pytest.mark.parametrize("function", [coroutine, generator, Called()])
def test_a_flow_is_no_coroutine_function(function: Any) -> None:
    with pytest.raises(ValueError, match=r"flow 'waiting' is '.*', a (coroutine|generator) function"):
        Flow("waiting", "Waits.", function)
    with pytest.raises(
        ValueError, match=r"processing.exception.handler of flow 'waiting' is '.*', a (coroutine|generator) function"
    ):
        Flow("waiting", "Waits.", lambda _: None, processing_exception_handler=function)


VIEWS: dict[str, Callable[[Any], object]] = {
    "line of a chart": lambda f: ChartView(title="Prices", topic="prices", values={"mean": f}),
    "rows of a table": lambda f: TableView(title="Prices", store="prices", rows=f),
    "order of a table": lambda f: TableView(title="Prices", store="prices", order=f),
    "rows of a detail": lambda f: DetailPart(title="Prices", rows=f),
    "subject of a detail": lambda f: DetailPart(title="Prices", rows=lambda _key, _value: [], subject=f),
    "rows of a feed": lambda f: FeedView(title="Prices", topic="prices", rows=f),
    "alerts": lambda f: Alert("alerts", to="ann", subject=f),
}


@pytest.mark.parametrize("kind", NO_RESULTS)
@pytest.mark.parametrize("view", VIEWS)
def test_the_functions_of_views_and_alerts_return_results(view: str, kind: str) -> None:
    function = NO_RESULTS[kind]
    if view.startswith("rows") and kind in ("generator function", "lambda"):
        VIEWS[view](function)
        return
    with pytest.raises(TopologyError, match=r"(view 'Prices'|topic 'alerts') is '.*', a (coroutine|generator) function"):
        VIEWS[view](function)


@pytest.mark.parametrize("called", [coroutine, generator])
@pytest.mark.parametrize(
    "define",
    [
        lambda s, f: s.filter(f),
        lambda s, f: s.filter(f, drop_reason="small"),
        lambda s, f: s.filter_not(f),
        lambda s, f: s.peek(f),
        lambda s, f: s.split().branch(f, name="one").default_branch()["one"],
        lambda s, f: s.to_table().filter(f).to_stream(),
        lambda s, f: s.group_by_key().aggregate(aggregations.count().where(f)).to_stream(),
        lambda s, f: s.join(s, first, windows=WINDOWS, condition=f),
    ],
)
def test_a_coroutine_that_a_lambda_returns_is_refused_at_its_record(
    define: Callable[[Payments, Any], Payments], called: Callable[..., Any]
) -> None:
    def calls(*values: Any) -> Any:
        return called(*values) if 3 in values else True

    builder = TopologyBuilder()
    define(builder.stream("payments", key=str, value=int), calls).to("out")
    topology, records = builder.build(), [("payments", "till", value, 0) for value in (1, 2, 3)]
    with pytest.raises(TypeError, match=rf"returned a {called.__name__}, of which nothing has run: '{called.__name__}'"):
        MemoryEngine(topology).pipe_all(records)
    with pytest.raises(TypeError, match="of which nothing has run"):
        MemoryEngine(topology).pipe(*records[2])


@pytest.mark.parametrize("define", [lambda s, f: s.filter(f), lambda s, f: s.peek(f)])
def test_a_future_is_refused_as_a_coroutine_is(define: Callable[[Payments, Any], Payments]) -> None:
    loop = asyncio.new_event_loop()
    future = loop.create_future()
    loop.close()
    builder = TopologyBuilder()
    define(builder.stream("payments", key=str, value=int), lambda _key, _value: future).to("out")
    with pytest.raises(TypeError, match="returned a future, of which nothing has run: 'Future'"):
        MemoryEngine(builder.build()).pipe("payments", "till", 1, 0)


@pytest.mark.parametrize("called", [coroutine, generator])
def test_a_coroutine_in_place_of_a_list_is_refused_before_it_is_copied(called: Callable[..., Any]) -> None:
    def calls(value: int) -> Any:
        return called(value)

    builder = TopologyBuilder()
    builder.stream("payments", key=str, value=int).map_values(calls, value=list[int]).to("out")
    topology = builder.build()
    with pytest.raises(TypeError, match=f"a mapper returned a {called.__name__}"):
        MemoryEngine(topology).pipe("payments", "till", 1, 0)
    with pytest.raises(TypeError, match=f"a mapper returned a {called.__name__}"):
        MemoryEngine(topology).pipe_all([("payments", "till", 1, 0)])


def rows(stream: Payments) -> Any:
    return stream.group_by_key().aggregate(int, lambda _before, _value: 1, value=int)


def plus_global_rows(define: Callable[[Payments, Any, Any], Payments]) -> Callable[[Payments, TopologyBuilder, Any], Payments]:
    return lambda s, b, f: define(s, b.global_table("rates", key=str, value=int, store="rates"), f)


UNUSED: dict[str, Callable[[Payments, TopologyBuilder, Any], Payments]] = {
    "map_values": lambda s, _, f: s.map_values(f, value=int),
    "map_values with a key": lambda s, _, f: s.map_values(f, value=int, with_key=True),
    "value of map": lambda s, _, f: s.map(lambda key, value: (key, f(value)), key=str, value=int),
    "key of map": lambda s, _, f: s.map(lambda _key, value: (f(value), value), key=str, value=int),
    "select_key": lambda s, _, f: s.select_key(f, key=str),
    "table map_values": lambda s, _, f: rows(s).map_values(f, value=int).to_stream(),
    "joiner of streams": lambda s, _, f: s.join(s.map_values(abs, value=int), f, windows=WINDOWS, value=int),
    "joiner of a global table": plus_global_rows(lambda s, t, f: s.left_join(t, f, key_selector=lambda key, _: key, value=int)),
    "key selector": plus_global_rows(lambda s, t, f: s.join(t, first, key_selector=f)),
    "key selector of a left join": plus_global_rows(lambda s, t, f: s.left_join(t, first, key_selector=f)),
}


@pytest.mark.parametrize("called", [coroutine, generator])
@pytest.mark.parametrize("operator", UNUSED)
def test_a_coroutine_that_no_later_operator_would_use_is_refused(operator: str, called: Callable[..., Any]) -> None:
    def calls(*values: Any) -> Any:
        return called(*values)

    builder = TopologyBuilder()
    stream = UNUSED[operator](builder.stream("payments", key=str, value=int), builder, calls)
    stream.map(lambda _key, _value: ("one", 1), key=str, value=int).to("out")
    topology, records = builder.build(), [("payments", "till", 1, 0)]
    with pytest.raises(TypeError, match=rf"returned a {called.__name__}, of which nothing has run: '{called.__name__}'"):
        MemoryEngine(topology).pipe_all(records)
    with pytest.raises(TypeError, match="of which nothing has run"):
        MemoryEngine(topology).pipe(*records[0])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda _key, _value: coroutine(), "a topic function returned a coroutine, of which nothing has run"),
        (lambda _key, _value, _context: coroutine(), "a topic function returned a coroutine, of which nothing has run"),
        (lambda _key, _value: 3, "the topic function of operator 'op' returned 3; return the name of the topic as a str"),
        (lambda _key, _value: None, "the topic function of operator 'op' returned None; return the name of the topic as a str"),
    ],
)
def test_a_topic_function_returns_a_text(function: Any, message: str) -> None:
    builder = TopologyBuilder()
    stream: Payments = builder.stream("payments", key=str, value=int)
    stream.to(function, name="op")
    with pytest.raises(TypeError, match=message):
        MemoryEngine(builder.build()).pipe("payments", "till", 1, 0)


def test_what_is_annotated_as_another_result_than_the_operator_needs_is_refused() -> None:
    def length(text: str) -> int:
        return len(text)

    def first(key: str, _value: str) -> str:
        return key

    def every(key: str, _value: str) -> list[str]:
        return [key]

    lines: Any = TopologyBuilder().stream("lines", key=str, value=str)
    with pytest.raises(TopologyError, match="operator 'a' is annotated with 'int', but returns several results; return a list"):
        lines.flat_map_values(length, name="a")
    for name, operator in (("map", first), ("flat_map", every)):
        with pytest.raises(TopologyError, match="annotated with 'str', but returns a key and a value; return a tuple of both"):
            getattr(lines, name)(operator)


def test_a_ready_made_aggregation_takes_a_function() -> None:
    name: Any = "amount"
    with pytest.raises(TopologyError, match=r"sum\(…\) takes a function of the value, but got 'amount'; pass for example lambda"):
        aggregations.sum(name)
