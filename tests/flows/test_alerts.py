from datetime import date

from eddyline.application.flows.alerts import AlertMessage, AlertTopic, alert_topic
from eddyline.application.topology.types import UNKNOWN

KNOWN = AlertTopic("alarms", str, dict, lambda key, _value: AlertMessage(key, "alarm", "An alarm."))


def test_alerts_of_a_known_topic_have_its_messages() -> None:
    assert alert_topic("alarms", [KNOWN]) is KNOWN


def test_alerts_of_any_other_topic_are_shown_as_json() -> None:
    message = alert_topic("busy-shops", [KNOWN]).write("north", {"total": 12.0, "name": "Käse"})
    assert message == AlertMessage(None, "busy-shops: north", '{\n  "total": 12.0,\n  "name": "Käse"\n}')


def test_the_types_of_any_other_topic_are_unknown() -> None:
    alerts = alert_topic("busy-shops", [])
    assert (alerts.topic, alerts.key_type, alerts.value_type) == ("busy-shops", UNKNOWN, UNKNOWN)


def test_a_value_that_json_does_not_know_is_shown_as_text() -> None:
    message = alert_topic("busy-shops", []).write("north", {"day": date(2026, 3, 1)})
    assert message.body == '{\n  "day": "2026-03-01"\n}'
