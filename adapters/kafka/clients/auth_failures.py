"""Remembers why brokers rejected a client: afterwards, the client itself reports only a timeout."""

import time

from confluent_kafka import KafkaError

from eddyline.adapters.kafka.settings import KafkaSettings

_FIXES = {
    "_AUTHENTICATION": "check security.protocol, sasl.mechanism, sasl.username and sasl.password",
    "_SSL": "check security.protocol and ssl.ca.location",
}
_REMEMBERED_S = 30.0
_LATEST: dict[KafkaSettings, tuple[float, str]] = {}


def record_auth_failure(settings: KafkaSettings, error: KafkaError) -> None:
    """Remember an error of a client with these settings if it is a failed authentication; ignore all others."""
    fix = _FIXES.get(error.name())
    if fix is not None:
        _LATEST[settings] = (time.monotonic(), f"{settings.redact(error.str())} ({error.name()}); {fix}")


def recent_auth_failure(settings: KafkaSettings) -> str | None:
    """Return the latest failure of the last 30 s for clients with these settings, with a fix and without secrets."""
    at, text = _LATEST.get(settings, (0.0, ""))
    return text if text and time.monotonic() - at < _REMEMBERED_S else None
