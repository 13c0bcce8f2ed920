"""Consumer groups, as those tell it who share the work on a topic."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.adapters.kafka.conftest import eventually
from tests.features.tools.kafka_tools import KafkaTools

scenarios("consumer_groups")


@given(parsers.parse("a topic of {partitions:d} partitions"))
@given(parsers.parse("a topic of {partitions:d} partition"))
def topic(tools: KafkaTools, partitions: int) -> None:
    tools.make_topic(partitions)


@given(parsers.parse("{count:d} orders"))
@when(parsers.parse("{count:d} orders come"))
def orders(tools: KafkaTools, count: int) -> None:
    outcome = tools.produce((f"order {tools.ordered + number}" for number in range(count)), "--partitioner", "round-robin")
    assert outcome.code == 0, outcome.err
    tools.ordered += count


@when(parsers.parse("{consumers:d} consumers of one {way} group read all there is"))
def one_command(tools: KafkaTools, consumers: int, way: str) -> None:
    tools.read_orders = [
        record["value"] for record in tools.read("--group", tools.group, "-n", str(consumers), "--protocol", way)
    ]


@then("each order is read once")
def each_once(tools: KafkaTools) -> None:
    assert sorted(tools.read_orders) == sorted(f"order {number}" for number in range(tools.ordered))


@then(parsers.parse("at each rebalance one line tells who of the {consumers:d} has what"))
def lines_of_rebalances(tools: KafkaTools, consumers: int) -> None:
    lines = [line for line in tools.said.err.splitlines() if line.startswith("consumer ")]
    assert lines
    for line in lines:
        assert [part.split(":")[0] for part in line.split("; ")] == [f"consumer {number + 1}" for number in range(consumers)]


@then(parsers.parse("at last {busy:d} consumers have a partition and {idle:d} stands by"))
def at_last(tools: KafkaTools, busy: int, idle: int) -> None:
    last = [line for line in tools.said.err.splitlines() if line.startswith("consumer ")][-1]
    has = [part.split(": ")[1] for part in last.split("; ")]
    assert sorted(has) == sorted([f"{tools.topic} {number}" for number in range(busy)] + ["standing by"] * idle)


@given(parsers.parse("the consumer {name} at work on all {partitions:d} partitions"))
def at_work(tools: KafkaTools, name: str, partitions: int) -> None:
    tools.start_consumer(name)
    tools.wait_until_at_work(name, set(range(partitions)))


@given(parsers.parse("the consumer {name} waiting"))
def waiting(tools: KafkaTools, name: str) -> None:
    tools.start_consumer(name)
    tools.wait_for_members(2)
    tools.wait_until_at_work(name, set())


@when(parsers.parse("the consumer {name} comes"))
def comes(tools: KafkaTools, name: str) -> None:
    tools.start_consumer(name)


@then(parsers.parse("{one} and {other} share the {partitions:d} partitions"))
def share(tools: KafkaTools, one: str, other: str, partitions: int) -> None:
    def shared() -> bool:
        has = [(tools.rebalances_of(name) or [set()])[-1] for name in (one, other)]
        return all(has) and not has[0] & has[1] and has[0] | has[1] == set(range(partitions))

    eventually(shared, 60)


@then(parsers.parse("{name} has never been without a partition"))
def never_without(tools: KafkaTools, name: str) -> None:
    assert all(tools.rebalances_of(name))


@when(parsers.parse("{name} has read {count:d} orders"))
def has_read(tools: KafkaTools, name: str, count: int) -> None:
    eventually(lambda: len(tools.values_of(name)) == count, 60)
    eventually(lambda: tools.lag() == 0)


@when(parsers.parse("{name} is killed"))
def killed(tools: KafkaTools, name: str) -> None:
    tools.kill_consumer(name)


@then(parsers.parse("{name} reads the {count:d} orders that came last, and no other"))
def reads_the_last(tools: KafkaTools, name: str, count: int) -> None:
    expected = [f"order {number}" for number in range(tools.ordered - count, tools.ordered)]
    eventually(lambda: len(tools.values_of(name)) >= count, 60)
    assert tools.values_of(name) == expected


@then(parsers.parse("the group has {lag:d} orders to read while {name} is still at work"))
def lag_while_at_work(tools: KafkaTools, lag: int, name: str) -> None:
    eventually(lambda: tools.lag() == lag)
    assert tools.is_at_work(name)
    assert [row["consumer"] for row in tools.progress()] != ["-"]
