"""Spans of batches, linked to the contexts of the records, in memory and over OTLP."""

import re
from pathlib import Path

import pytest
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, NumberDataPoint
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.opentelemetry.tracing import RunTracer
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.progress.report import Progress, RunReport
from eddyline.application.topology import TopologyBuilder
from tests.adapters.cli.conftest import Eddyline
from tests.adapters.memory.running import run_of
from tests.adapters.spark.in_process import InProcessRun
from tests.fixtures.metered import metered
from tests.fixtures.otlp_collector import collector
from tests.runtime.plans import all_records

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def parent(number: int, flags: str = "01") -> bytes:
    return f"00-{TRACE}-{number:016x}-{flags}".encode()


def log_of(*parents: bytes | None) -> MemoryEventLog:
    """Return a log with a record for each `traceparent`; None for one without."""
    log = MemoryEventLog()
    log.create_topic("lines", 1)
    for number, found in enumerate(parents):
        headers = (("tenant", b"a"),) if found is None else (("tenant", b"a"), ("traceparent", found))
        log.append("lines", b"k%d" % number, b"v", number, headers)
    return log


def rekeyed(builder: TopologyBuilder) -> None:
    words = builder.stream("lines", key=str, value=str).select_key(lambda key, _value: key, key=str)
    words.group_by_key().count(store="counts").to_stream().to("counted")


def topology() -> TopologyBuilder:
    builder = TopologyBuilder()
    rekeyed(builder)
    return builder


def spans_of(log: MemoryEventLog, *, collect: bool = True) -> list[ReadableSpan]:
    exporter = InMemorySpanExporter()
    tracer = RunTracer("app", "words", exporter)
    with tracer.running():
        run_of(topology().build(), log, trace_contexts=collect).run_available_now(tracer.on_progress)
    return list(exporter.get_finished_spans())


def test_metrics_of_processors_are_exported() -> None:
    log, reader = MemoryEventLog(), InMemoryMetricReader()
    log.create_topic("orders", 1)
    tracer, points = RunTracer("app", "orders", InMemorySpanExporter(), reader), {}
    run = run_of(metered(), log)
    for amounts in ((40, 2), (15, 5)):
        for amount in amounts:
            log.append("orders", b"a", b"%d" % amount, amount)
        run.run_available_now(tracer.on_progress)
    data = reader.get_metrics_data()
    assert data is not None
    for metric in data.resource_metrics[0].scope_metrics[0].metrics:
        (point,) = metric.data.data_points
        assert isinstance(point, NumberDataPoint)
        points[metric.name.removeprefix("eddyline.processor.")] = point.value
        assert point.attributes == {"node": "check", "task": "0_0"}
    assert points == {"rejected": 2, "open_orders": 1, "amount.count": 4, "amount.sum": 62, "amount.max": 40}


def linked(span: ReadableSpan) -> list[int]:
    return [link.context.span_id for link in span.links]


def test_a_batch_has_a_span_with_links_to_the_contexts_of_its_records() -> None:
    (span,) = spans_of(log_of(parent(1), None, parent(2), parent(1)))
    assert (span.name, span.kind, span.status.status_code) == ("process words", SpanKind.CONSUMER, StatusCode.UNSET)
    assert linked(span) == [1, 2]
    assert {link.context.trace_id for link in span.links} == {int(TRACE, 16)}
    attributes = dict(span.attributes or {})
    assert (attributes["messaging.batch.message_count"], attributes["eddyline.written"]) == (4, 4)
    assert (span.end_time or 0) > (span.start_time or 0)


def test_the_service_is_the_application_unless_the_environment_names_another(monkeypatch: pytest.MonkeyPatch) -> None:
    assert spans_of(log_of(None))[0].resource.attributes["service.name"] == "app"
    monkeypatch.setenv("OTEL_SERVICE_NAME", "words-in-europe")
    assert spans_of(log_of(None))[0].resource.attributes["service.name"] == "words-in-europe"


