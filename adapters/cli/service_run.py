"""Runs the flows of a service in this process: each in a thread, restarted when it fails, all stopped in order."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import typer

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import CommandError, UsageError, one_line
from eddyline.adapters.cli.log_context import log_errors, log_in_thread
from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.run_log import begin_run_log, fields_of, show_error, show_result
from eddyline.adapters.cli.running import FlowRun, served_request
from eddyline.adapters.cli.screen import counted
from eddyline.adapters.cli.serving import served
from eddyline.adapters.cli.spark_log import SparkLog
from eddyline.adapters.cli.stopping import StoppedError, StopRequest, StopSignals
from eddyline.adapters.cli.topic_settings import topic_setting_warnings
from eddyline.adapters.cli.topics import ensure_topics
from eddyline.application.flows.alerts import Alert
from eddyline.application.flows.service import in_order, upstream
from eddyline.application.monitoring.run_status import STABLE_S, ordinal
from eddyline.application.operations.alert import FlowAlerts
from eddyline.application.runtime.output.topics import TopicCreator
from eddyline.application.topology.errors import listed, suggested

if TYPE_CHECKING:
    from eddyline.adapters.cli.reloading import Reload
    from eddyline.application.monitoring.run_monitor import RunMonitor

_LONGEST_BACKOFF_S: Final = 60.0
_ASK_AGAIN_S: Final = 0.5
_OF_PROCESS: Final = frozenset({"application_server", "log_format", "log_level"})


class ServiceRun:
    """The flows of a service in this process.

    Args:
        name: The name of the service.
        requests: The flows.
        alerts: What is sent: the alerts that flows declare for these topics, or other alerts, by topics without a version.
        available_now: Whether each flow runs to the end offsets that its topics have once the flows upstream have ended. Then
            none is restarted.
        serve: Whether queries of their state are answered meanwhile; by default if they run without an end.
        on_serving: Is called with the address of the server, once it answers, in place of a message.
        reload: Stops the flows when modules have changed.

    Raises:
        UsageError: The flows cannot run in one process.
    """

    def __init__(
        self,
        name: str,
        requests: Sequence[Request],
        alerts: Sequence[Alert | str] = (),
        *,
        available_now: bool,
        serve: bool | None = None,
        on_serving: Callable[[str], object] | None = None,
        reload: "Reload | None" = None,
    ) -> None:
        self._reload = reload
        self._alerts = _alerts_by_application(alerts, requests)
        self._name, self._available_now, self._on_serving = name, available_now, on_serving
        self._serve = serve = not available_now if serve is None else serve
        self._requests = [served_request(request) for request in requests] if serve else list(requests)
        _check(self._requests)
        self._stopping, self._changed = threading.Event(), threading.Event()

    def run(self) -> None:
        """Run until all flows have ended, or until SIGINT or SIGTERM.

        Raises:
            CommandError: Flows have failed, with `available_now`; or one cannot start.
        """
        flows: dict[str, _Flow] = {}
        try:
            with StopSignals() as signals, SparkLog() as spark_log:
                begin_run_log(self._requests, self._name, available_now=self._available_now)
                flows = self._prepared(spark_log)
                reload = self._reload
                with (
                    signals.stopping(self.stop),
                    self._served() as monitors,
                    nullcontext() if reload is None else reload.watching(signals, self.stop, monitors),
                ):
                    log_errors()
                    for flow, monitor in zip(flows.values(), monitors, strict=False):
                        flow.monitor = monitor
                    self._run(flows)
        except (StoppedError, KeyboardInterrupt):
            raise typer.Exit from None
        failed = [name for name, flow in flows.items() if flow.has_failed]
        if failed:
            raise CommandError(f"{len(failed)} of {counted(len(flows), 'flow')} failed: {', '.join(map(repr, failed))}")

    def _served(self) -> "AbstractContextManager[Sequence[RunMonitor]]":
        if not self._serve:
            return nullcontext(())
        return served(self._requests, self.stop, self._name, self._on_serving, self._reload)

    def stop(self) -> None:
        """Let all flows end after their current batches, those first whose results others read; return at once."""
        self._stopping.set()
        self._changed.set()

    def _prepared(self, spark_log: SparkLog) -> "dict[str, _Flow]":
        """Return the flows by application, once all that keeps a run from starting is ruled out."""
        warnings = list(topic_setting_warnings(self._requests))
        flows: dict[str, _Flow] = {}
        with_archive = True
        for request in self._requests:
            run = FlowRun(request, spark_log, available_now=self._available_now, with_archive=with_archive)
            with_archive = with_archive and request.settings.engine != "spark"
            run.prepare(warnings)
            warnings = []
            flows[request.application_id] = _Flow(request, run, self._changed, restarts=not self._available_now)
        self._create_topics()
        return flows

    def _create_topics(self) -> None:
        """Create the topics that one flow writes and another one reads, so that it can start before anything is written."""
        for request in self._requests:
            container = container_for(request.settings)
            ensure_topics(request, container)
            alerts = {request.topology.in_version(alert.topic) for alert in self._alerts.get(request.application_id, ())}
            read = (
                spec.name
                for spec in request.topology.sink_topics
                if spec.name in alerts or any(map(partial(_reads, spec.name), self._requests))
            )
            TopicCreator(container.sink(), request.settings.num_partitions).ensure(read)

    def _run(self, flows: "Mapping[str, _Flow]") -> None:
        before = upstream({name: flow.request.topology for name, flow in flows.items()})
        with self._alerting():
            self._run_all(flows, before)

    @contextmanager
    def _alerting(self) -> Iterator[None]:
        """Deliver alerts in the `with` block, and at its end those that there are then."""
        ending = threading.Event()
        with ExitStack() as stack:
            for request in self._requests:
                own = self._alerts.get(request.application_id)
                if own:
                    sender = container_for(request.settings).flow_alerts(replace(request.flow, alerts=own), request.topology)
                    name = f"alerts {request.flow.name}"
                    thread = threading.Thread(target=_deliver, args=(sender, ending), name=name, daemon=True)
                    thread.start()
                    stack.callback(thread.join)
            stack.callback(ending.set)
            yield

    def _run_all(self, flows: "Mapping[str, _Flow]", before: Mapping[str, set[str]]) -> None:
        try:
            for name, flow in flows.items():
                flow.start([flows[other] for other in before[name]] if self._available_now else [])
            while not self._stopping.is_set() and not all(flow.ended.is_set() for flow in flows.values()):
                self._changed.wait()
                self._changed.clear()
        finally:
            for group in in_order(list(flows), before):
                for name in group:
                    flows[name].stop.request()
                for name in group:
                    flows[name].join()


class _Flow:
    """A flow in its thread.

    Args:
        request: The flow.
        run: Its run.
        changed: Set when it has ended.
        restarts: Whether it is restarted when it fails.
    """

    monitor: "RunMonitor | None" = None

    def __init__(self, request: Request, run: FlowRun, changed: threading.Event, *, restarts: bool) -> None:
        self.request, self._run, self._changed, self._restarts = request, run, changed, restarts
        self.stop, self.ended, self.has_failed = StopRequest(), threading.Event(), False
        self._upstream: Sequence[_Flow] = ()
        self._thread = threading.Thread(target=self._work, name=f"flow {request.flow.name}", daemon=True)

    def start(self, upstream: "Sequence[_Flow]") -> None:
        """Start the thread; the flow begins when those of `upstream` have ended."""
        self._upstream = upstream
        self._thread.start()

    def join(self) -> None:
        """Wait until the flow has ended, which was asked to stop."""
        while self._thread.is_alive():
            self._thread.join(_ASK_AGAIN_S)
            self.stop.request()  # an engine that was just starting may not have noticed the first request

    def _work(self) -> None:
        log_in_thread(**fields_of(self.request))
        try:
            for other in self._upstream:
                while not other.ended.wait(_ASK_AGAIN_S) and not self.stop.requested.is_set():
                    pass
            self._supervise()
        finally:
            self.ended.set()
            self._changed.set()

    def _supervise(self) -> None:
        failures = 0
        while not self.stop.requested.is_set():
            begun = time.monotonic()
            try:
                if failures:
                    self._run.renew()
                self._execute(begun)
            except (Exception, SystemExit) as raised:  # noqa: BLE001 - one flow that fails does not stop the others
                reason = one_line(raised)
            else:
                return
            if not self._restarts or self.stop.requested.is_set():
                self.has_failed = True
                show_error(f"flow '{self.request.flow.name}' failed: {reason}")
                if self.monitor is not None:
                    self.monitor.failed(reason)
                return
            failures = 1 if time.monotonic() - begun > STABLE_S else failures + 1
            wait_s = min(2.0 ** (failures - 1), _LONGEST_BACKOFF_S)
            show_error(f"flow '{self.request.flow.name}' failed: {reason}; restarting in {wait_s:g} s ({ordinal(failures)} time)")
            if self.monitor is not None:
                self.monitor.restarting(reason, wait_s)
            self.stop.requested.wait(wait_s)

    def _execute(self, begun: float) -> None:
        monitor = self.monitor
        with nullcontext() if monitor is None else monitor.running():
            report = self._run.execute(self.stop, lambda _stop: nullcontext(monitor))
        show_result(report, self.request, time.monotonic() - begun)


def _deliver(sender: FlowAlerts, ending: threading.Event) -> None:
    with closing(sender):
        sender.run(ending)


def _alerts_by_application(chosen: Sequence[Alert | str], requests: Sequence[Request]) -> dict[str, list[Alert]]:
    """Return the chosen alerts by the application that writes their topic.

    Raises:
        UsageError: No flow declares alerts of a topic, or writes it.
    """
    found: dict[str, list[Alert]] = {}
    for one in chosen:
        topic = one if isinstance(one, str) else one.topic
        for request in requests:
            own = [alert for alert in request.flow.alerts if alert.topic == topic] if isinstance(one, str) else [one]
            written = request.topology.in_version(topic)
            if own and written in {spec.name for spec in request.topology.sink_topics}:
                found.setdefault(request.application_id, []).extend(own)
                break
        else:
            declared = dict.fromkeys(alert.topic for request in requests for alert in request.flow.alerts)
            what = "declares alerts of" if isinstance(one, str) else "writes"
            choices = f"flows declare alerts of: {listed(declared)}" if declared else "declare them with Flow(alerts=[Alert(…)])"
            raise UsageError(f"no flow of the service {what} topic '{topic}'; {suggested(topic, list(declared), choices)}")
    return found


def _reads(topic: str, request: Request) -> bool:
    return request.topology.source_topic(topic) is not None


def _check(requests: Sequence[Request]) -> None:
    """Make sure that flows can run in one process, and be restarted."""
    for request in requests:
        settings = request.settings
        if settings.engine == "memory":
            raise UsageError(
                f"the engine memory keeps no state, so flow '{request.flow.name}' could not be restarted; run the flows of a"
                " service with --engine local or spark"
            )
        if settings.log == "memory":
            raise UsageError(
                f"the event log of flow '{request.flow.name}' is 'memory', which flows of a service do not share; set log to"
                " files or kafka"
            )
    for request in requests[1:]:
        for field in type(request.settings).model_fields:
            shared = field.startswith("server_") or field in _OF_PROCESS
            if shared and getattr(request.settings, field) != getattr(requests[0].settings, field):
                raise UsageError(
                    f"flows '{requests[0].flow.name}' and '{request.flow.name}' have different settings"
                    f" {field.replace('_', '.')}, but one server and one log; set it for the service, not for a flow"
                )
    on_spark = [request for request in requests if request.settings.engine == "spark"]
    for request in on_spark[1:]:
        first = on_spark[0]
        if request.settings.spark_properties() != first.settings.spark_properties():
            raise UsageError(
                f"flows '{first.flow.name}' and '{request.flow.name}' have different settings of Spark, but are queries of one"
                " Spark session; set spark.… for the service, not for a flow"
            )
