"""Well-formed values that cannot be true end no run of a sample flow: they become dead letters, with the field and the value."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from eddyline import Flow
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.run import MemoryRun
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.progress.report import RunReport
from eddyline.application.samples.catalogue import FLOWS, find_flow
from eddyline.domain.trading import DailyQuote, Trade
from tests.runtime.plans import all_records, memory_ports
from tests.samples.simulated import simulate

ABSURD = (
    *("null", '""', '" "', "0", "-1", "-0.5", "true", "false", "NaN", "Infinity", "1e400", "1e308", "5e-324", "9" * 20),
    *("[]", "{}", '"BANANA"', f'"{"x" * 10_000}"', '"12"', '"\\u0000"', '"2026-13-45"'),
)
MARK = "the absurd value"
NOT_SIMULATED = {
    "trades": Trade("ASK", "IBM", 10.0, 5),
    "daily-prices": DailyQuote(10.0, 11.0, "energy"),
}


def true_values(flow: Flow) -> dict[str, Any]:
    """Return a value of each source topic of a flow, with all of its fields."""
    topics = {spec.name for spec in flow.topology().source_topics}
    if not topics - NOT_SIMULATED.keys():
        return {topic: NOT_SIMULATED[topic] for topic in topics}
    found: dict[str, Any] = {}
    for event in simulate(flow.name):
        if event.value is not None:
            found.setdefault(event.topic, event.value)
    return found


def with_absurd_fields(true: Any) -> Iterator[tuple[str, bytes]]:
    """Yield the values that lack a field, and those with an absurd one, each with the name of the field."""
    for name, content in true.items() if isinstance(true, dict) else ():
        yield name, json.dumps({other: kept for other, kept in true.items() if other != name}).encode()
        changed = json.dumps({**true, name: MARK})
        yield from ((name, changed.replace(f'"{MARK}"', absurd).encode()) for absurd in ABSURD)
        for inner, encoded in with_absurd_fields(content):
            yield inner, json.dumps({**true, name: MARK}).replace(f'"{MARK}"', encoded.decode()).encode()


def report_of(flow: Flow, log: MemoryEventLog) -> RunReport:
    """Return what a run of a flow counts, which writes its results to the log."""
    options = RunOptions(application_id="app", emit="every-update", new_topic_partitions=1)
    run = MemoryRun(flow.topology(), memory_ports(log), options, MemoryClock())
    run.run_available_now()
    run.close()
    return run.report


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
def test_no_absurd_value_ends_a_run(flow: Flow) -> None:
    log, codecs, sent = MemoryEventLog(), JsonCodecs(), 0
    for topic, value in true_values(flow).items():
        log.create_topic(topic, 1)
        encoded = codecs.for_value(topic, type(value)).encode(value) or b""
        true = json.loads(encoded) if encoded.startswith(b"{") else None
        whole = ((topic, absurd.encode()) for absurd in (*ABSURD, "{torn"))
        for number, (_, absurd) in enumerate((*with_absurd_fields(true), *whole)):
            log.append(topic, b"k", absurd, number)
            sent += 1
        for timestamp in (-1, 2**62):
            log.append(topic, b"k", encoded, timestamp)
            sent += 1
    report = report_of(flow, log)
    assert report.records + report.dead_letters >= sent


def test_a_dead_letter_names_the_field_and_the_value() -> None:
    log, codecs = MemoryEventLog(), JsonCodecs()
    value = Trade("ASK", "IBM", 10.0, 5)
    log.create_topic("trades", 1)
    true = json.loads(codecs.for_value("trades", Trade).encode(value) or b"")
    expected = []
    for name, absurd in with_absurd_fields(true):
        log.append("trades", b"IBM", absurd, 1_000)
        expected.append(name)
    report_of(find_flow("stock-stats"), log)
    for letter in all_records(log, "app-dead-letters"):
        headers = {name: (content or b"").decode() for name, content in letter.headers}
        assert expected[int(headers["__streams.errors.offset"])] in headers["__streams.errors.message"]
