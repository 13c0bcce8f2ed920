"""Captchas requested from browsers that act often or fast."""

from pytest_bdd import given, parsers, scenarios, then, when
from pytest_bdd import scenario as of_feature

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("security/captcha.feature", "security/captcha_lookup.feature", "security/captcha_windows.feature")


@of_feature("operating/restarts.feature", "Actions and solved captchas outlive a restart")
def test_restart() -> None: ...


@of_feature("security/what_cannot_be_true.feature", "A wrong answer solves no captcha")
def test_wrong_answers() -> None: ...


COLUMNS = {"browser": "key", "actions": "count", "from": "value.window.start", "to": "value.window.end"}


@given("captchas are requested from browsers that act often")
def for_many_actions(flow: RecordedFlow) -> None:
    flow.use("captcha")


@given("captchas are requested with a lookup of solved captchas")
def with_a_lookup(flow: RecordedFlow) -> None:
    flow.use("captcha", kind="global")


@given("captchas are requested from browsers that act fast")
def for_fast_actions(flow: RecordedFlow) -> None:
    flow.use("captcha", kind="windowed")


@when(parsers.re(r"(?P<browser>\w+) acts (?P<number>\d+) times?"), converters={"number": int})
def browser_acts(scenario: Scenario, browser: str, number: int) -> None:
    scenario.pipe("actions", [{"browser": browser, "value": "click"}] * number, columns=COLUMNS)


@when(parsers.parse("{browser} acts at {times}"))
def browser_acts_at(scenario: Scenario, browser: str, times: str) -> None:
    actions = [{"browser": browser, "value": "click", "time": time} for time in times.split(", ")]
    scenario.pipe("actions", actions, columns=COLUMNS)


@when(parsers.parse("{browser} solves a captcha"))
def browser_solves(scenario: Scenario, browser: str) -> None:
    scenario.pipe("captchas-solved", [{"browser": browser, "ok": True}], columns=COLUMNS)


@when(parsers.parse("the solved captcha of {browser} is forgotten"))
def solved_captcha_is_forgotten(scenario: Scenario, browser: str) -> None:
    scenario.pipe("captchas-solved", [{"browser": browser}], columns=COLUMNS)


@then("the captcha requests are")
def requests_are(flow: RecordedFlow, scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("captcha-requests", like=datatable, columns=COLUMNS) == datatable
    requests = [record.value for record in flow.outputs("captcha-requests")]
    assert all(request.ask_captcha for request in requests)
    assert all(hasattr(request, "window") == ("from" in datatable[0]) for request in requests)


@then("there are no captcha requests")
def no_requests(flow: RecordedFlow) -> None:
    assert flow.outputs("captcha-requests") == []
