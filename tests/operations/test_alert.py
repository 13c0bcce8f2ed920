"""Each alert is sent once, even if the delivery is interrupted or records are repeated."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.notifier import MemoryNotifier
from eddyline.adapters.memory.sent_alerts import MemorySentAlerts
from eddyline.application.operations.alert import AlertDelivery, DeliveryCounts
from eddyline.application.ports.notifier import Alert, Notifier, NotifierUnavailableError
from eddyline.application.ports.sent_alerts import SentAlerts
from eddyline.application.samples.catalogue import alert_topic
from tests.runtime.retention import RetentionLog

TOPIC = "popular-alerts"


class StoppedError(Exception):
    """The process stops here."""


def log_of(*pages: str, partitions: int = 1) -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic(TOPIC, partitions)
    for number, page in enumerate(pages):
        append(log, page, partition=number % partitions)
    return log


def append(log: MemoryEventLog, page: str, *, partition: int = 0) -> None:
    value = JsonCodecs().for_value(TOPIC, dict).encode({"page": page, "views": 1000})
    log.append(TOPIC, page.encode(), value, 0, partition=partition)


def delivery(log: MemoryEventLog, notifier: Notifier, sent_alerts: SentAlerts, topic: str = TOPIC) -> AlertDelivery:
    kind, codecs = alert_topic(topic), JsonCodecs()
    return AlertDelivery(
        log=log,
        topic=topic,
        key_codec=codecs.for_key(topic, kind.key_type),
        value_codec=codecs.for_value(topic, kind.value_type),
        compose=kind.write,
        recipient="ann@example.org",
        notifier=notifier,
        sent_alerts=sent_alerts,
    )


def deliver(log: MemoryEventLog, notifier: Notifier, sent_alerts: SentAlerts, topic: str = TOPIC) -> DeliveryCounts:
    new = delivery(log, notifier, sent_alerts, topic)
    new.deliver()
    return new.counts


def test_the_alerts_of_all_partitions_are_sent_as_letters() -> None:
    notifier = MemoryNotifier()
    assert deliver(log_of("/a", "/b", "/c", partitions=2), notifier, MemorySentAlerts()) == DeliveryCounts(sent=3)
    assert notifier.sent == [
        Alert(f"popular-alerts/{page}", "ann@example.org", f"{page} is popular", f"The page {page} has been seen 1000 times.")
        for page in ("/a", "/c", "/b")
    ]


def test_only_new_alerts_are_sent() -> None:
    log, notifier, sent_alerts = log_of("/a"), MemoryNotifier(), MemorySentAlerts()
    assert deliver(log, notifier, sent_alerts) == DeliveryCounts(sent=1)
    assert deliver(log, notifier, sent_alerts) == DeliveryCounts()
    append(log, "/b")
    assert deliver(log, notifier, sent_alerts) == DeliveryCounts(sent=1)
    assert [alert.subject for alert in notifier.sent] == ["/a is popular", "/b is popular"]


def test_an_alert_that_was_written_twice_is_sent_once() -> None:
    notifier = MemoryNotifier()
    assert deliver(log_of("/a", "/b", "/a"), notifier, MemorySentAlerts()) == DeliveryCounts(sent=2, repeated=1)
    assert len(notifier.sent) == 2


@given(
    pages=st.lists(st.sampled_from(["/a", "/b", "/c", "/d"]), max_size=8),
    stops=st.lists(st.sampled_from(["not sent", "sent, not recorded", "recorded", None, None]), max_size=12),
)
def test_an_alert_is_sent_twice_only_if_the_process_stops_before_it_is_recorded(
    pages: list[str], stops: list[str | None]
) -> None:
    log, notifier, sent_alerts = log_of(*pages, partitions=2), MemoryNotifier(), MemorySentAlerts()
    pending_stops = iter(stops)
    repetitions: Counter[str] = Counter()

    class StoppingNotifier(Notifier):
        stop: str | None = None

        def send(self, alert: Alert) -> None:
            StoppingNotifier.stop = next(pending_stops, None)
            if StoppingNotifier.stop == "not sent":
                raise NotifierUnavailableError("not now")
            notifier.send(alert)

    class StoppingSentAlerts(MemorySentAlerts):
        def mark_sent(self, alert_id: str, topic: str, partition: int, position: int) -> None:
            stop, StoppingNotifier.stop = StoppingNotifier.stop, None
            if stop == "sent, not recorded":
                repetitions[alert_id] += 1
                raise StoppedError
            super().mark_sent(alert_id, topic, partition, position)
            if stop == "recorded":
                raise StoppedError

    sent_alerts = StoppingSentAlerts()
    for _ in range(len(stops) + 1):
        try:
            delivery(log, StoppingNotifier(), sent_alerts).deliver()
        except (StoppedError, NotifierUnavailableError):
            continue
        break
    assert Counter(alert.id for alert in notifier.sent) == Counter(f"popular-alerts/{page}" for page in set(pages)) + repetitions


def test_alerts_sent_before_an_error_are_counted_and_recorded() -> None:
    class OneAlertNotifier(MemoryNotifier):
        def send(self, alert: Alert) -> None:
            if self.sent:
                raise NotifierUnavailableError("not now")
            super().send(alert)

    log, sent_alerts, notifier = log_of("/a", "/b"), MemorySentAlerts(), OneAlertNotifier()
    interrupted = delivery(log, notifier, sent_alerts)
    with pytest.raises(NotifierUnavailableError):
        interrupted.deliver()
    assert interrupted.counts == DeliveryCounts(sent=1)
    assert deliver(log, MemoryNotifier(), sent_alerts) == DeliveryCounts(sent=1)


@pytest.mark.parametrize(
    ("value", "error", "reason"),
    [
        (b"no json", None, "Invalid JSON"),
        (b'{"views":1}', None, "page"),
        (b"\x00", "line 7 is incomplete", "line 7 is incomplete"),
    ],
)
def test_an_unreadable_alert_is_sent_once_with_its_raw_bytes(value: bytes, error: str | None, reason: str) -> None:
    log, notifier, sent_alerts = log_of("/a"), MemoryNotifier(), MemorySentAlerts()
    log.append(TOPIC, b"/b", value, 5, error=error)
    append(log, "/c")
    assert deliver(log, notifier, sent_alerts) == DeliveryCounts(sent=3, unreadable=1)
    alert = notifier.sent[1]
    assert alert.subject == "popular-alerts: unreadable alert"
    assert alert.body.startswith("The alert in topic 'popular-alerts', partition 0, offset 1 could not be read: ")
    assert reason in alert.body
    assert repr(value) in alert.body
    assert deliver(log, notifier, sent_alerts) == DeliveryCounts()


def test_a_tombstone_is_not_an_alert() -> None:
    log, notifier = log_of("/a"), MemoryNotifier()
    log.append(TOPIC, b"/a", None, 5)
    assert deliver(log, notifier, MemorySentAlerts()) == DeliveryCounts(sent=1)


def test_records_of_any_other_topic_are_sent_as_json_each_as_a_separate_alert() -> None:
    log, notifier, sent_alerts = MemoryEventLog(), MemoryNotifier(), MemorySentAlerts()
    log.create_topic("busy-shops", 1)
    for _ in range(2):
        log.append("busy-shops", b"north", '{"total": 12.0, "name": "Käse"}'.encode(), 5)
    assert deliver(log, notifier, sent_alerts, "busy-shops") == DeliveryCounts(sent=2)
    assert {(alert.subject, alert.body) for alert in notifier.sent} == {
        ("busy-shops: north", '{\n  "total": 12.0,\n  "name": "Käse"\n}')
    }
    assert len({alert.id for alert in notifier.sent}) == 2
    assert deliver(log, notifier, sent_alerts, "busy-shops") == DeliveryCounts()


@pytest.mark.parametrize("pages", [("/c", "/d"), ("/c", "/d", "/e", "/f", "/g")], ids=["shorter", "longer"])
def test_a_recreated_topic_is_read_from_its_beginning(pages: tuple[str, ...]) -> None:
    notifier, sent_alerts = MemoryNotifier(), MemorySentAlerts()
    deliver(log_of("/a", "/b", "/c"), notifier, sent_alerts)
    recreated = log_of(*pages)
    assert deliver(recreated, notifier, sent_alerts) == DeliveryCounts(sent=len(pages) - 1, repeated=1)
    assert deliver(recreated, notifier, sent_alerts) == DeliveryCounts()


def test_offsets_that_the_log_deleted_before_they_were_read_are_counted() -> None:
    log, sent_alerts, notifier = RetentionLog(), MemorySentAlerts(), MemoryNotifier()
    log.create_topic(TOPIC, 1)
    append(log, "/a")
    deliver(log, notifier, sent_alerts)
    for page in ("/b", "/c", "/d"):
        append(log, page)
    log.delete_records(TOPIC, 0, 3)
    assert deliver(log, notifier, sent_alerts) == DeliveryCounts(sent=1, lost=2)
    assert deliver(log, MemoryNotifier(), MemorySentAlerts()) == DeliveryCounts(sent=1), (
        "offsets deleted before the first delivery do not count as lost"
    )
