"""The first page of a server with several flows."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from eddyline.adapters.cli.main import run
from eddyline.application.topology.graph import with_version
from tests.adapters.page.browsers import LOOKS, OpenWindow
from tests.adapters.page.conftest import address_of
from tests.adapters.page.served_flows import served_flow
from tests.fixtures.commands import Commands

FLOWS = ("fb-notifications", "notification-metrics", "hotel-reservations")


@pytest.fixture(scope="module")
def service(programs: Commands, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a server beside two flows that are wired, and one of another context, which have run before."""
    data = str(tmp_path_factory.mktemp("service"))
    for flow in FLOWS:
        if flow != "notification-metrics":
            assert run(["simulate", flow, "--data-dir", data]) == 0
        common = ("--engine", "memory", "--available-now", "--data-dir", data, "--set", "changelog.stores=all")
        assert run(["run", flow, *common]) == 0
    assert (Path(data) / "topics/notifications").exists()
    programs.start("service", "serve", *FLOWS, "--port", "0", "--data-dir", data)
    return address_of(programs, "service")


@pytest.mark.browser
@pytest.mark.parametrize("device", LOOKS)
def test_the_first_page_shows_what_belongs_together_and_what_happens(service: str, window_on: OpenWindow, device: str) -> None:
    window = window_on(service, device)
    window.open("", "Service")
    page = window.page
    expect(page.get_by_role("region", name="Notifications").get_by_role("article")).to_have_count(2)
    card = page.get_by_role("article", name="fb-notifications")
    expect(card).to_contain_text("fb-notifications → notifications → notification-metrics")
    expect(card.get_by_role("listitem").first).to_have_text(re.compile(r"^[-\d]{10} \d\d:\d\d:\d\d\S+ is not looking: notified$"))
    connections = page.get_by_role("region", name="How flows are connected")
    expect(connections.get_by_role("listitem")).to_have_text(
        "notifications is written by fb-notifications and read by notification-metrics"
    )
    expect(connections.locator(".node[role=button]")).to_have_count(2)
    alerts = page.get_by_role("table", name="The latest alert of each kind")
    expect(alerts).to_contain_text(re.compile(r"Reservation \S+ is not confirmed"))
    window.check()
    page.get_by_role("link", name="hotel-reservations").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Dashboard")
    stays = page.get_by_role("region", name="Stays")
    expect(stays.get_by_role("row").nth(1)).to_be_visible()
    window.check()


@pytest.mark.browser
def test_everything_about_a_guest_is_shown_by_name(service: str, window_on: OpenWindow) -> None:
    window = window_on(service)
    window.open("dashboard?flow=hotel-reservations", "Dashboard")
    page = window.page
    guest = page.get_by_role("region", name="Guest", exact=True)
    expect(guest.get_by_role("status")).not_to_be_empty()
    first = guest.get_by_role("status").inner_text()
    options = [option.get_attribute("value") or "" for option in page.locator("datalist option").all()[:2]]
    other = next(guest for guest in options if guest != first)
    page.get_by_label("Choose a guest").fill(other)
    page.keyboard.press("Enter")
    expect(guest.get_by_role("status")).to_have_text(other)
    expect(page.get_by_role("region", name="History").get_by_role("row").nth(1)).to_be_visible()


def test_views_mean_the_topics_of_a_version() -> None:
    flow = served_flow("inventory")
    assert flow.topic("negative-stock") == "negative-stock"
    versioned = replace(flow, topology=with_version(flow.topology, "v2"))
    assert [versioned.topic(name) for name in ("negative-stock", "items", "other")] == ["negative-stock-v2", "items", "other"]
