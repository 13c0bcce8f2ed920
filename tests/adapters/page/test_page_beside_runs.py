"""The page of a server beside runs, of several flows, that needs a token."""

import re

import pytest
from playwright.sync_api import expect

from tests.adapters.page.browsers import LOOKS, OpenWindow, Window

pytestmark = pytest.mark.browser

READER, OPERATOR = "sesame", "poppy"
VIEWS = {
    "": ("Service", "is not looking: notified"),
    "?flow=inventory": ("inventory", "known only to the process that runs the flow"),
    "dashboard": ("Dashboard", "Stock of the stores"),
    "dashboard?flow=popular-products": ("Dashboard", "Popular pages"),
    "dashboard?flow=fb-notifications": ("Dashboard", "You are not currently viewing"),
    "topology?flow=popular-products": ("Topology", "eddyline run popular-products --serve"),
    "stores?flow=popular-products&store=page-counts": ("page-counts", "Next page"),
    "topics?flow=fb-notifications&topic=notifications": ("notifications", "not currently viewing"),
    "dead-letters": ("Dead letters", "needs the credentials of an operator"),
    "dead-letters?flow=popular-products": ("Dead letters", "There are no dead letters."),
}


def log_in(window: Window, token: str = READER) -> None:
    window.page.get_by_label("Token").fill(token)
    with window.page.expect_navigation():
        window.page.get_by_role("button", name="Log in").click()


@pytest.mark.parametrize("device", LOOKS)
def test_every_view_of_every_flow_can_be_used_by_everyone(beside: str, window_on: OpenWindow, device: str) -> None:
    window = window_on(beside, device)
    window.page.goto(beside)
    expect(window.page.get_by_label("Token")).to_be_visible()
    window.check()
    log_in(window)
    for path, (heading, content) in VIEWS.items():
        window.open(path, heading)
        expect(window.page.locator("#content")).to_contain_text(content)
        window.check()


def test_a_browser_logs_in_and_out(beside: str, window_on: OpenWindow) -> None:
    window = window_on(beside)
    page = window.page
    page.goto(f"{beside}/ui/topology?flow=popular-products")
    log_in(window, "wrong")
    expect(page.get_by_role("alert")).to_contain_text("not valid")
    log_in(window)
    expect(page.get_by_role("heading", level=1)).to_have_text("Topology")
    expect(page.get_by_label("Flow")).to_have_value("popular-products")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Token")).to_be_visible()
    page.goto(f"{beside}/ui/")
    expect(page.get_by_label("Token")).to_be_visible()


def test_another_flow_can_be_chosen(beside: str, window_on: OpenWindow) -> None:
    window = window_on(beside)
    window.page.goto(f"{beside}/ui/stores")
    log_in(window)
    window.page.get_by_label("Flow").select_option("popular-products")
    expect(window.page.locator("tbody th")).to_have_text(["page-counts"])
    window.page.get_by_role("link", name="Topology").click()
    expect(window.page.locator(".drawing .node", has_text="page-counts").first).to_be_visible()


def test_a_store_is_read_page_by_page(beside: str, window_on: OpenWindow) -> None:
    window = window_on(beside)
    window.page.goto(f"{beside}/ui/stores?flow=popular-products&store=page-counts")
    log_in(window)
    page, keys = window.page, window.page.locator("tbody th .cell")
    expect(keys).to_have_count(25)
    first = keys.all_inner_texts()
    page.get_by_role("link", name="Next page").click()
    page.wait_for_url(re.compile("cursor="))
    expect(keys.first).not_to_have_text(first[0])
    second = keys.all_inner_texts()
    assert max(first) < min(second)
    page.get_by_role("link", name="First page").click()
    expect(keys.first).to_have_text(first[0])


def test_the_rows_of_a_table_are_filtered(beside: str, window_on: OpenWindow) -> None:
    window = window_on(beside)
    window.page.goto(beside)
    log_in(window)
    window.open("dashboard", "Dashboard")
    section = window.page.get_by_role("region", name="Stock of the stores")
    rows = section.locator("tbody tr")
    expect(rows).to_have_count(10)
    section.get_by_role("button", name="Show all 40 rows").click()
    expect(rows).to_have_count(40)
    store = rows.first.locator("th").inner_text()
    everything = rows.count()
    section.get_by_label("Filter").fill(store.upper())
    expect(section.get_by_text(re.compile(r"\d+ of \d+ rows"))).to_be_visible()
    assert 0 < rows.count() < everything
    assert set(rows.locator("th .cell").all_inner_texts()) == {store}


def test_only_operators_may_redrive(beside: str, window_on: OpenWindow) -> None:
    for token, buttons in ((READER, 0), (OPERATOR, 2)):
        window = window_on(beside)
        page = window.page
        page.goto(f"{beside}/ui/dead-letters")
        log_in(window, token)
        expect(page.get_by_role("row", name=re.compile("items"))).to_have_count(1)
        expect(page.get_by_role("button", name=re.compile("^Redrive"))).to_have_count(buttons)
        page.locator("tbody a").click()
        expect(page.get_by_role("button", name="Redrive …")).to_have_count(min(buttons, 1))
        expect(page.locator("#content")).to_contain_text("6e 6f 20 6a 73 6f 6e")


def test_a_view_that_fails_offers_a_reader_nothing_to_do(beside: str, window_on: OpenWindow) -> None:
    window = window_on(beside)
    page = window.page
    page.goto(f"{beside}/ui/dead-letters?cursor=garbage")
    log_in(window)
    expect(page.get_by_role("alert")).to_contain_text("garbage")
    expect(page.get_by_role("button", name=re.compile("^Redrive"))).to_have_count(0)


def test_an_open_page_ends_with_its_session(beside: str, window_on: OpenWindow) -> None:
    window = window_on(beside)
    page = window.page
    page.goto(f"{beside}/ui/dead-letters")
    log_in(window, OPERATOR)
    expect(page.get_by_role("button", name=re.compile("^Redrive the"))).to_be_visible()
    other = page.context.new_page()
    other.goto(f"{beside}/ui/")
    other.get_by_role("button", name="Log out").click()
    expect(other.get_by_label("Token")).to_be_visible()
    expect(page.get_by_label("Token")).to_be_visible(timeout=60_000)
