"""Consumer groups, as those tell it who share the work on a topic."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.adapters.kafka.conftest import eventually
from tests.features.tools.kafka_tools import KafkaTools

scenarios("consumer_groups")

TOGETHER = "together"
"""The name of the one command that runs several consumers."""


@given(parsers.parse("a topic of {partitions:d} partitions"))
@given(parsers.parse("a topic of {partitions:d} partition"))
def topic(tools: KafkaTools, partitions: int) -> None:
    tools.make_topic(partitions)


@when(parsers.parse("{count:d} orders come"))
def orders(tools: KafkaTools, count: int) -> None:
    outcome = tools.produce((f"order {tools.ordered + number}" for number in range(count)), "--partitioner", "round-robin")
    assert outcome.code == 0, outcome.err
    tools.ordered += count


@when(parsers.parse("{consumers:d} consumers of one {way} group begin together"))
def together(tools: KafkaTools, consumers: int, way: str) -> None:
    tools.start_consumer(TOGETHER, "-n", str(consumers), "--protocol", way)


@then(parsers.parse("{busy:d} of the {consumers:d} consumers have a partition and {idle:d} stands by"))
def shared_out(tools: KafkaTools, busy: int, consumers: int, idle: int) -> None:
    wanted = sorted([f"{tools.topic} {number}" for number in range(busy)] + ["standing by"] * idle)
    assert len(wanted) == consumers

    def shared() -> bool:
        told = tools.news_of(TOGETHER)
        return bool(told) and sorted(part.split(": ")[1] for part in told[-1].split("; ")) == wanted

    tools.wait_for_members(consumers)
    eventually(shared, 60)


@then(parsers.parse("at each rebalance one line has told who of the {consumers:d} has what"))
def lines_of_rebalances(tools: KafkaTools, consumers: int) -> None:
    names = [f"consumer {number + 1}" for number in range(consumers)]
    for line in tools.news_of(TOGETHER):
        assert [part.split(": ")[0] for part in line.split("; ")] == names


@then(parsers.parse("the {consumers:d} consumers read each order once"))
def each_once(tools: KafkaTools, consumers: int) -> None:
    assert tools.news_of(TOGETHER)[-1].count("consumer ") == consumers
    eventually(lambda: len(tools.values_of(TOGETHER)) >= tools.ordered, 60)
    assert sorted(tools.values_of(TOGETHER)) == sorted(f"order {number}" for number in range(tools.ordered))


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
