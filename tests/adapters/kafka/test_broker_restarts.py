"""A sink whose broker restarts, between two batches or while one is written."""

import logging
import threading
from collections.abc import Callable

import pytest

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.broker import Broker
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import read_all, sink_records, wait_until_settled
from tests.fixtures.services import QUICK_RETURN


@pytest.mark.slow
def test_a_producer_is_replaced_if_its_broker_has_restarted_since_the_last_batch(
    own_broker: Callable[..., Broker], name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The calls of the one before would block, for as long as the sink lets them, when its coordinators have been away."""
    broker = own_broker(settings=QUICK_RETURN)
    broker.start()
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers})
    sink = KafkaEventSink(settings, timeout_s=120)
    sink.create_topic(name, 1)
    with caplog.at_level(logging.WARNING):
        for batch in range(3):
            assert sink.write(name, 0, batch, sink_records(name, b"%d" % batch))
            wait_until_settled(settings, name)  # see below
            broker.stop()
            broker.start()
    assert "the client did not return" not in caplog.text
    log = KafkaEventLog(settings)
    assert [record.value for record in read_all(log, name)] == [b"0", b"1", b"2"]
    log.close()
    sink.close()


@pytest.mark.slow
def test_writing_continues_after_a_restart_of_the_broker(own_broker: Callable[..., Broker], name: str) -> None:
    """The broker is stopped gracefully while a transaction is open and the one before has its markers.

    If the only broker of a cluster stops between the commit of a transaction and its markers, it does not write them when it is
    back (Kafka 4.3.0: "partitions are likely deleted already"), and an abort of the next transaction aborts this one too.
    """
    broker = own_broker(settings=QUICK_RETURN)
    broker.start()
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers})
    is_stopped = threading.Event()

    def restart() -> None:
        broker.stop()
        is_stopped.set()
        broker.start()

    restarting = threading.Thread(target=restart)

    def partition_0(record: SinkRecord, _partitions: int) -> int:
        if record.value == b"20-100" and not restarting.ident:
            restarting.start()
            assert is_stopped.wait(120)
        return 0

    sink = KafkaEventSink(settings, timeout_s=120, partitioner=partition_0)
    sink.create_topic(name, 1)
    for batch in range(40):
        if batch == 20:
            wait_until_settled(settings, name)
        assert sink.write(name, 0, batch, sink_records(name, *(b"%d-%d" % (batch, number) for number in range(200))))
    restarting.join()
    wait_until_settled(settings, name)
    log = KafkaEventLog(settings)
    assert [record.value for record in read_all(log, name)] == [
        b"%d-%d" % (batch, number) for batch in range(40) for number in range(200)
    ]
    log.close()
    sink.close()
