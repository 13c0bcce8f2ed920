"""Metrics of runs for Prometheus; labels are applications, topics, nodes, reasons, partitions, tasks and outcomes, never keys."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from eddyline.application.monitoring.run_monitor import RunMonitor
from eddyline.application.monitoring.run_status import RunState, RunStatus
from eddyline.application.topology.metrics import MetricValue

_PREFIX = "eddyline_run_"
_MOST_SERIES = 1_000
_OTHER = "other"
_APPLICATION = "application_id"
_MILLISECONDS = 1_000
_Values: TypeAlias = Mapping[Any, float]
"""Values by the values of their labels, a tuple."""


class RunCollector(Collector):
    """The status of runs, read when Prometheus asks; every metric has the application as a label."""

    def __init__(self, monitors: Sequence[RunMonitor]) -> None:
        self._monitors = monitors

    def describe(self) -> Iterator[Metric]:
        """Yield nothing: the names of the metrics are those of no other collector."""
        yield from ()

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics; a value that is not known is left out."""
        statuses = [monitor.snapshot() for monitor in self._monitors]
        families: dict[str, Metric] = {}
        for status in statuses:
            for family in _of_status(status):
                merged = families.setdefault(family.name, Metric(family.name, family.documentation, family.type))
                merged.samples += [
                    sample._replace(labels={_APPLICATION: status.application_id, **sample.labels}) for sample in family.samples
                ]
        yield from families.values()
        yield from _of_processors(statuses)


def _of_status(status: RunStatus) -> Iterator[Metric]:
    yield from _of_run(status)
    yield from _counters(status)
    yield from _positions(status)
    yield from _tasks(status)


def _of_run(status: RunStatus) -> Iterator[Metric]:
    info = {"flow": status.flow, "engine": status.engine}
    yield InfoMetricFamily("eddyline_run", "The run.", value=info)
    yield _gauge("state", "1 for the present state of the run.", ["state"], {(s,): s is status.state for s in RunState})
    yield _counter("restarts", "How often the run was restarted after a failure.", [], {(): status.restarts})
    yield _gauge("start_time_seconds", "When the run started.", [], {(): status.started / _MILLISECONDS})
    found = status.batch_seconds
    buckets = [*((str(bound), number) for bound, number in found.buckets), ("+Inf", found.count)]
    yield HistogramMetricFamily(f"{_PREFIX}batch_duration_seconds", "Duration of batches.", buckets, found.total)
    last = {(): status.history[-1].time / _MILLISECONDS} if status.history else {}
    yield _gauge("last_batch_time_seconds", "When the last batch ended.", [], last)


def _counters(status: RunStatus) -> Iterator[Metric]:
    totals = status.totals
    yield _counter("records_consumed", "Records processed.", ["topic"], _by_name(totals.records_in))
    yield _counter("records_produced", "Records written, dead letters included.", ["topic"], _by_name(totals.records_out))
    yield _counter("records_undecodable", "Records that could not be decoded.", ["topic"], _by_name(totals.undecodable))
    yield _counter("dropped_records", "Dropped records.", ["node", "reason"], totals.dropped)
    yield _counter("late_records", "Late records.", [], {(): totals.late})
    yield _counter("late_windows", "Closed windows for which records were late.", [], {(): totals.late_windows})
    yield _counter("exceptions_handled", "Exceptions after which the run went on.", ["node"], _by_name(totals.handled_exceptions))
    yield _counter("dead_letters", "Dead letters.", [], {(): totals.dead_letters})
    skipped = {(topic, str(partition)): number for (topic, partition), number in totals.skipped.items()}
    yield _counter("offsets_skipped", "Offsets that the log has lost.", ["topic", "partition"], skipped)
    yield _counter("sink_transactions", "Writes to the event sink.", ["outcome"], _by_name(totals.transactions))
    processed = {(node.name,): node.processed for node in status.nodes if node.processed is not None}
    yield _counter("node_records", "Records processed by a node of the topology.", ["node"], processed)


