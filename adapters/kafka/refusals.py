"""Remembers for what brokers turned a client away: asked afterwards, the client says only that nobody answers."""

import time

from confluent_kafka import KafkaError

from eddyline.adapters.kafka.settings import KafkaSettings

_CURES = {
    "_AUTHENTICATION": "check security.protocol, sasl.mechanism, sasl.username and sasl.password",
    "_SSL": "check security.protocol and ssl.ca.location",
}
_REMEMBERED_S = 30.0
_NOTED: dict[KafkaSettings, tuple[float, str]] = {}


def note_refusal(settings: KafkaSettings, error: KafkaError) -> None:
    """Remembers what a client with these settings was told, where that was a refusal."""
    cure = _CURES.get(error.name())
    if cure is not None:
        _NOTED[settings] = (time.monotonic(), f"{settings.hide(error.str())} ({error.name()}); {cure}")


def last_refusal(settings: KafkaSettings) -> str | None:
    """Why clients with these settings were turned away within the last half minute, and the cure; without secrets."""
    at, text = _NOTED.get(settings, (0.0, ""))
    return text if text and time.monotonic() - at < _REMEMBERED_S else None
