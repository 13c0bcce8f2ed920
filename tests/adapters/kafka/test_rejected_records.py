"""Records that their topic does not accept: the production exception handler decides, and no other record is lost."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.errors import RecordsRejectedError
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.dead_letters import reason_in
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.progress.report import RunReport
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.exception_handlers import ErrorContext
from tests.adapters.kafka.conftest import Read, Values

LARGE = Random(0).randbytes(2_000_000).hex()[:2_000_000].encode()
GUARANTEES = ["exactly-once", "at-least-once"]


def run(settings: KafkaSettings, name: str, guarantee: str, handler: Any, *values: bytes) -> RunReport:
    """Copy values from a log in memory to a topic of Kafka."""
    log = MemoryEventLog()
    log.create_topic("in", 1)
    for number, value in enumerate(values):
        log.append("in", b"k%d" % number, value, 1 + number)
    builder = TopologyBuilder()
    builder.stream("in", key=bytes, value=bytes).to(name, name="copy")
    sink = KafkaEventSink(settings, guarantee=guarantee)
    ports = RunPorts(log, sink, JsonCodecs(), MemoryStateStores())
    options = RunOptions(application_id=name, production_exception_handler=handler, new_topic_partitions=1)
    return MemoryRun(builder.build(), ports, options, MemoryClock()).run_available_now()


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_by_default_a_record_that_is_too_large_ends_the_run(
    settings: KafkaSettings, values: Values, name: str, guarantee: str
) -> None:
    with pytest.raises(RecordsRejectedError) as raised:
        run(settings, name, guarantee, "fail", b"a", LARGE, b"b")
    message = str(raised.value)
    assert f"topic '{name}', partition 0, key b'k1', 2,000,002 bytes: " in message
    assert "raise max.message.bytes of the topic" in message
    assert message.endswith("the topic has max.message.bytes=1048588")
    (note,) = raised.value.__notes__
    assert note.startswith("operator 'copy', no record, key b'k1'")
    assert "set production.exception.handler to 'continue' or 'dead-letter'" in note
    if guarantee == "exactly-once":
        assert values(name) == []


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_a_run_goes_on_without_a_record_that_is_too_large(
    settings: KafkaSettings, values: Values, read: Read, name: str, guarantee: str
) -> None:
    report = run(settings, name, guarantee, "dead-letter", b"a", LARGE, b"b", LARGE + b"2")
    assert set(values(name)) == {b"a", b"b"}
    letters = read(f"{name}-dead-letters")
    assert {letter.value for letter in letters} == {LARGE, LARGE + b"2"}
    reason = reason_in(letters[0].headers)
    assert (reason.exception, reason.topic, reason.offset, reason.operator) == ("DeliveryError", name, None, "copy")
    assert report.written == {name: 2, f"{name}-dead-letters": 2}
    assert (report.dead_letters, report.drops) == (2, {("copy", "production-error"): 2})
    if guarantee == "exactly-once":
        assert (values(name), len(letters)) == ([b"a", b"b"], 2)


def test_a_function_chooses_the_response(settings: KafkaSettings, values: Values, name: str) -> None:
    seen: list[tuple[str, Any]] = []

    def handler(context: ErrorContext, error: Exception) -> str:
        seen.append((context.operator, context.key))
        return "continue" if "MSG_SIZE_TOO_LARGE" in str(error) else "fail"

    report = run(settings, name, "exactly-once", handler, LARGE, b"b")
    assert (values(name), report.written, report.dead_letters) == ([b"b"], {name: 1}, 0)
    assert seen == [("copy", b"k0")]


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_the_limit_of_the_client_is_treated_alike(settings: KafkaSettings, values: Values, name: str, guarantee: str) -> None:
    narrow = settings.with_values({"producer.message.max.bytes": 10_000})
    report = run(narrow, name, guarantee, "continue", b"a", bytes(20_000), b"b", bytes(30_000))
    assert (values(name), report.written) == ([b"a", b"b"], {name: 2})
    with pytest.raises(RecordsRejectedError, match=r"2 records could not be written .* 20,002 bytes: .*message\.max\.bytes"):
        run(narrow, name, guarantee, "fail", bytes(20_000), bytes(30_000))


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_records_that_fit_are_not_rejected_with_others_of_their_request(
    settings: KafkaSettings, topics: Topics, values: Values, name: str, guarantee: str
) -> None:
    topics.create(name, 1, config={"max.message.bytes": "10000"})
    randbytes: Callable[[int], bytes] = Random(1).randbytes
    small = [randbytes(5_000) for _ in range(4)]
    assert KafkaEventSink(settings, guarantee=guarantee).write(name, 0, 0, [SinkRecord(name, None, value, 1) for value in small])
    assert values(name)[-4:] == small
    report = run(settings, name, guarantee, "continue", small[0], randbytes(12_000), small[1])
    assert values(name)[-2:] == small[:2]
    assert report.drops == {("copy", "production-error"): 1}


def test_a_null_key_for_a_compacted_topic_is_rejected_alone(
    settings: KafkaSettings, topics: Topics, values: Values, name: str
) -> None:
    topics.create(name, 1, config={"cleanup.policy": "compact"})
    records = [SinkRecord(name, b"k", b"a", 1), SinkRecord(name, None, b"b", 2), SinkRecord(name, b"k", b"c", 3)]
    sink = KafkaEventSink(settings)
    with pytest.raises(RecordsRejectedError, match="INVALID_RECORD") as raised:
        sink.write(name, 0, 0, records)
    assert list(raised.value.rejected) == [(name, None, b"b")]
    assert sink.write(name, 0, 0, [records[0], records[2]])
    assert values(name) == [b"a", b"c"]
