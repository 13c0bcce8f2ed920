"""Each alert is sent once, even if the delivery is interrupted or records are repeated."""

import json
import logging
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import Alert as FlowAlert
from eddyline import Flow, TopologyBuilder
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.settings import Settings
from eddyline.adapters.wiring.alerts import flow_alerts as wired_alerts
from eddyline.application.operations.alert import AlertDelivery, DeliveryCounts, FlowAlerts
from eddyline.application.ports.notifier import Alert, AlertRefusedError, Notifier, NotifierUnavailableError
from eddyline.application.ports.sent_alerts import SentAlerts, SentAlertsInUseError
from eddyline.application.samples.clickstream.alerts import POPULAR_ALERTS
from eddyline.domain.clickstream import PopularPage
from tests.fixtures.alerts import MemoryNotifier, MemorySentAlerts
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
    codecs = JsonCodecs()
    alert, value_type = (POPULAR_ALERTS, PopularPage) if topic == TOPIC else (FlowAlert(topic, to="ann"), Any)
    return AlertDelivery(
        log=log,
        topic=topic,
        key_codec=codecs.for_key(topic, str),
        value_codec=codecs.for_value(topic, value_type),
        compose=alert.message,
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


# --- alerts of flows ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deal:
    person: str
    amount: float


def deals_flow(*alerts: FlowAlert) -> Flow:
    def define(builder: TopologyBuilder) -> None:
        builder.stream("deals", key=str, value=Deal).filter(lambda _key, deal: deal.amount > 10_000).to("large-deals")

    return Flow("deals", "Finds large deals.", define, alerts=alerts)


def flow_alerts(flow: Flow, log: MemoryEventLog, notifier: Notifier, sent: dict[str, SentAlerts]) -> FlowAlerts:
    def sent_alerts(topic: str, name: str) -> SentAlerts:
        return sent.setdefault(f"{topic} {name}", MemorySentAlerts())

    return FlowAlerts(log, JsonCodecs(), flow.topology(), flow.alerts, lambda _channel: notifier, sent_alerts)


def log_of_deals(*values: object) -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic("large-deals", 1)
    for value in values:
        log.append("large-deals", b"k", json.dumps(value).encode(), 0)
    return log


def test_a_function_of_the_alert_chooses_the_recipient_and_each_alert_is_sent_once() -> None:
    flow = deals_flow(FlowAlert("large-deals", to=lambda deal: deal.person or None, subject=lambda deal: f"{deal.amount:,.0f}"))
    log = log_of_deals(*({"person": who, "amount": 20_000} for who in ("ann", "", "bob")))
    notifier, sent = MemoryNotifier(), dict[str, SentAlerts]()
    for _ in range(2):
        flow_alerts(flow, log, notifier, sent).deliver()
    assert [(alert.recipient, alert.subject) for alert in notifier.sent] == [("ann", "20,000"), ("bob", "20,000")]


def test_an_alert_whose_functions_fail_or_whose_recipient_is_refused_does_not_stop_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Refusing(MemoryNotifier):
        def send(self, alert: Alert) -> None:
            if alert.recipient == "eve":
                raise AlertRefusedError("eve is unknown")
            super().send(alert)

    def recipient(deal: Deal) -> str:
        if deal.person == "mallory":
            raise LookupError("no such person")
        return deal.person

    log = log_of_deals(*({"person": who, "amount": 20_000} for who in ("mallory", "eve", "ann")), "no deal")
    notifier = Refusing()
    delivering = flow_alerts(deals_flow(FlowAlert("large-deals", to=recipient)), log, notifier, {})
    delivering.deliver()
    assert [alert.recipient for alert in notifier.sent] == ["ann"]
    assert delivering.counts == DeliveryCounts(sent=1, failed=3)
    texts = [record.getMessage() for record in caplog.records if record.name == "eddyline.alerts"]
    assert "offset 0 cannot be sent: its functions have raised LookupError: no such person" in texts[0]
    assert "offset 1 cannot be sent: eve is unknown" in texts[1]
    assert "could not be decoded" in texts[2]


def test_a_run_takes_over_from_the_process_that_has_sent_the_alerts() -> None:
    class InUse(MemorySentAlerts):
        is_in_use = True

        def position(self, topic: str, partition: int) -> int:
            if self.is_in_use:
                self.is_in_use = False
                raise SentAlertsInUseError("another process sends them")
            stopping.set()
            return super().position(topic, partition)

    log, notifier, stopping = log_of_deals({"person": "ann", "amount": 20_000}), MemoryNotifier(), Event()
    sent: dict[str, SentAlerts] = {"large-deals large-deals": InUse()}
    flow_alerts(deals_flow(FlowAlert("large-deals", to="ann")), log, notifier, sent).run(stopping, poll_s=0.001)
    assert [alert.recipient for alert in notifier.sent] == ["ann"]


def test_a_run_delivers_until_it_is_stopped_and_then_what_is_left() -> None:
    class Failing(MemoryNotifier):
        failures = 1

        def send(self, alert: Alert) -> None:
            if self.failures:
                self.failures -= 1
                raise NotifierUnavailableError("down")
            super().send(alert)
            stopping.set()
            if len(self.sent) == 1:
                log.append("large-deals", b"k", b'{"person": "bob", "amount": 5}', 0)

    log, notifier, stopping = log_of_deals({"person": "ann", "amount": 20_000}), Failing(), Event()
    flow_alerts(deals_flow(FlowAlert("large-deals", to=lambda deal: deal.person)), log, notifier, {}).run(stopping, poll_s=0.001)
    assert [alert.recipient for alert in notifier.sent] == ["ann", "bob"]


@pytest.mark.parametrize("log", ["files", "kafka"])
def test_the_log_says_that_processes_with_other_state_send_the_alerts_too(
    log: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    flow, settings = deals_flow(FlowAlert("large-deals", to="ann")), Settings.load({"log": log, "state.dir": tmp_path})
    with caplog.at_level(logging.INFO, "eddyline.alerts"):
        notifier = MemoryNotifier
        wired_alerts(settings, MemoryEventLog(), JsonCodecs(), notifier, notifier, flow, flow.topology()).close()
    warning = f"keeps in '{tmp_path / 'alerts'}' what was sent; a process with another state.dir sends them, too"
    assert [warning in message for message in caplog.messages] == ([True] if log == "kafka" else [])
