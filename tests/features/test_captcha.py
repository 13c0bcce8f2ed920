"""Captchas, as those tell them who keep robots out."""

from typing import Any

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, milliseconds, rows

scenarios("captcha")


@given("captchas for browsers that act often")
def captchas(scenario: Scenario) -> None:
    scenario.use("captcha")


@given("captchas with solved ones known everywhere")
def looked_up(scenario: Scenario) -> None:
    scenario.use("captcha", kind="global")


@given("captchas for browsers that act fast")
def in_windows(scenario: Scenario) -> None:
    scenario.use("captcha", kind="windowed")


@when(parsers.re(r"(?P<browser>\w+) acts (?P<number>\d+) times?"))
def acts(scenario: Scenario, browser: str, number: str) -> None:
    for _ in range(int(number)):
        scenario.arrives("actions", browser, "click", 0)


@when(parsers.parse("{browser} acts at {times}"))
def acts_at(scenario: Scenario, browser: str, times: str) -> None:
    for time in times.split(", "):
        scenario.arrives("actions", browser, "click", milliseconds(time))


@when(parsers.re(r"(?P<browser>\w+) solves a captcha"))
def solves(scenario: Scenario, browser: str) -> None:
    scenario.arrives("captchas-solved", browser, {"ok": True}, 0)


@when(parsers.parse("it is forgotten that {browser} solved a captcha"))
def forgotten(scenario: Scenario, browser: str) -> None:
    scenario.arrives("captchas-solved", browser, None, 0)


@then("these captchas are asked for")
def asked_for(scenario: Scenario, datatable: Table) -> None:
    assert [(record["key"], record["value"]) for record in scenario.left("captcha-requests")] == [
        (row["browser"], _request(row)) for row in rows(datatable)
    ]


@then("no captcha is asked for")
def none_asked_for(scenario: Scenario) -> None:
    assert scenario.left("captcha-requests") == []


def _request(row: dict[str, str]) -> dict[str, Any]:
    request = {"askCaptcha": True, "count": int(row["actions"])}
    if "from" not in row:
        return request
    return {**request, "window": {"start": milliseconds(row["from"]), "end": milliseconds(row["to"])}}
