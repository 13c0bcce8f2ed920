"""Seeking, as those tell it who read a topic again."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Table, rows
from tests.features.tools.kafka_tools import KafkaTools

scenarios("seeking")


@given("a topic with these orders")
def topic(tools: KafkaTools, datatable: Table) -> None:
    tools.make_topic(1)
    for row in rows(datatable):
        assert tools.produce([row["order"]], "--timestamp", row["at"]).code == 0


@when(parsers.parse("the topic is read from {place}"))
def read_from(tools: KafkaTools, place: str) -> None:
    tools.read_orders = [record["value"] for record in tools.read("--from", place)]


@then(parsers.parse("these are read: {orders}"))
def these_are_read(tools: KafkaTools, orders: str) -> None:
    assert tools.read_orders == _orders(orders)


@given("a group that has read tea, rice and salt")
def group(tools: KafkaTools) -> None:
    outcome = tools.run("consume", tools.topic, "--group", tools.group, "--max-records", "3")
    assert [line.split("\t")[3] for line in outcome.out.splitlines()] == ["tea", "rice", "salt"]
    tools.wait_for_members(0)


@when(parsers.parse("the group is reset {how}, only to see what would happen"))
def reset_dry(tools: KafkaTools, how: str) -> None:
    outcome = tools.run("groups", "reset", tools.group, *how.split(), "--dry-run")
    assert outcome.code == 0, outcome.err
    assert "nothing was changed" in outcome.err


@when(parsers.parse("the group is reset {how}"))
def reset(tools: KafkaTools, how: str) -> None:
    tools.run("groups", "reset", tools.group, *how.split(), "--execute")


@then(parsers.parse("the group is still at offset {offset:d}"))
def still_at(tools: KafkaTools, offset: int) -> None:
    assert [row["offset"] for row in tools.progress()] == [str(offset)]


@then(parsers.parse("the group reads: {orders}"))
def group_reads(tools: KafkaTools, orders: str) -> None:
    assert [record["value"] for record in tools.read("--group", tools.group)] == _orders(orders)


@given("a consumer of the group at work")
def at_work(tools: KafkaTools) -> None:
    tools.start_consumer("consumer")
    tools.wait_until_at_work("consumer", {0})


@then("the command refuses, because the group is active")
def refuses(tools: KafkaTools) -> None:
    assert tools.said.code == 1
    assert f"group '{tools.group}' is active" in tools.said.err


@then(parsers.parse("the group is at offset {offset:d}, where its consumer is"))
def where_its_consumer_is(tools: KafkaTools, offset: int) -> None:
    tools.wait_for_offset(offset)
    assert tools.values_of("consumer") == ["wine"]


def _orders(text: str) -> list[str]:
    return [] if text == "nothing" else text.split(", ")
