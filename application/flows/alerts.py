"""Alerts of flows: which records of a topic people are notified of, who is, and what the message says."""

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from eddyline.application.topology.callables import check_result

Channel: TypeAlias = Literal["mail", "webhook", "log"]
"""How an alert is delivered: as a mail, as an HTTP POST of JSON to a URL, or as a line of the program's log."""

_WEB: Final = ("http://", "https://")


class AlertError(ValueError):
    """An alert that is declared wrongly; the message says what to pass."""


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
class Alert:
    """Alerts of a flow: each record of a topic that the flow writes becomes a message, which is sent once.

    Functions take the value of the record. They are called when the alert is delivered, outside the flow.

    Args:
        topic: The topic, which the flow writes.
        to: The recipient: a mail address, a URL, or any name for alerts in the log; or a function that returns it, or None if
            nobody is to be notified.
        subject: The subject, or a function that returns it; by default the topic and the key.
        body: The text, or a function that returns it; by default the value as JSON.
        identity: A function that returns what the alert is about, as text: of several records with the same identity, only the
            first is sent. By default every record is an alert of its own.
        via: How the alert is delivered: `mail`, `webhook` or `log`. By default a URL that is given as text is a webhook, and
            all others go where the setting `notifier` says.
        name: The name of the alert, if the flow has several of one topic; by default the topic.

    Raises:
        AlertError: The channel is unknown, or a recipient is missing or does not fit the channel.
        TopologyError: A function is a coroutine function or a generator function.
    """

    topic: str
    to: str | Callable[[Any], str | None]
    subject: str | Callable[[Any], str] | None = None
    body: str | Callable[[Any], str] | None = None
    identity: Callable[[Any], str] | None = None
    via: Channel | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if self.via is not None and self.via not in get_args(Channel):
            choices = ", ".join(map(repr, get_args(Channel)))
            raise AlertError(f"via of the alerts of topic '{self.topic}' is {self.via!r}; choose one of: {choices}")
        to: object = self.to
        if not callable(to) and not (isinstance(to, str) and to.strip()):
            raise AlertError(f"to of the alerts of topic '{self.topic}' is {self.to!r}; pass a recipient, or a function")
        if self.via == "webhook" and isinstance(self.to, str) and not self.to.startswith(_WEB):
            raise AlertError(f"the alerts of topic '{self.topic}' go to the webhook '{self.to}'; pass a URL with http or https")
        for what in ("to", "subject", "body", "identity"):
            given = getattr(self, what)
            if callable(given):
                check_result(f"the function {what} of the alerts of topic '{self.topic}'", given)
            elif given is not None and (what == "identity" or not isinstance(given, str)):
                raise AlertError(f"{what} of the alerts of topic '{self.topic}' is {given!r}; pass a function")
        if not self.name:
            object.__setattr__(self, "name", self.topic)

    @property
    def channel(self) -> Channel | None:
        """How the alert is delivered, None for where the setting `notifier` says."""
        if self.via is None and isinstance(self.to, str) and self.to.startswith(_WEB):
            return "webhook"
        return self.via

    def message(self, key: Any, value: Any) -> AlertMessage:
        """Return the message for a key and a value."""
        return AlertMessage(
            None if self.identity is None else str(self.identity(value)),
            _text(self.subject, value) if self.subject is not None else f"{self.topic}: {key}",
            _text(self.body, value) if self.body is not None else _as_json(value),
        )


def _text(given: str | Callable[[Any], str], value: Any) -> str:
    return given if isinstance(given, str) else str(given(value))


def _as_json(value: Any) -> str:
    plain = dataclasses.asdict(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else value
    return json.dumps(plain, indent=2, ensure_ascii=False, default=str)
