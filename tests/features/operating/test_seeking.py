"""Reading a topic again from any position."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.operating.kafka_commands import KafkaCommands
from tests.features.tables import Table, rows

scenarios("operating/seeking.feature")


@given("a topic with these orders")
def topic_with_orders(kafka: KafkaCommands, datatable: Table) -> None:
    kafka.create_topic(1)
    for row in rows(datatable):
        assert kafka.produce([row["order"]], "--timestamp", row["time"]).code == 0


@given("a consumer group has read tea, rice and salt")
def group_has_read(kafka: KafkaCommands) -> None:
    outcome = kafka.run("consume", kafka.topic, "--group", kafka.group, "--max-records", "3")
    assert [line.split("\t")[3] for line in outcome.out.splitlines()] == ["tea", "rice", "salt"]
    kafka.wait_for_members(0)


@given("a consumer of the group is running")
def consumer_is_running(kafka: KafkaCommands) -> None:
    kafka.start_consumer("consumer")
    kafka.wait_until_owned("consumer", {0})


@when(parsers.parse("the topic is read from {position}"))
def topic_is_read(kafka: KafkaCommands, position: str) -> None:
    kafka.read_orders = [record["value"] for record in kafka.consume("--from", position)]


@when(parsers.parse("a dry run resets the group by {option}"))
def dry_run_resets_group(kafka: KafkaCommands, option: str) -> None:
    outcome = kafka.run("groups", "reset", kafka.group, *option.split(), "--dry-run")
    assert outcome.code == 0, outcome.err
    assert "nothing was changed" in outcome.err


@when(parsers.parse("the group is reset by {option}"))
def group_is_reset(kafka: KafkaCommands, option: str) -> None:
    kafka.run("groups", "reset", kafka.group, *option.split(), "--execute")


@then(parsers.parse("the orders that are read are {orders}"))
def orders_are_read(kafka: KafkaCommands, orders: str) -> None:
    assert kafka.read_orders == _orders(orders)


@then(parsers.parse("the offset of the group is {offset:d}"))
def offset_is(kafka: KafkaCommands, offset: int) -> None:
    assert kafka.offsets() == [str(offset)]


@then(parsers.parse("the orders that the group reads are {orders}"))
def group_reads(kafka: KafkaCommands, orders: str) -> None:
    assert [record["value"] for record in kafka.consume("--group", kafka.group)] == _orders(orders)


@then("the reset is refused because the group is active")
def reset_is_refused(kafka: KafkaCommands) -> None:
    assert kafka.outcome.code == 1
    assert f"group '{kafka.group}' is active" in kafka.outcome.err


@then(parsers.parse("the consumer reads {order} and commits offset {offset:d}"))
def consumer_reads_and_commits(kafka: KafkaCommands, order: str, offset: int) -> None:
    kafka.wait_for_offset(offset)
    assert kafka.values_of("consumer") == [order]


def _orders(text: str) -> list[str]:
    return [] if text == "nothing" else text.split(", ")
