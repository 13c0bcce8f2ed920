"""The page of a flow on Spark."""

import re

import pytest
from playwright.sync_api import expect

from tests.adapters.page.browsers import OpenWindow
from tests.adapters.page.conftest import started_flow
from tests.fixtures.commands import Commands

pytestmark = [pytest.mark.browser, pytest.mark.spark, pytest.mark.slow]


def test_the_page_shows_a_flow_that_runs_on_spark(
    programs: Commands, window_on: OpenWindow, tmp_path_factory: pytest.TempPathFactory
) -> None:
    window = window_on(started_flow(programs, tmp_path_factory.mktemp("spark"), "spark").url)
    page = window.page
    page.set_default_timeout(120_000)
    window.open("", "stock-stats")
    expect(page.locator(".stat", has_text="Lag")).to_contain_text("all records processed", timeout=120_000)
    expect(page.get_by_role("img", name=re.compile(r"^Duration of batches: batch now \d"))).to_be_visible()
    expect(page.locator(".stat", has_text="Dead letters").locator("dd").first).to_have_text("1")
    expect(page.get_by_role("row", name=re.compile("^trades 2 60 60 0"))).to_be_visible()
    window.open("windows", "Windows")
    expect(page.get_by_role("article", name="Partition 2")).to_contain_text("in trades-2 closes it")
    window.open("stores?store=trade-aggregates", "trade-aggregates")
    expect(page.locator("tbody tr")).to_have_count(25)
    window.check()
