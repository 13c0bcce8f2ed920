"""`eddyline notify`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import sleep
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.option_groups import SettingOptions, option_groups
from eddyline.adapters.cli.options import SettingSources, TopicOptions
from eddyline.adapters.cli.screen import counted, message
from eddyline.application.operations.alert import AlertDelivery, DeliveryCounts
from eddyline.application.ports.codec import CodecUnavailableError
from eddyline.application.ports.notifier import NotifierUnavailableError
from eddyline.application.samples.catalogue import ALERT_TOPICS, alert_topic

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

_POLL_INTERVAL_S = 1.0
_LONGEST_BACKOFF_S = 60.0
_KNOWN_TOPICS = ", ".join(known.topic for known in ALERT_TOPICS)


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
            help=f"The topic with the alerts. Samples: {_KNOWN_TOPICS}. Records of other topics are sent as JSON.",
        ),
    ],
    *,
    recipient: Annotated[
        str, typer.Option(metavar="RECIPIENT", help="Send alerts to this mail address; on the console, to any name.")
    ],
    available_now: Annotated[
        bool, typer.Option("--available-now", help="Stop at the end of the topic instead of waiting for more.")
    ] = False,
    notifier: NotifierOptions,
    topics: TopicOptions,
    sources: SettingSources,
) -> None:
    """Send each alert in a topic once.

    Sent alerts are recorded in the state directory, so the command can be stopped and started at any time. An alert is sent
    twice only if the command is killed after the mail server has accepted it and before that is recorded; both mails then have
    the same Message-ID.
    """
    with _delivery(container_for(sources.settings(notifier, topics)), topic, recipient) as delivery:
        try:
            if available_now:
                delivery.deliver()
            else:
                _deliver_until_interrupted(delivery.deliver)
        finally:
            message(f"{recipient}: {_totals(delivery.counts)} from topic '{topic}'")


@contextmanager
def _delivery(container: "Container", topic: str, recipient: str) -> Iterator[AlertDelivery]:
    kind, codecs, log = alert_topic(topic), container.codecs(), container.log()
    notifier, sent_alerts = container.notifier(), container.sent_alerts(topic, recipient)
    try:
        yield AlertDelivery(
            log=log,
            topic=topic,
            key_codec=codecs.for_key(topic, kind.key_type),
            value_codec=codecs.for_value(topic, kind.value_type),
            compose=kind.write,
            recipient=recipient,
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
        (counts.lost, "deleted from the topic before they were read"),
    ):
        totals += f", {count:,} {what}" if count else ""
    return totals
