"""`eddyline notify`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import sleep
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from eddyline.adapters.cli.catalogue import known_flows
from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.option_groups import SettingOptions, option_groups
from eddyline.adapters.cli.options import Modules, SettingSources, TopicOptions
from eddyline.adapters.cli.requests import topology_of
from eddyline.adapters.cli.screen import counted, message
from eddyline.application.flows.alerts import Alert
from eddyline.application.flows.flow import Flow
from eddyline.application.operations.alert import AlertDelivery, DeliveryCounts, FlowAlerts
from eddyline.application.ports.codec import CodecUnavailableError
from eddyline.application.ports.notifier import NotifierUnavailableError
from eddyline.application.samples.catalogue import FLOWS
from eddyline.application.topology.types import UNKNOWN

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

_POLL_INTERVAL_S = 1.0
_LONGEST_BACKOFF_S = 60.0
_KNOWN_TOPICS = ", ".join(alert.topic for flow in FLOWS for alert in flow.alerts)


@dataclass(frozen=True)
class NotifierOptions(SettingOptions):
    """Options for the delivery of alerts."""

    notifier: Annotated[
        Literal["console", "smtp"] | None,
        typer.Option("--via", help="Print alerts on the console, or mail them through smtp.host. Setting: notifier."),
    ] = None


@option_groups
def notify(
    topic: Annotated[
        str,
        typer.Argument(
            metavar="TOPIC",
            help=f"The topic with the alerts of a flow. Samples: {_KNOWN_TOPICS}. Records of other topics are sent as JSON.",
        ),
    ],
    *,
    recipient: Annotated[
        str | None,
        typer.Option(
            metavar="RECIPIENT",
            help="Send alerts to this mail address; on the console, to any name.",
            show_default="the recipients that the flow declares",
        ),
    ] = None,
    available_now: Annotated[
        bool, typer.Option("--available-now", help="Stop at the end of the topic instead of waiting for more.")
    ] = False,
    notifier: NotifierOptions,
    topics: TopicOptions,
    modules: Modules = None,
    sources: SettingSources,
) -> None:
    """Send each alert in a topic once.

    The flow that declares alerts of the topic says who receives them, what the messages are, and whether they are mails, requests
    to webhooks, or lines of the log.

    Sent alerts are recorded in the state directory, so the command can be stopped and started at any time. An alert is sent
    twice only if the command is killed after the mail server has accepted it and before that is recorded; both mails then have
    the same Message-ID.
    """
    flows = known_flows(modules or (), sources.config)
    found = next(((flow, alert) for flow in flows for alert in flow.alerts if alert.topic == topic), None)
    if recipient is None and found is None:
        raise UsageError(f"no flow declares alerts of topic '{topic}'; name a --recipient, or the flow's module with --flows")
    container = container_for(sources.settings(notifier, topics))
    named = recipient or "the recipients of the flow"
    with _delivery(container, topic, recipient, found) as delivery:
        try:
            if available_now:
                delivery.deliver()
            else:
                _deliver_until_interrupted(delivery.deliver)
        finally:
            message(f"{named}: {_totals(delivery.counts)} from topic '{topic}'")


@contextmanager
def _delivery(
    container: "Container", topic: str, recipient: str | None, found: tuple[Flow, Alert] | None
) -> Iterator[AlertDelivery | FlowAlerts]:
    flow, alert = found or (None, Alert(topic, to=recipient or ""))
    topology = None if flow is None else topology_of(flow, container.settings(), {})
    if recipient is None and flow is not None:
        delivery = container.flow_alerts(flow, topology, topic=topic)
        try:
            yield delivery
        finally:
            delivery.close()
            container.log().close()
        return
    sinks = {} if topology is None else {spec.name: spec for spec in topology.sink_topics}
    key_type, value_type = (sinks[topic].key_type, sinks[topic].value_type) if topic in sinks else (UNKNOWN, UNKNOWN)
    codecs, log = container.codecs(), container.log()
    if topology is not None:
        codecs = codecs.configured(topology.type_choices)
    notifier, sent_alerts = container.notifier(), container.sent_alerts(topic, recipient)
    try:
        yield AlertDelivery(
            log=log,
            topic=topic,
            key_codec=codecs.for_key(topic, key_type),
            value_codec=codecs.for_value(topic, value_type),
            compose=alert.message,
            recipient=recipient or "",
            notifier=notifier,
            sent_alerts=sent_alerts,
        )
    finally:
        sent_alerts.close()
        notifier.close()
        log.close()


def _deliver_until_interrupted(deliver: Callable[[], None]) -> None:
    """Deliver new alerts until SIGINT; while the server is unavailable, retry with exponential backoff."""
    wait = _POLL_INTERVAL_S
    with suppress(KeyboardInterrupt):
        while True:
            try:
                deliver()
                wait = _POLL_INTERVAL_S
            except (NotifierUnavailableError, CodecUnavailableError) as unavailable:
                wait = min(2 * wait, _LONGEST_BACKOFF_S)
                message(f"{unavailable}; retrying in {wait:.0f} s")
            sleep(wait)


def _totals(counts: DeliveryCounts) -> str:
    totals = f"{counted(counts.sent, 'alert')} sent"
    for count, what in (
        (counts.repeated, "sent before"),
        (counts.unreadable, "could not be decoded and were sent as raw bytes"),
        (counts.failed, "could not be sent"),
        (counts.lost, "deleted from the topic before they were read"),
    ):
        totals += f", {count:,} {what}" if count else ""
    return totals
