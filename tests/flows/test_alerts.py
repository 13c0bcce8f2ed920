from eddyline.application.flows.alerts import AlertMessage, AlertTopic, alert_topic

KNOWN = AlertTopic("alarms", str, dict, lambda key, _value: AlertMessage(key, "alarm", "An alarm."))


def test_alerts_of_a_known_topic_have_its_messages() -> None:
    assert alert_topic("alarms", [KNOWN]) is KNOWN


def test_alerts_of_any_other_topic_are_shown_as_json() -> None:
    message = alert_topic("busy-shops", [KNOWN]).write("north", {"total": 12.0, "name": "Käse"})
    assert message == AlertMessage(None, "busy-shops: north", '{\n  "total": 12.0,\n  "name": "Käse"\n}')
