"""The delivery of alerts: mail, and the lists of alerts that have been sent."""

from pathlib import Path

from eddyline.adapters.settings import Settings
from eddyline.adapters.smtp.notifier import SmtpNotifier
from eddyline.adapters.smtp.settings import SmtpSettings
from eddyline.adapters.sqlite.files import file_of
from eddyline.adapters.sqlite.resettable_state import SentAlertsResettableState
from eddyline.adapters.sqlite.sent_alerts import SqliteSentAlerts


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


def sent_alerts(settings: Settings, topic: str, recipient: str) -> SqliteSentAlerts:
    """Return the list of a topic's alerts that have been sent to a recipient."""
    return SqliteSentAlerts(file_of(_directory(settings), topic, recipient))


def sent_alerts_state(settings: Settings) -> SentAlertsResettableState:
    """Return the resettable state in the lists of sent alerts."""
    return SentAlertsResettableState(_directory(settings))


def _directory(settings: Settings) -> Path:
    return settings.state_dir / "alerts"
