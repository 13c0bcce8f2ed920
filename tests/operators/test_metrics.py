"""Metrics of processors: what they count, on each engine in one process, and which names are refused."""

from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import CollectorRegistry

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.web.run_metrics import RunCollector
from eddyline.application.monitoring.run_monitor import RunMonitor
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.topology import Topology
from eddyline.application.topology.metrics import Metrics, MetricValue
from eddyline.testing import MemoryEngine
from tests.fixtures.local_runs import local_engine, ports_of
from tests.fixtures.metered import metered

EXPECTED = {
    ("check", "rejected"): MetricValue("counter", 2, 2),
    ("check", "open_orders"): MetricValue("gauge", 1, 4),
    ("check", "amount"): MetricValue("sensor", 62, 4, 40),
}


def test_a_test_sees_what_processors_have_counted() -> None:
    engine = MemoryEngine(metered())
    for amount in (40, 2, 15, 5):
        engine.pipe("orders", "a", amount, timestamp=amount)
    assert engine.metrics == EXPECTED


@pytest.mark.parametrize("name", ["memory", "local"])
def test_a_run_shows_them_by_task(name: str) -> None:
    log, topology = MemoryEventLog(), metered()
    log.create_topic("orders", 1)
    monitor = RunMonitor(topology, log, MemoryClock(0), application_id="app", flow="orders", engine=name)
    engine = _engine(name, topology, log)
    for amounts in ((40, 2), (15, 5)):
        for amount in amounts:
            log.append("orders", b"a", b"%d" % amount, amount)
        engine.run_available_now(monitor.on_progress)
    assert monitor.snapshot().metrics == {(*place, "0_0"): value for place, value in EXPECTED.items()}
    registry = CollectorRegistry()
    registry.register(RunCollector([monitor]))
    samples = {
        sample.name: (sample.value, sample.labels)
        for family in text_string_to_metric_families(generate_latest(registry).decode())
        for sample in family.samples
        if sample.name.startswith("eddyline_processor_")
    }
    labels = {"application_id": "app", "node": "check", "task": "0_0"}
    assert samples == {
        "eddyline_processor_rejected_total": (2, labels),
        "eddyline_processor_open_orders": (1, labels),
        "eddyline_processor_amount_count": (4, labels),
        "eddyline_processor_amount_sum": (62, labels),
        "eddyline_processor_amount_max": (40, labels),
    }


def _engine(name: str, topology: Topology, log: MemoryEventLog) -> Any:
    ports, options = ports_of(log, MemoryEventSink(log), JsonCodecs(), MemoryStateStores()), RunOptions(application_id="app")
    return local_engine(topology, ports, options) if name == "local" else MemoryRun(topology, ports, options, MemoryClock(0))


INVALID = ("", "Rejected", "rejected-orders", "1st", "rejected orders", "réjected", "rejected_total", "sum", "a\n")


@pytest.mark.parametrize("name", INVALID)
def test_an_invalid_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"^metric .* of processor 'check': "):
        Metrics("check").counter(name)


def test_a_name_of_another_kind_is_refused() -> None:
    metrics = Metrics("check")
    metrics.counter("rejected")
    with pytest.raises(ValueError, match="metric 'rejected' of processor 'check' is a counter, not a gauge; choose another name"):
        metrics.gauge("rejected")


def test_names_that_depend_on_records_are_refused() -> None:
    metrics = Metrics("check")
    for number in range(100):
        metrics.counter(f"order{number}")
    with pytest.raises(ValueError, match="has 100 metrics already; names must not depend on records"):
        metrics.counter("order100")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1", None, True])
def test_a_value_that_is_no_finite_number_is_refused(value: Any) -> None:
    calls: list[Callable[[Any], None]] = [
        Metrics("check").counter("a").add,
        Metrics("check").gauge("a").set,
        Metrics("check").sensor("a").record,
    ]
    for call in calls:
        with pytest.raises(ValueError, match="is no finite number"):
            call(value)


def test_a_counter_only_grows() -> None:
    with pytest.raises(ValueError, match="-1 is negative; a counter only grows, so use a gauge"):
        Metrics("check").counter("rejected").add(-1)
