"""Consumers that share the partitions of a topic."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.adapters.kafka.conftest import eventually
from tests.features.operating.kafka_commands import KafkaCommands

scenarios("operating/consumer_groups.feature")

ALL = "all"
"""The name of the one command that runs several consumers."""


@given(parsers.re(r"consumer (?P<name>\w+) owns (?P<partitions>\d+) partitions?"), converters={"partitions": int})
def consumer_owns(kafka: KafkaCommands, name: str, partitions: int) -> None:
    kafka.start_consumer(name)
    kafka.wait_until_owned(name, set(range(partitions)))


@given(parsers.parse("consumer {name} stands by"))
def consumer_stands_by(kafka: KafkaCommands, name: str) -> None:
    kafka.start_consumer(name)
    kafka.wait_for_members(2)
    kafka.wait_until_owned(name, set())


@when(parsers.parse("consumer {name} joins"))
def consumer_joins(kafka: KafkaCommands, name: str) -> None:
    kafka.start_consumer(name)


@when(parsers.parse("{consumers:d} consumers of one {protocol} group start together"))
def consumers_start(kafka: KafkaCommands, consumers: int, protocol: str) -> None:
    kafka.start_consumer(ALL, "-n", str(consumers), "--protocol", protocol)


@when(parsers.parse("{count:d} orders arrive"))
def orders_arrive(kafka: KafkaCommands, count: int) -> None:
    outcome = kafka.produce((f"order {kafka.produced + number}" for number in range(count)), "--partitioner", "round-robin")
    assert outcome.code == 0, outcome.err
    kafka.produced += count


@when(parsers.parse("{name} has read {count:d} orders"))
def consumer_has_read(kafka: KafkaCommands, name: str, count: int) -> None:
    eventually(lambda: len(kafka.values_of(name)) == count)
    eventually(lambda: kafka.lag() == 0)


@when(parsers.parse("{name} is killed"))
def consumer_is_killed(kafka: KafkaCommands, name: str) -> None:
    kafka.kill_consumer(name)


@then(parsers.parse("{active:d} of the {consumers:d} consumers own one partition each and {idle:d} stands by"))
def partitions_are_assigned(kafka: KafkaCommands, active: int, consumers: int, idle: int) -> None:
    expected = sorted([f"{kafka.topic} {number}" for number in range(active)] + ["standing by"] * idle)
    assert len(expected) == consumers

    def are_assigned() -> bool:
        lines = kafka.rebalance_lines_of(ALL)
        return bool(lines) and sorted(part.split(": ")[1] for part in lines[-1].split("; ")) == expected

    kafka.wait_for_members(consumers)
    eventually(are_assigned)


@then(parsers.parse("one line at each rebalance shows what each of the {consumers:d} consumers owns"))
def one_line_at_each_rebalance(kafka: KafkaCommands, consumers: int) -> None:
    names = [f"consumer {number + 1}" for number in range(consumers)]
    for line in kafka.rebalance_lines_of(ALL):
        assert [part.split(": ")[0] for part in line.split("; ")] == names


@then(parsers.parse("the {consumers:d} consumers read each order once"))
def each_order_is_read_once(kafka: KafkaCommands, consumers: int) -> None:
    assert kafka.rebalance_lines_of(ALL)[-1].count("consumer ") == consumers
    eventually(lambda: len(kafka.values_of(ALL)) >= kafka.produced)
    assert sorted(kafka.values_of(ALL)) == sorted(f"order {number}" for number in range(kafka.produced))


@then(parsers.parse("{one} and {other} share the {partitions:d} partitions"))
def partitions_are_shared(kafka: KafkaCommands, one: str, other: str, partitions: int) -> None:
    def are_shared() -> bool:
        owned = [(kafka.rebalances_of(name) or [set()])[-1] for name in (one, other)]
        return all(owned) and not owned[0] & owned[1] and owned[0] | owned[1] == set(range(partitions))

    eventually(are_shared)


@then(parsers.parse("{name} is never without a partition"))
def never_without_a_partition(kafka: KafkaCommands, name: str) -> None:
    assert all(kafka.rebalances_of(name))


@then(parsers.parse("{name} reads the last {count:d} orders and no others"))
def last_orders_are_read(kafka: KafkaCommands, name: str, count: int) -> None:
    expected = [f"order {number}" for number in range(kafka.produced - count, kafka.produced)]
    eventually(lambda: len(kafka.values_of(name)) >= count)
    assert kafka.values_of(name) == expected


@then(parsers.parse("the lag of the group is {lag:d} while {name} is still running"))
def lag_while_running(kafka: KafkaCommands, lag: int, name: str) -> None:
    eventually(lambda: kafka.lag() == lag)
    assert kafka.is_running(name)
    assert [row["consumer"] for row in kafka.partitions()] != ["-"]
