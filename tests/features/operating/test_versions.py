"""Versions of the stock statistics side by side, with topics in files and on Kafka."""

import json
import re

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.testing import milliseconds
from tests.features.operating.environment import Environment
from tests.features.tables import Table, rows

scenarios("operating/versions.feature", "operating/versions_on_kafka.feature")

_TIME = re.compile(r"1970-01-01T00:(\d\d):(\d\d)\.000Z")


@given("topic 'trades' contains these trades")
def trades(environment: Environment, datatable: Table) -> None:
    records: list[tuple[str | None, str, int]] = []
    for row in rows(datatable):
        trade = {"type": "ASK", "ticker": row["ticker"], "price": float(row["price"]), "size": 100}
        records.append((row["ticker"], json.dumps(trade), milliseconds(row["time"])))
    environment.write("trades", records)


@given("the stock statistics have run")
def stock_statistics_run(environment: Environment) -> None:
    environment.run("stock-stats")


@given(parsers.parse("the stock statistics have run as version {version}"))
@when(parsers.re(r"the stock statistics run as version (?P<version>\w+)"))
def version_runs(environment: Environment, version: str) -> None:
    environment.run("stock-stats", "--version", version)


@when(parsers.parse("the stock statistics run as version {version}, which accepts late trades for {grace}"))
def version_with_grace_runs(environment: Environment, version: str, grace: str) -> None:
    environment.run("stock-stats", "--version", version, "--set", f"grace_ms={milliseconds(grace)}")


@when(parsers.parse("version {version} of the stock statistics is reset with its output"))
def version_is_reset(environment: Environment, version: str) -> None:
    environment.command("reset", "stock-stats", "--version", version, "--execute", "--with-output")


@when(parsers.parse("topic '{first}' is compared with topic '{second}'"))
def compare(environment: Environment, first: str, second: str) -> None:
    environment.settle(first, second)
    environment.compare(first, second)


@when(parsers.parse("topic '{first}' is compared with topic '{second}' to the end"))
def compare_to_the_end(environment: Environment, first: str, second: str) -> None:
    environment.compare(first, second, "--to", "end")


@then("the topics agree")
def topics_agree(environment: Environment) -> None:
    assert environment.outcome.code == 0, environment.outcome
    assert ", 0 different, 0 only in" in environment.outcome.out


@then(parsers.parse("the topics agree up to {time}"))
def topics_agree_up_to(environment: Environment, time: str) -> None:
    topics_agree(environment)
    assert _with_seconds(environment.outcome.out).splitlines()[3].startswith(f"before {time}: ")


@then("the topics differ")
def topics_differ(environment: Environment) -> None:
    assert environment.outcome.code == 1, environment.outcome
    assert not environment.outcome.err


@then("the topics differ in these windows")
def topics_differ_in(environment: Environment, datatable: Table) -> None:
    topics_differ(environment)
    lines = _with_seconds(environment.outcome.out).splitlines()
    header = next(number for number, line in enumerate(lines) if line.split()[:2] == ["key", "window"])
    found = [[_figures(cell) for cell in re.split(r" {2,}", line.strip())] for line in lines[header:]]
    assert found == datatable


@then(parsers.parse("topic '{topic}' is empty"))
def topic_is_empty(environment: Environment, topic: str) -> None:
    assert environment.records(topic) == []


@then(parsers.parse("topic '{topic}' is not empty"))
def topic_is_not_empty(environment: Environment, topic: str) -> None:
    assert environment.records(topic)


@then("Kafka has one group for each version")
def one_group_for_each_version(environment: Environment) -> None:
    assert {"stock-stats", "stock-stats-v2"} <= {group.name for group in ConsumerGroups(environment.kafka).list()}


def _with_seconds(text: str) -> str:
    """Write the times in an output as seconds since the epoch."""
    return _TIME.sub(lambda found: f"{int(found[1]) * 60 + int(found[2])} s", text)


def _figures(cell: str) -> str:
    if not cell.startswith("{"):
        return cell
    statistics = json.loads(cell)
    return f"{statistics['countTrades']} trades at {statistics['avgPrice']:g}"