def _positions(status: RunStatus) -> Iterator[Metric]:
    labels = ["topic", "partition"]
    lags = {(found.topic, str(found.partition)): found.lag for found in status.partitions if found.lag is not None}
    yield _gauge("lag_records", "Records that are not processed yet.", labels, lags)
    advanced = {
        (found.topic, str(found.partition)): found.last_advanced / _MILLISECONDS
        for found in status.partitions
        if found.last_advanced is not None
    }
    yield _gauge("last_advanced_time_seconds", "When the position was last seen to advance.", labels, advanced)


def _tasks(status: RunStatus) -> Iterator[Metric]:
    times = {(task.task,): task.stream_time / _MILLISECONDS for task in status.tasks if task.stream_time is not None}
    yield _gauge("stream_time_seconds", "The greatest timestamp that a task has seen.", ["task"], times)
    entries = {(task.task,): task.entries for task in status.tasks if task.entries is not None}
    yield _gauge("state_entries", "Entries of the stores of a task.", ["task"], entries)
    sizes = {(task.task,): task.size_bytes for task in status.tasks if task.size_bytes is not None}
    yield _gauge("state_size_bytes", "Size of the stored state of a task.", ["task"], sizes)


def _of_processors(statuses: Sequence[RunStatus]) -> Iterator[Metric]:
    """Yield a family for each name and kind; if kinds share a name, that of all but the first ends with the kind."""
    labels, named = [_APPLICATION, "node", "task"], dict[str, str]()
    families: dict[tuple[str, str], dict[tuple[str, str, str], MetricValue]] = {}
    for status in statuses:
        for (node, name, task), value in status.metrics.items():
            families.setdefault((name, value.kind), {})[status.application_id, node, task] = value
    for (name, kind), values in sorted(families.items()):
        prefix = f"eddyline_processor_{name}" if named.setdefault(name, kind) == kind else f"eddyline_processor_{name}_{kind}"
        shown = dict(list(values.items())[:_MOST_SERIES])
        text = f"A {kind} of a processor."
        if kind == "sensor":
            summary = SummaryMetricFamily(prefix, text, labels=labels)
            greatest = GaugeMetricFamily(f"{prefix}_max", "The greatest value of this sensor.", labels=labels)
            for place, found in shown.items():
                summary.add_metric(place, found.number, found.value)
                greatest.add_metric(place, found.most or 0)
            yield summary
            yield greatest
            continue
        family = (CounterMetricFamily if kind == "counter" else GaugeMetricFamily)(prefix, text, labels=labels)
        for place, found in shown.items():
            family.add_metric(place, found.value)
        yield family


def _counter(name: str, text: str, labels: Sequence[str], values: _Values) -> Metric:
    family = CounterMetricFamily(f"{_PREFIX}{name}", text, labels=labels)
    for values_of_labels, value in _bounded(values, len(labels)).items():
        family.add_metric(values_of_labels, value)
    return family


def _gauge(name: str, text: str, labels: Sequence[str], values: _Values) -> Metric:
    family = GaugeMetricFamily(f"{_PREFIX}{name}", text, labels=labels)
    for values_of_labels in sorted(values)[:_MOST_SERIES]:
        family.add_metric(values_of_labels, values[values_of_labels])
    return family


def _by_name(values: Mapping[str, float]) -> dict[tuple[str, ...], float]:
    return {(name,): value for name, value in values.items()}


def _bounded(values: _Values, labels: int) -> dict[Any, float]:
    """Return the values of at most 1,000 label values, with the sum of all others: a flow may choose its topics by record."""
    names = list(values)  # in the order in which they appeared, so that a counter stays what it is
    kept = {name: values[name] for name in names[:_MOST_SERIES]}
    if len(names) > _MOST_SERIES:
        kept[(_OTHER,) * labels] = sum(values[name] for name in names[_MOST_SERIES:])
    return kept
