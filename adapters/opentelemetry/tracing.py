"""Spans of a run, one for each batch, with links to the contexts of its records; and the metrics of processors."""

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Link, SpanKind, Status, StatusCode, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from eddyline.application.runtime.progress.report import Progress, RunReport
from eddyline.application.topology.metrics import MetricValue

_NANOSECONDS: Final = 1_000_000_000
_UNKNOWN_SERVICE: Final = "unknown_service"
_FLUSH_MS: Final = 5_000


class RunTracer:
    """Exports the spans of a run; `on_progress` is its `OnProgress`.

    The span of a batch has the conventions of OpenTelemetry for the processing of messages: its kind is that of a consumer, and
    it is linked to the contexts in which the records were sent, so that it is found from their traces. Empty batches have no
    span.

    Args:
        application_id: The application; the name of the service unless OTEL_SERVICE_NAME is set.
        flow: The name of the flow.
        exporter: Where spans go; by default OTLP over HTTP, as the environment variables of OpenTelemetry say.
        reader: Where the metrics of processors go, likewise. Nothing is exported before there are any.
    """

    def __init__(
        self, application_id: str, flow: str, exporter: SpanExporter | None = None, reader: MetricReader | None = None
    ) -> None:
        self._attributes = {
            "messaging.system": "eddyline",
            "messaging.operation.type": "process",
            "messaging.operation.name": "process",
            "messaging.consumer.group.name": application_id,
            "eddyline.flow": flow,
        }
        self._name = f"process {flow}"
        self._resource = _resource(application_id)
        self._metrics = None if os.environ.get("OTEL_METRICS_EXPORTER") == "none" else _ProcessorMetrics(self._resource, reader)
        self._provider = TracerProvider(resource=self._resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("eddyline")

    @contextmanager
    def running(self) -> Iterator[None]:
        """Export the spans of the `with` block, and one with the error if it fails."""
        started = time.time_ns()
        try:
            yield
        except Exception as error:
            span = self._tracer.start_span(
                f"run {self._attributes['eddyline.flow']}", attributes=self._attributes, start_time=started
            )
            span.record_exception(error)
            span.set_status(Status(StatusCode.ERROR, f"{type(error).__name__}: {error}"))
            span.end()
            raise
        finally:
            self._provider.force_flush(_FLUSH_MS)
            self._provider.shutdown()
            if self._metrics is not None:
                self._metrics.shutdown()

    def on_progress(self, progress: Progress, _report: RunReport) -> None:
        """Add the span of a batch that has just ended."""
        report = progress.report
        if self._metrics is not None and report.metrics:
            self._metrics.add(report.metrics)
        if report.is_empty:
            return
        end = time.time_ns()
        attributes: dict[str, str | int] = {
            **self._attributes,
            "messaging.batch.message_count": report.records,
            "eddyline.batch": progress.batch,
            "eddyline.written": sum(report.written.values()),
            "eddyline.dropped": sum(report.drops.values()),
            "eddyline.dead_letters": report.dead_letters,
        }
        span = self._tracer.start_span(
            self._name,
            kind=SpanKind.CONSUMER,
            attributes=attributes,
            links=list(_links(report.trace_contexts)),
            start_time=end - round(progress.seconds * _NANOSECONDS),
        )
        span.end(end)


class _ProcessorMetrics:
    """Exports the metrics of processors as `eddyline.processor.<name>`; of a sensor `.count`, `.sum` and `.max`."""

    def __init__(self, resource: Resource, reader: MetricReader | None) -> None:
        self._resource, self._reader = resource, reader
        self._provider: MeterProvider | None = None
        self._exported: dict[tuple[str, str, str], MetricValue] = {}

    def add(self, metrics: Mapping[tuple[str, str, str], MetricValue]) -> None:
        """Add what metrics have counted since the run began, by processor, name and task."""
        if self._provider is None:
            reader = self._reader or PeriodicExportingMetricReader(OTLPMetricExporter())
            self._provider = MeterProvider([reader], self._resource, shutdown_on_exit=False)
        meter = self._provider.get_meter("eddyline")
        for place, found in metrics.items():
            node, name, task = place
            before = self._exported.get(place, MetricValue(found.kind))
            labels, name = {"node": node, "task": task}, f"eddyline.processor.{name}"
            if found.kind == "gauge":
                meter.create_gauge(name).set(found.value, labels)
            elif found.kind == "counter":
                meter.create_counter(name).add(found.value - before.value, labels)
            else:
                meter.create_counter(f"{name}.count").add(found.number - before.number, labels)
                meter.create_up_down_counter(f"{name}.sum").add(found.value - before.value, labels)
                meter.create_gauge(f"{name}.max").set(found.most or 0, labels)
            self._exported[place] = found

    def shutdown(self) -> None:
        """Export what was not exported yet."""
        if self._provider is not None:
            self._provider.shutdown(_FLUSH_MS)


def _links(contexts: Iterable[str]) -> Iterator[Link]:
    """Yield links to the contexts that are valid."""
    propagator = TraceContextTextMapPropagator()
    for context in contexts:
        found = get_current_span(propagator.extract({"traceparent": context})).get_span_context()
        if found.is_valid:
            yield Link(found)


def _resource(application_id: str) -> Resource:
    """Return the resource that the environment describes, by default with the application as the service."""
    found = Resource.create()
    if str(found.attributes[SERVICE_NAME]).startswith(_UNKNOWN_SERVICE):
        return found.merge(Resource({SERVICE_NAME: application_id}))
    return found
