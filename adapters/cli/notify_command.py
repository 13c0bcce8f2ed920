"""`eddyline notify`: tells people of the alerts that flows write."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import sleep
from typing import Annotated, Literal

import typer
from rich.console import Console

from eddyline.adapters.cli.options import (
    Assignments,
    Brokers,
    Config,
    DataDir,
    LogKind,
    SchemaRegistry,
    load_settings,
    log_flags,
    parse_assignments,
)
from eddyline.adapters.cli.screen import stderr
from eddyline.adapters.container import Container
from eddyline.application.flows.alerts import ALERT_TOPICS, alert_topic
from eddyline.application.operations.alert import AlertDelivery, DeliveryCounts
from eddyline.application.ports.codec import CodecUnavailableError
from eddyline.application.ports.notifier import NotifierUnavailableError

_LOOK_EVERY_S = 1.0
_LONGEST_WAIT_S = 60.0
_LISTED = ", ".join(known.topic for known in ALERT_TOPICS)


def notify(
    topic: Annotated[
        str, typer.Argument(help=f"The topic of alerts, such as {_LISTED}; records of any other are shown as JSON.")
    ],
    to: Annotated[str, typer.Option(help="Who is told: an address of e-mail, or any name on the console.")],
    via: Annotated[
        Literal["console", "smtp"] | None,
        typer.Option(help="How: on the console, or by the mail server that the settings smtp.… name; notifier."),
    ] = None,
    *,
    available_now: Annotated[
        bool, typer.Option(help="End when all that is there was told, instead of waiting for more.")
    ] = False,
    log: LogKind = None,
    bootstrap_servers: Brokers = None,
    schema_registry: SchemaRegistry = None,
    data_dir: DataDir = None,
    assignments: Assignments = None,
    config: Config = None,
) -> None:
    """Tell somebody of every alert in a topic, once.

    What was told is noted in the state folder, so that the command may be stopped and started at any time. An alert is told
    twice only when it is stopped just between the mail server's yes and that note; both mails then have one Message-ID.
    """
    settings = load_settings(
        parse_assignments(assignments or ()),
        config,
        data_dir=data_dir,
        notifier=via,
        **log_flags(log, bootstrap_servers, schema_registry),
    )
    with _delivery(Container(settings=settings), topic, to) as delivery:
        try:
            if available_now:
                delivery.deliver()
            else:
                _go_on(delivery.deliver, stderr())
        finally:
            stderr().print(f"{to}: {_told(delivery.counts)} from topic '{topic}'", soft_wrap=True)


@contextmanager
def _delivery(container: Container, topic: str, recipient: str) -> Iterator[AlertDelivery]:
    kind, codecs, log = alert_topic(topic), container.codecs(), container.log()
    notifier, notes = container.notifier(), container.sent_alerts(topic, recipient)
    try:
        yield AlertDelivery(
            log=log,
            topic=topic,
            key_codec=codecs.for_key(topic, kind.key_type),
            value_codec=codecs.for_value(topic, kind.value_type),
            compose=kind.write,
            recipient=recipient,
            notifier=notifier,
            sent_alerts=notes,
        )
    finally:
        notes.close()
        notifier.close()
        log.close()


def _go_on(deliver: Callable[[], None], news: Console) -> None:
    """Passes over the topic until the user stops it; while the way is closed, it waits longer and longer."""
    wait = _LOOK_EVERY_S
    with suppress(KeyboardInterrupt):
        while True:
            try:
                deliver()
                wait = _LOOK_EVERY_S
            except (NotifierUnavailableError, CodecUnavailableError) as closed:
                wait = min(2 * wait, _LONGEST_WAIT_S)
                news.print(f"{closed}; trying again in {wait:.0f} s", soft_wrap=True)
            sleep(wait)


def _told(done: DeliveryCounts) -> str:
    told = f"{done.sent:,} alerts sent"
    for count, what in (
        (done.repeated, "told before"),
        (done.unreadable, "cannot be read and were told as they are"),
        (done.lost, "gone from the log before they were read"),
    ):
        told += f", {count:,} {what}" if count else ""
    return told
