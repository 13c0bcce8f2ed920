"""The alerts that people are notified of: how the records of a topic become messages to them."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from eddyline.application.topology.callables import check_result
from eddyline.application.topology.types import UNKNOWN


@dataclass(frozen=True, slots=True)
class AlertMessage:
    """The message to a person about one alert.

    Messages with the same `identity` are about the same matter, and only the first of them is sent. A message whose `identity`
    is None is always sent.
    """

    identity: str | None
    subject: str
    body: str


@dataclass(frozen=True)
class AlertTopic:
    """A topic whose records are alerts: the types of their keys and values, and the message for a key and a value.

    Raises:
        TopologyError: If `write` is a coroutine function or a generator function.
    """

    topic: str
    key_type: object
    value_type: object
    write: Callable[[Any, Any], AlertMessage]

    def __post_init__(self) -> None:
        check_result(f"the function of alerts of topic '{self.topic}'", self.write)


def alert_topic(topic: str, known: Iterable[AlertTopic]) -> AlertTopic:
    """Return how the alerts of a topic are written: as one of the known topics says, else as JSON."""
    for alerts in known:
        if alerts.topic == topic:
            return alerts
    return AlertTopic(topic, UNKNOWN, UNKNOWN, _JsonMessages(topic))


class _JsonMessages:
    """Writes the key of a record as the subject, and its value as JSON in the body."""

    def __init__(self, topic: str) -> None:
        self._topic = topic

    def __call__(self, key: Any, value: Any) -> AlertMessage:
        body = json.dumps(value, indent=2, ensure_ascii=False, default=str)
        return AlertMessage(None, f"{self._topic}: {key}", body)
