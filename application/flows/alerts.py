"""The topics of alerts that people are told of, and how each alert is written."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eddyline.application.topology.types import UNKNOWN
from eddyline.domain.beaconing import Beacon
from eddyline.domain.letters import (
    Letter,
    beacon_letter,
    maintenance_letter,
    missed_confirmation_letter,
    popular_page_letter,
)
from eddyline.domain.maintenance import MaintenanceRequest
from eddyline.domain.page_views import PopularPage
from eddyline.domain.reservations import MissedConfirmation


@dataclass(frozen=True)
class AlertTopic:
    """A topic whose records are alerts: the types of their keys and values, and the letter that a record becomes."""

    topic: str
    key_type: object
    value_type: object
    write: Callable[[Any, Any], Letter]


ALERT_TOPICS: tuple[AlertTopic, ...] = (
    AlertTopic("popular-alerts", str, PopularPage, popular_page_letter),
    AlertTopic("missed-confirmations", str, MissedConfirmation, missed_confirmation_letter),
    AlertTopic("maintenance-requests", str, MaintenanceRequest, maintenance_letter),
    AlertTopic("beacons", str, Beacon, beacon_letter),
)


def alert_topic(topic: str) -> AlertTopic:
    """How the alerts of a topic are written: one that is not listed shows its keys and values as they are."""
    listed = next((known for known in ALERT_TOPICS if known.topic == topic), None)
    return listed or AlertTopic(topic, UNKNOWN, UNKNOWN, _PlainLetters(topic))


class _PlainLetters:
    """Letters of records that nobody has written a letter for."""

    def __init__(self, topic: str) -> None:
        self._topic = topic

    def __call__(self, key: Any, value: Any) -> Letter:
        shown = json.dumps(value, indent=2, ensure_ascii=False, default=str)
        return Letter(None, f"{self._topic}: {key}", shown)
