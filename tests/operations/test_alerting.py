"""Alerts are sent once, whatever is interrupted and repeated."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.notifier import MemoryNotifier
from eddyline.adapters.memory.sent_alerts import MemorySentAlerts
from eddyline.application.operations.alerting import AlertDelivery, Delivered
from eddyline.application.ports.notifier import Alert, Notifier, NotifierUnavailableError
from eddyline.application.ports.sent_alerts import SentAlerts
from eddyline.application.samples.catalogue import alert_topic

TOPIC = "popular-alerts"


class StoppedError(Exception):
    """The process ends here."""


def log_of(*pages: str, partitions: int = 1) -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic(TOPIC, partitions)
    for number, page in enumerate(pages):
        append(log, page, partition=number % partitions)
    return log


def append(log: MemoryEventLog, page: str, *, partition: int = 0) -> None:
    value = JsonCodecs().for_value(TOPIC, dict).encode({"page": page, "views": 1000})
    log.append(TOPIC, page.encode(), value, 0, partition=partition)


def delivery(log: MemoryEventLog, notifier: Notifier, notes: SentAlerts, topic: str = TOPIC) -> AlertDelivery:
    kind, codecs = alert_topic(topic), JsonCodecs()
    return AlertDelivery(
        log=log,
        topic=topic,
        key_codec=codecs.for_key(topic, kind.key_type),
        value_codec=codecs.for_value(topic, kind.value_type),
        write=kind.write,
        recipient="ann@example.org",
        notifier=notifier,
        notes=notes,
    )


def delivered(log: MemoryEventLog, notifier: Notifier, notes: SentAlerts, topic: str = TOPIC) -> Delivered:
    made = delivery(log, notifier, notes, topic)
    made.deliver()
    return made.delivered


def test_every_alert_of_every_partition_is_sent_as_its_letter() -> None:
    notifier = MemoryNotifier()
    assert delivered(log_of("/a", "/b", "/c", partitions=2), notifier, MemorySentAlerts()) == Delivered(sent=3)
    assert notifier.sent == [
        Alert(f"popular-alerts/{page}", "ann@example.org", f"{page} is popular", f"The page {page} has been seen 1000 times.")
        for page in ("/a", "/c", "/b")
    ]


def test_what_was_sent_is_not_sent_again_and_what_is_new_is() -> None:
    log, notifier, notes = log_of("/a"), MemoryNotifier(), MemorySentAlerts()
    assert delivered(log, notifier, notes) == Delivered(sent=1)
    assert delivered(log, notifier, notes) == Delivered()
    append(log, "/b")
    assert delivered(log, notifier, notes) == Delivered(sent=1)
    assert [alert.subject for alert in notifier.sent] == ["/a is popular", "/b is popular"]


def test_an_alert_that_a_repeated_batch_wrote_twice_is_sent_once() -> None:
    notifier = MemoryNotifier()
    assert delivered(log_of("/a", "/b", "/a"), notifier, MemorySentAlerts()) == Delivered(sent=2, repeated=1)
    assert len(notifier.sent) == 2


@given(
    pages=st.lists(st.sampled_from(["/a", "/b", "/c", "/d"]), max_size=8),
    stops=st.lists(st.sampled_from(["refused", "after the server's yes", "after the note", None, None]), max_size=12),
)
def test_an_alert_is_repeated_only_by_a_stop_between_the_servers_yes_and_the_note(
    pages: list[str], stops: list[str | None]
) -> None:
    log, notifier, notes = log_of(*pages, partitions=2), MemoryNotifier(), MemorySentAlerts()
    falls = iter(stops)
    repetitions: Counter[str] = Counter()

    class Stopping(Notifier):
        fall: str | None = None

        def send(self, alert: Alert) -> None:
            Stopping.fall = next(falls, None)
            if Stopping.fall == "refused":
                raise NotifierUnavailableError("not now")
            notifier.send(alert)

    class StoppingNotes(MemorySentAlerts):
        def note(self, alert: str, topic: str, partition: int, position: int) -> None:
            fall, Stopping.fall = Stopping.fall, None
            if fall == "after the server's yes":
                repetitions[alert] += 1
                raise StoppedError
            super().note(alert, topic, partition, position)
            if fall == "after the note":
                raise StoppedError

    notes = StoppingNotes()
    for _ in range(len(stops) + 1):
        try:
            delivery(log, Stopping(), notes).deliver()
        except (StoppedError, NotifierUnavailableError):
            continue
        break
    assert Counter(alert.id for alert in notifier.sent) == Counter(f"popular-alerts/{page}" for page in set(pages)) + repetitions


def test_what_was_sent_before_an_error_is_counted_and_noted() -> None:
    class OnlyOne(MemoryNotifier):
        def send(self, alert: Alert) -> None:
            if self.sent:
                raise NotifierUnavailableError("not now")
            super().send(alert)

    log, notes, made = log_of("/a", "/b"), MemorySentAlerts(), OnlyOne()
    interrupted = delivery(log, made, notes)
    with pytest.raises(NotifierUnavailableError):
        interrupted.deliver()
    assert interrupted.delivered == Delivered(sent=1)
    assert delivered(log, MemoryNotifier(), notes) == Delivered(sent=1)


@pytest.mark.parametrize(
    ("value", "error", "reason"),
    [(b"no json", None, "Invalid JSON"), (b'{"views":1}', None, "page"), (b"\x00", "line 7 is cut off", "line 7 is cut off")],
)
def test_an_alert_that_cannot_be_read_is_told_as_it_is_once(value: bytes, error: str | None, reason: str) -> None:
    log, notifier, notes = log_of("/a"), MemoryNotifier(), MemorySentAlerts()
    log.append(TOPIC, b"/b", value, 5, error=error)
    append(log, "/c")
    assert delivered(log, notifier, notes) == Delivered(sent=3, unreadable=1)
    alert = notifier.sent[1]
    assert alert.subject == "popular-alerts: an alert that cannot be read"
    assert alert.body.startswith("There is an alert in topic popular-alerts, partition 0, offset 1, that cannot be read: ")
    assert reason in alert.body
    assert repr(value) in alert.body
    assert delivered(log, notifier, notes) == Delivered()


def test_a_record_without_a_value_is_no_alert() -> None:
    log, notifier = log_of("/a"), MemoryNotifier()
    log.append(TOPIC, b"/a", None, 5)
    assert delivered(log, notifier, MemorySentAlerts()) == Delivered(sent=1)


def test_records_of_a_topic_without_letters_are_shown_as_they_are_each_as_its_own_matter() -> None:
    log, notifier, notes = MemoryEventLog(), MemoryNotifier(), MemorySentAlerts()
    log.create_topic("busy-shops", 1)
    for _ in range(2):
        log.append("busy-shops", b"north", '{"total": 12.0, "name": "Käse"}'.encode(), 5)
    assert delivered(log, notifier, notes, "busy-shops") == Delivered(sent=2)
    assert {(alert.subject, alert.body) for alert in notifier.sent} == {
        ("busy-shops: north", '{\n  "total": 12.0,\n  "name": "Käse"\n}')
    }
    assert len({alert.id for alert in notifier.sent}) == 2
    assert delivered(log, notifier, notes, "busy-shops") == Delivered()


def test_a_topic_that_was_made_anew_is_read_from_its_beginning() -> None:
    notifier, notes = MemoryNotifier(), MemorySentAlerts()
    delivered(log_of("/a", "/b", "/c"), notifier, notes)
    assert delivered(log_of("/c", "/d"), notifier, notes) == Delivered(sent=1, repeated=1)


def test_alerts_that_the_log_let_go_of_before_they_were_read_are_counted() -> None:
    class Forgetful(MemoryEventLog):
        def beginning_offset(self, topic: str, partition: int) -> int:
            del topic, partition
            return 3

    notes, notifier = MemorySentAlerts(), MemoryNotifier()
    delivered(log_of("/a"), notifier, notes)
    forgetful = Forgetful()
    forgetful.create_topic(TOPIC, 1)
    for page in ("/a", "/b", "/c", "/d"):
        append(forgetful, page)
    assert delivered(forgetful, notifier, notes) == Delivered(sent=1, lost=2)
    assert delivered(forgetful, MemoryNotifier(), MemorySentAlerts()) == Delivered(sent=1), "what was gone at first is not missed"
