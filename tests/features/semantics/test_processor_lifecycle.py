"""Calls of a processor at commits and at its end."""

import re
from pathlib import Path

import pytest
from pytest_bdd import given, scenarios, then, when

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.semantics.collecting_flow import COLLECTING
from tests.features.tables import Table, rows

scenarios("semantics/processor_lifecycle.feature")


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    return tmp_path / "calls"


@given("a processor that collects orders until a commit")
def collects(flow: RecordedFlow, calls: Path) -> None:
    flow.use(COLLECTING, calls=str(calls))


@when("these records arrive")
def records_arrive(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("orders", rows(datatable))


@then("these orders are sent")
def orders_are_sent(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("sent", like=datatable) == datatable


@then("the processor is initialized, called at each commit, and closed after the last one")
def called_at_commits(calls: Path) -> None:
    found = calls.read_text(encoding="ascii")
    assert re.fullmatch(r"(i(p*c)*x)+", found), found
    assert re.search("p+c", found), found
