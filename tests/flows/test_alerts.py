from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest

from eddyline import Alert, AlertError, Flow, FlowSettingError, TopologyBuilder
from eddyline.application.flows.alerts import AlertMessage


@dataclass(frozen=True)
class Deal:
    person: str
    day: date = date(2026, 3, 1)


def define(builder: TopologyBuilder) -> None:
    builder.stream("deals", key=str, value=Deal).to("large-deals")


def test_texts_and_functions_of_the_value_make_the_message() -> None:
    alert = Alert("t", to="ann", subject="A deal", body=lambda deal: f"by {deal.person}", identity=lambda deal: deal.person)
    assert alert.message("k", Deal("bob")) == AlertMessage("bob", "A deal", "by bob")


def test_without_them_topic_and_key_are_the_subject_and_the_value_is_the_body_as_json() -> None:
    message = Alert("t", to="ann").message("north", {"total": 12.0, "name": "Käse", "day": date(2026, 3, 1)})
    assert message == AlertMessage(None, "t: north", '{\n  "total": 12.0,\n  "name": "Käse",\n  "day": "2026-03-01"\n}')
    assert Alert("t", to="ann").message(None, Deal("bob")).body == '{\n  "person": "bob",\n  "day": "2026-03-01"\n}'


@pytest.mark.parametrize(
    ("to", "via", "channel"),
    [
        ("ann@example.org", None, None),
        ("https://example.org/hook", None, "webhook"),
        ("https://example.org/hook", "log", "log"),
        (lambda deal: deal.person, None, None),
        (lambda deal: deal.person, "webhook", "webhook"),
        ("ann@example.org", "mail", "mail"),
    ],
)
def test_a_url_given_as_text_is_a_webhook_and_one_from_a_record_only_if_the_flow_says_so(to: Any, via: Any, channel: Any) -> None:
    assert Alert("t", to=to, via=via).channel == channel


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"to": ""}, "to of the alerts of topic 't' is ''; pass a recipient, or a function"),
        ({"to": "ann", "via": "sms"}, "via of the alerts of topic 't' is 'sms'; choose one of: 'mail', 'webhook', 'log'"),
        ({"to": "ann", "via": "webhook"}, "topic 't' go to the webhook 'ann'; pass a URL with http or https"),
        ({"to": "ann", "identity": "x"}, "identity of the alerts of topic 't' is 'x'; pass a function"),
        ({"to": "ann", "subject": 5}, "subject of the alerts of topic 't' is 5; pass a function"),
    ],
)
def test_what_is_wrong_is_refused_when_it_is_declared(given: dict[str, Any], message: str) -> None:
    with pytest.raises(AlertError, match=message):
        Alert("t", **given)


def test_an_alert_of_a_topic_that_the_flow_does_not_write_is_refused() -> None:
    flow = Flow("deals", "", define, alerts=[Alert("large-deal", to="ann")])
    with pytest.raises(FlowSettingError, match="topic 'large-deal', which it does not write; did you mean 'large-deals'"):
        flow.topology()


def test_two_alerts_of_a_topic_need_names() -> None:
    alerts = [Alert("large-deals", to="ann"), Alert("large-deals", to="bob")]
    with pytest.raises(FlowSettingError, match=r"two alerts 'large-deals'; give one of them another name: Alert\(…, name=…\)"):
        Flow("deals", "", define, alerts=alerts).topology()
    Flow("deals", "", define, alerts=[alerts[0], Alert("large-deals", to="bob", name="boss")]).topology()
