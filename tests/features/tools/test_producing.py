"""Producing, as those tell it who write to a topic."""

import json
import re
from collections import Counter

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Table, rows
from tests.features.tools.kafka_tools import KafkaTools

scenarios("producing")


@given(parsers.parse("a topic of {partitions:d} partitions"))
def topic(tools: KafkaTools, partitions: int) -> None:
    tools.make_topic(partitions)


@when("these lines are produced, a key before each colon")
def keyed_lines(tools: KafkaTools, datatable: Table) -> None:
    tools.produce([row["line"] for row in rows(datatable)], "--key-separator", ":")


@then(parsers.parse("{count:d} records are found, at the partitions and offsets that were told"))
def found_where_told(tools: KafkaTools, count: int) -> None:
    told = [line.split("\t")[0] for line in tools.said.out.splitlines()]
    totals = tools.said
    found = [f"{record['topic']}-{record['partition']}@{record['offset']}" for record in tools.read()]
    assert len(found) == count
    assert sorted(found) == sorted(told)
    tools.said = totals


@then(parsers.parse("the totals tell {count:d} records and how long the brokers took"))
def totals(tools: KafkaTools, count: int) -> None:
    told = rf"^{count} records written, 0 refused, .* \d+\.\d ms \(p50\) and \d+\.\d ms \(p99\)$"
    assert re.search(told, tools.said.err, re.MULTILINE)


@when(parsers.parse("{count:d} orders of {first}, {second}, {third} and {fourth} are produced"))
def orders(tools: KafkaTools, count: int, first: str, second: str, third: str, fourth: str) -> None:
    customers = (first, second, third, fourth)
    tools.produce([f"{customers[number % 4]}:{number}" for number in range(count)], "--key-separator", ":")


@then("the orders of each customer are in one partition, in order")
def together_and_in_order(tools: KafkaTools) -> None:
    of_customer: dict[str, list[tuple[int, int]]] = {}
    for record in tools.read():
        of_customer.setdefault(record["key"], []).append((record["partition"], int(record["value"])))
    assert len(of_customer) == 4
    for first, found in enumerate(of_customer[name] for name in sorted(of_customer)):
        assert len({partition for partition, _ in found}) == 1
        assert [number for _, number in found] == list(range(first, 60, 4))


@when(parsers.parse("{count:d} lines are produced in turn to all partitions"))
def in_turn(tools: KafkaTools, count: int) -> None:
    tools.produce(map(str, range(count)), "--partitioner", "round-robin")


@then(parsers.parse("each partition has {count:d} records"))
def evenly(tools: KafkaTools, count: int) -> None:
    assert Counter(record["partition"] for record in tools.read()) == dict.fromkeys(range(3), count)


@when("this record is produced")
def whole_record(tools: KafkaTools, datatable: Table) -> None:
    (row,) = rows(datatable)
    header = row["header"].replace(": ", "=")
    tools.produce([f"{row['key']}:{row['value']}"], "--key-separator", ":", "--header", header, "--timestamp", row["time"])


@then("this record is found")
def whole_record_found(tools: KafkaTools, datatable: Table) -> None:
    (row,) = rows(datatable)
    (line,) = tools.run("consume", tools.topic, "--until-end", "--headers").out.splitlines()
    _place, *rest = line.split("\t")
    assert rest == [row["time"], row["key"], row["value"], row["header"].replace(": ", "=")]


@when(parsers.parse("{count:d} simulated trades are produced"))
def simulated(tools: KafkaTools, count: int) -> None:
    tools.run("produce", tools.topic, "--simulate", "trades", "--count", str(count))


@then(parsers.parse("{count:d} trades are found, each under its ticker"))
def trades(tools: KafkaTools, count: int) -> None:
    found = tools.read()
    assert len(found) == count
    assert all(json.loads(record["value"])["ticker"] == record["key"] for record in found)


@when("a line is produced to a topic that does not exist")
def to_nowhere(tools: KafkaTools) -> None:
    tools.produce(["tea"], topic=f"{tools.topic}-x")


@then(parsers.parse('the command fails and names that topic and "{cure}"'))
def fails(tools: KafkaTools, cure: str) -> None:
    assert tools.said.code == 1
    assert tools.said.out == ""
    assert f"'{tools.topic}-x'" in tools.said.err
    assert cure in tools.said.err
