"""Producing records to Kafka."""

import json
import re
from collections import Counter

from pytest_bdd import parsers, scenarios, then, when

from tests.features.operating.kafka_commands import KafkaCommands
from tests.features.tables import Table, rows

scenarios("operating/producing.feature")


@when("these lines are produced, with a colon between key and value")
def lines_with_keys(kafka: KafkaCommands, datatable: Table) -> None:
    kafka.produce([row["line"] for row in rows(datatable)], "--key-separator", ":")


@then(parsers.parse("the topic contains {count:d} records, at the partitions and offsets that were shown"))
def records_are_where_shown(kafka: KafkaCommands, count: int) -> None:
    produced = kafka.outcome
    shown = [line.split("\t")[0] for line in produced.out.splitlines()]
    found = [f"{record['topic']}-{record['partition']}@{record['offset']}" for record in kafka.consume()]
    assert len(found) == count
    assert sorted(found) == sorted(shown)
    kafka.outcome = produced


@then(parsers.parse("the summary shows {count:d} records and the latency of the brokers"))
def summary_shows(kafka: KafkaCommands, count: int) -> None:
    summary = rf"^{count} records written, 0 refused, .* \d+\.\d ms \(p50\) and \d+\.\d ms \(p99\)$"
    assert re.search(summary, kafka.outcome.err, re.MULTILINE)


@when(parsers.parse("{count:d} orders of {first}, {second}, {third} and {fourth} are produced"))
def orders_are_produced(kafka: KafkaCommands, count: int, first: str, second: str, third: str, fourth: str) -> None:
    customers = (first, second, third, fourth)
    kafka.produce([f"{customers[number % 4]}:{number}" for number in range(count)], "--key-separator", ":")


@then("the orders of each customer are in one partition, in order")
def orders_are_together(kafka: KafkaCommands) -> None:
    of_customer: dict[str, list[tuple[int, int]]] = {}
    for record in kafka.consume():
        of_customer.setdefault(record["key"], []).append((record["partition"], int(record["value"])))
    assert len(of_customer) == 4
    for first, found in enumerate(of_customer[name] for name in sorted(of_customer)):
        assert len({partition for partition, _ in found}) == 1
        assert [number for _, number in found] == list(range(first, 60, 4))


@when(parsers.parse("{count:d} lines are produced with the {partitioner} partitioner"))
def lines_with_partitioner(kafka: KafkaCommands, count: int, partitioner: str) -> None:
    kafka.produce(map(str, range(count)), "--partitioner", partitioner)


@then(parsers.parse("each partition contains {count:d} records"))
def each_partition_contains(kafka: KafkaCommands, count: int) -> None:
    assert Counter(record["partition"] for record in kafka.consume()) == dict.fromkeys(range(3), count)


@when("this record is produced")
def record_is_produced(kafka: KafkaCommands, datatable: Table) -> None:
    (row,) = rows(datatable)
    header = row["header"].replace(": ", "=")
    kafka.produce([f"{row['key']}:{row['value']}"], "--key-separator", ":", "--header", header, "--timestamp", row["time"])


@then("the topic contains this record")
def topic_contains_record(kafka: KafkaCommands, datatable: Table) -> None:
    (row,) = rows(datatable)
    (line,) = kafka.run("consume", kafka.topic, "--until-end", "--headers").out.splitlines()
    _position, *rest = line.split("\t")
    assert rest == [row["time"], row["key"], row["value"], row["header"].replace(": ", "=")]


@when(parsers.parse("{count:d} simulated trades are produced"))
def simulated_trades(kafka: KafkaCommands, count: int) -> None:
    kafka.run("produce", kafka.topic, "--simulate", "trades", "--max-records", str(count))


@then(parsers.parse("the topic contains {count:d} trades, each with its ticker as key"))
def topic_contains_trades(kafka: KafkaCommands, count: int) -> None:
    found = kafka.consume()
    assert len(found) == count
    assert all(json.loads(record["value"])["ticker"] == record["key"] for record in found)


@when("a line is produced to a topic that does not exist")
def missing_topic(kafka: KafkaCommands) -> None:
    kafka.produce(["tea"], topic=f"{kafka.topic}-x")


@then(parsers.parse('the command fails, names the topic and suggests "{option}"'))
def command_fails(kafka: KafkaCommands, option: str) -> None:
    assert kafka.outcome.code == 1
    assert kafka.outcome.out == ""
    assert f"'{kafka.topic}-x'" in kafka.outcome.err
    assert option in kafka.outcome.err
