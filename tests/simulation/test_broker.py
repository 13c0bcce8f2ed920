"""The simulated brokers answer as Kafka's do (KIP-98, KIP-360, KIP-447, KIP-890)."""

from collections.abc import Callable

import pytest
from confluent_kafka import KafkaException

from tests.simulation.broker import Broker
from tests.simulation.broker_state import ProducerId

_AT = ("topic", 0)
_ID = "writer-0"


class _Cluster:
    """Brokers with a topic and a transactional producer; markers are written by `finish` only."""

    def __init__(self) -> None:
        self.now = 0.0
        self.broker = Broker(lambda: self.now, lambda _transactional_id: None)
        self.broker.create_topic("topic", 1)
        self.producer = self.broker.init_producer(_ID, 60.0)

    def write(self, *values: str, sequence: int = 0, producer: ProducerId | None = None) -> None:
        producer = producer or self.producer
        self.broker.add_partitions_to_transaction(_ID, producer, [_AT])
        self.broker.produce(_AT, producer, sequence, values, _ID)

    def commit_offset(self, offset: int) -> None:
        self.broker.add_group_to_transaction(_ID, self.producer, "group")
        self.broker.commit_offsets_in_transaction(_ID, self.producer, "group", {_AT: offset})

    def end(self, *, commit: bool) -> None:
        self.broker.end_transaction(_ID, self.producer, commit=commit)
        self.finish()

    def finish(self) -> None:
        while self.broker.transactions[_ID].state.startswith("Prepare"):
            self.broker.write_marker(_ID)

    def values(self, *, committed: bool = True) -> list[str]:
        return [value for _, value in self.broker.fetch(*_AT, 0, 100, committed=committed)[0]]


def refused(code: str, request: Callable[[], object]) -> None:
    with pytest.raises(KafkaException) as raised:
        request()
    assert raised.value.args[0].name() == code


@pytest.fixture
def cluster() -> _Cluster:
    return _Cluster()


def test_records_are_visible_when_the_marker_of_their_transaction_is_written(cluster: _Cluster) -> None:
    cluster.write("a")
    cluster.broker.end_transaction(_ID, cluster.producer, commit=True)
    assert (cluster.values(), cluster.values(committed=False)) == ([], ["a"])
    cluster.finish()
    assert cluster.values() == ["a"]
    assert cluster.broker.end(*_AT, committed=True) == 2


def test_the_last_stable_offset_is_that_of_the_first_open_transaction(cluster: _Cluster) -> None:
    cluster.write("a")
    cluster.broker.produce(_AT, None, 0, ["b"])
    assert cluster.values() == []
    cluster.end(commit=False)
    assert cluster.values() == ["b"]


def test_a_repeated_request_to_produce_is_written_once(cluster: _Cluster) -> None:
    cluster.write("a", "b")
    cluster.write("a", "b")
    cluster.write("c", sequence=2)
    refused("OUT_OF_ORDER_SEQUENCE_NUMBER", lambda: cluster.write("e", sequence=4))
    cluster.end(commit=True)
    assert cluster.values() == ["a", "b", "c"]


def test_a_new_producer_aborts_the_transaction_of_the_one_before_and_fences_it(cluster: _Cluster) -> None:
    cluster.write("a")
    refused("CONCURRENT_TRANSACTIONS", lambda: cluster.broker.init_producer(_ID, 60.0))
    cluster.finish()
    new = cluster.broker.init_producer(_ID, 60.0)
    assert new.number == cluster.producer.number
    refused("PRODUCER_FENCED", lambda: cluster.write("b", sequence=1))
    refused("INVALID_PRODUCER_EPOCH", lambda: cluster.broker.produce(_AT, cluster.producer, 1, ["b"], _ID))
    refused("PRODUCER_FENCED", lambda: cluster.broker.end_transaction(_ID, cluster.producer, commit=True))
    cluster.write("c", producer=new)
    assert cluster.values() == []


def test_a_decided_transaction_is_not_aborted_by_a_new_producer(cluster: _Cluster) -> None:
    cluster.write("a")
    cluster.broker.end_transaction(_ID, cluster.producer, commit=True)
    refused("CONCURRENT_TRANSACTIONS", lambda: cluster.broker.init_producer(_ID, 60.0))
    cluster.finish()
    cluster.broker.init_producer(_ID, 60.0)
    assert cluster.values() == ["a"]


def test_a_repeated_commit_succeeds_and_an_abort_after_it_does_not(cluster: _Cluster) -> None:
    refused("INVALID_TXN_STATE", lambda: cluster.end(commit=True))
    cluster.write("a")
    cluster.end(commit=True)
    cluster.end(commit=True)
    refused("INVALID_TXN_STATE", lambda: cluster.end(commit=False))


def test_records_that_arrive_after_the_end_of_their_transaction_are_refused(cluster: _Cluster) -> None:
    cluster.write("a")
    cluster.end(commit=True)
    refused("INVALID_TXN_STATE", lambda: cluster.broker.produce(_AT, cluster.producer, 1, ["b"], _ID))


def test_offsets_are_pending_until_the_transaction_has_ended(cluster: _Cluster) -> None:
    cluster.commit_offset(7)
    refused("UNSTABLE_OFFSET_COMMIT", lambda: cluster.broker.committed("group", [_AT], stable=True))
    assert cluster.broker.committed("group", [_AT], stable=False) == [None]
    cluster.end(commit=True)
    assert cluster.broker.committed("group", [_AT], stable=True) == [7]
    cluster.commit_offset(8)
    cluster.end(commit=False)
    assert cluster.broker.committed("group", [_AT], stable=True) == [7]


def test_offsets_of_a_fenced_producer_are_refused(cluster: _Cluster) -> None:
    cluster.commit_offset(7)
    refused("CONCURRENT_TRANSACTIONS", lambda: cluster.broker.init_producer(_ID, 60.0))
    cluster.finish()
    zombie = cluster.producer
    refused(
        "INVALID_PRODUCER_EPOCH",
        lambda: cluster.broker.commit_offsets_in_transaction(_ID, zombie, "group", {_AT: 7}),
    )
    assert cluster.broker.committed("group", [_AT], stable=True) == [None]


def test_a_transaction_that_is_open_for_too_long_is_aborted_and_its_producer_is_fenced(cluster: _Cluster) -> None:
    cluster.write("a")
    cluster.now = 60.0
    cluster.broker.abort_expired()
    assert cluster.broker.transactions[_ID].state == "Ongoing"
    cluster.now = 60.1
    cluster.broker.abort_expired()
    cluster.finish()
    refused("PRODUCER_FENCED", lambda: cluster.end(commit=True))
    assert (cluster.values(), cluster.broker.end(*_AT, committed=True)) == ([], 2)


def test_a_coordinator_that_moves_answers_later(cluster: _Cluster) -> None:
    cluster.broker.moved_until[_ID] = 1.0
    refused("NOT_COORDINATOR", lambda: cluster.write("a"))
    cluster.now = 1.0
    cluster.write("a")


def test_offsets_that_were_stored_later_count_although_the_transaction_before_ends_later() -> None:
    broker = Broker(lambda: 0.0, lambda _transactional_id: None)
    at = ("orders", 0)
    broker.create_topic("orders", 1)
    for name, offset in (("first", 5), ("second", 7)):
        producer = broker.init_producer(name, 10.0)
        broker.add_group_to_transaction(name, producer, "group")
        broker.commit_offsets_in_transaction(name, producer, "group", {at: offset})
        broker.end_transaction(name, producer, commit=True)
    broker.write_marker("second")
    broker.write_marker("first")
    assert broker.committed("group", [at], stable=True) == [7]