@pytest.mark.parametrize(
    "context",
    [parent(1, "00"), b"", b"\xff", b"00-x", b"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", parent(1, "xx")],
)
def test_contexts_that_are_not_sampled_or_invalid_have_no_link(context: bytes) -> None:
    assert linked(spans_of(log_of(context, parent(2)))[0]) == [2]


def test_a_span_has_at_most_128_links() -> None:
    (span,) = spans_of(log_of(*map(parent, range(1, 301))))
    assert linked(span) == list(range(1, 129))


def test_the_links_of_a_batch_are_those_of_its_own_records() -> None:
    exporter = InMemorySpanExporter()
    tracer = RunTracer("app", "words", exporter)
    log = log_of(parent(1), parent(2), parent(1))
    with tracer.running():
        run_of(topology().build(), log, trace_contexts=True, max_batch_records=1).run_available_now(tracer.on_progress)
    assert [linked(span) for span in exporter.get_finished_spans()] == [[1], [2], [1]]


def test_sparks_workers_collect_the_same_contexts() -> None:
    run = InProcessRun(topology().build(), log_of(parent(1), None, parent(2)), trace_contexts=True).run()
    assert [context.rpartition("-")[0][-1] for context in run.report.trace_contexts] == ["1", "2"]


def test_no_contexts_are_collected_when_tracing_is_off() -> None:
    assert linked(spans_of(log_of(parent(1)), collect=False)[0]) == []
    run = InProcessRun(topology().build(), log_of(parent(1))).run()
    assert not run.report.trace_contexts


def test_results_carry_the_context_of_the_record_that_caused_them() -> None:
    log = log_of(parent(1), None, parent(2))
    run_of(topology().build(), log, trace_contexts=True).run_available_now()
    results = sorted((record.key, dict(record.headers).get("traceparent")) for record in all_records(log, "counted"))
    assert results == [(b"k0", parent(1)), (b"k1", None), (b"k2", parent(2))]


def test_an_empty_batch_has_no_span_and_a_failed_run_has_one_with_the_error() -> None:
    exporter = InMemorySpanExporter()
    tracer = RunTracer("app", "words", exporter)
    tracer.on_progress(Progress(0, 0, None, 0.1), RunReport())
    with pytest.raises(ValueError, match="broken"), tracer.running():
        raise ValueError("broken")
    (span,) = exporter.get_finished_spans()
    assert (span.name, span.status.status_code, span.status.description) == ("run words", StatusCode.ERROR, "ValueError: broken")


# --- over OTLP --------------------------------------------------------------------------------------------------------


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """A folder of data with a line of text that has a trace context."""
    sink = FileEventSink(tmp_path / "data" / "topics")
    sink.create_topic("text-lines", 1)
    sink.write("test", 0, 0, [SinkRecord("text-lines", None, b"to be", 1, (("traceparent", parent(5)),))])
    return tmp_path / "data"


def test_a_run_exports_its_spans_over_otlp(eddyline: Eddyline, lines: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with collector() as (endpoint, received):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        words = ("--engine", "memory", "--available-now", "--data-dir", lines)
        assert eddyline("run", "word-count", *words).code == 0
        assert received == []
        assert eddyline("run", "word-count", *words, "--set", "tracing.enabled=true").code == 0
    (resource,) = received[0].resource_spans
    service = {attribute.key: attribute.value.string_value for attribute in resource.resource.attributes}
    (span,) = resource.scope_spans[0].spans
    assert (service["service.name"], span.name) == ("word-count", "process word-count")
    assert [(link.trace_id.hex(), link.span_id.hex()) for link in span.links] == [(TRACE, f"{5:016x}")]


def test_a_collector_that_does_not_answer_is_a_warning(eddyline: Eddyline, lines: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    words = ("--engine", "memory", "--available-now", "--data-dir", lines, "--set", "tracing.enabled=true")
    outcome = eddyline("run", "word-count", *words, "--set", "log.format=json")
    assert outcome.code == 0
    assert re.search(r'"level": "(warning|error)".*"logger": "opentelemetry', outcome.err)
    assert "Traceback" not in outcome.err
