"""The delivery of alerts: mail, and the lists of alerts that have been sent."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from eddyline.adapters.console.notifier import LogNotifier
from eddyline.adapters.settings import Settings
from eddyline.adapters.smtp.notifier import SmtpNotifier
from eddyline.adapters.smtp.settings import SmtpSettings
from eddyline.adapters.sqlite.files import file_of
from eddyline.adapters.sqlite.sent_alerts import SentAlertsResettableState, SqliteSentAlerts
from eddyline.adapters.webhook.notifier import WebhookNotifier
from eddyline.application.flows.alerts import Channel
from eddyline.application.flows.flow import Flow
from eddyline.application.operations.alert import LOGGER, FlowAlerts
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.notifier import Notifier
from eddyline.application.topology import Topology


def smtp_notifier(settings: Settings) -> SmtpNotifier:
    """Return the notifier that sends mail through the server of the settings `smtp.…`."""
    password = settings.smtp_password
    return SmtpNotifier(
        SmtpSettings(
            settings.smtp_host,
            settings.smtp_sender,
            settings.smtp_port,
            settings.smtp_security,
            settings.smtp_username,
            password.get_secret_value() if password else None,
            settings.smtp_ca_file,
        )
    )


def webhook_notifier(settings: Settings) -> WebhookNotifier:
    """Return the notifier that posts alerts to URLs."""
    authorization = settings.webhook_authorization
    return WebhookNotifier(settings.webhook_timeout_ms / 1000, authorization.get_secret_value() if authorization else None)


def flow_alerts(
    settings: Settings,
    log: EventLog,
    codecs: Codecs,
    default: Callable[[], Notifier],
    mail: Callable[[], Notifier],
    flow: Flow,
    topology: Topology,
    *,
    topic: str | None = None,
) -> FlowAlerts:
    """Return what delivers the alerts of a flow, or those of one topic; `run` does so until an event is set, `close` ends it.

    Each alert is sent once by the processes that have `state.dir` in common, since what was sent is kept there in `alerts`.
    Where processes may run on several machines, the log says so.
    """
    channels: dict[Channel | None, Callable[[], Notifier]] = {
        None: default,
        "mail": mail,
        "webhook": partial(webhook_notifier, settings),
        "log": LogNotifier,
    }
    chosen = [alert for alert in flow.alerts if topic is None or alert.topic == topic]
    if settings.log == "kafka" and chosen:
        LOGGER.info(
            "this process sends the alerts of '%s' and keeps in '%s' what was sent; a process with another state.dir"
            " sends them, too: let one process send them, or set one state.dir for all",
            flow.name,
            _directory(settings),
        )
    return FlowAlerts(
        log,
        codecs,
        topology,
        chosen,
        lambda channel: channels[channel](),
        lambda name, alert: sent_alerts(settings, name, f"{flow.name}/{alert}"),
    )


def sent_alerts(settings: Settings, topic: str, recipient: str) -> SqliteSentAlerts:
    """Return the list of a topic's alerts that have been sent to a recipient."""
    return SqliteSentAlerts(file_of(_directory(settings), topic, recipient))


def sent_alerts_state(settings: Settings) -> SentAlertsResettableState:
    """Return the resettable state in the lists of sent alerts."""
    return SentAlertsResettableState(_directory(settings))


def _directory(settings: Settings) -> Path:
    return settings.state_dir / "alerts"
