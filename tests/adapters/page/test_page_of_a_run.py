"""The page of a flow that runs in the same process: every view, in every look, in a real browser."""

import json
import math
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.adapters.page.browsers import LOOKS, OpenWindow, Window, accessibility_problems, changes, keys, opened_store
from tests.adapters.page.conftest import START_MS, RunningFlow

pytestmark = pytest.mark.browser

VIEWS = {
    "": ("stock-stats", "Partitions of the input"),
    "dashboard": ("Dashboard", "average price"),
    "topology": ("Topology", "records"),
    "windows": ("Windows", "closes when stream time reaches"),
    "stores": ("Stores", "trade-aggregates"),
    "stores?store=trade-aggregates": ("trade-aggregates", "minPrice"),
    "topics": ("Topics", "written"),
    "topics?topic=stock-stats": ("stock-stats", "avgPrice"),
    "why": ("Why", "Partition:offset"),
    "why?topic=stock-stats&at=9:9": ("Why", "has no partition 9"),
    "dead-letters": ("Dead letters", "CodecError"),
    "dead-letters?at=9:9": ("Dead letters", "there is no dead letter 9:9"),
    "stores?store=nope": ("Stores", "unknown store 'nope'"),
    "topics?topic=nope": ("Topics", "has no topic 'nope'"),
    "?flow=nope": ("Overview", "no flow 'nope'"),
}


@pytest.mark.parametrize("device", LOOKS)
def test_every_view_can_be_used_by_everyone_and_asks_no_other_host(
    running: RunningFlow, window_on: OpenWindow, device: str
) -> None:
    window = window_on(running.url, device)
    for path, (heading, content) in VIEWS.items():
        window.open(path, heading)
        expect(window.page.locator("#content")).to_contain_text(content)
        window.check()


def test_what_not_everyone_can_use_is_found(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content("<html lang=en><title>t</title><main><h1>h</h1><img src='data:,'></main></html>")
    assert [problem.split(": ")[1] for problem in accessibility_problems(page, {})] == ["image-alt"]
    page.close()


def test_the_overview_follows_the_flow(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url)
    window.open("", "stock-stats")
    page = window.page
    expect(page.get_by_role("status")).to_have_text("running")
    lag = page.locator(".stat", has_text="Lag")
    expect(lag).to_contain_text("all records processed")
    with changes(page, "table tbody tr:first-child td:nth-of-type(2)"):
        running.trade("AAPL", START_MS + 59_000)
    expect(page.get_by_role("img", name=re.compile(r"^Throughput: records.s now \d"))).to_be_visible()
    expect(page.get_by_role("img", name=re.compile(r"^Duration of batches: batch now 0\."))).to_be_visible()
    expect(page.locator(".stat", has_text="Dropped")).to_contain_text("late")


@pytest.mark.slow
def test_updates_can_be_paused(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url)
    window.open("", "stock-stats")
    cell = "table tbody tr:first-child td:nth-of-type(2)"
    expect(window.page.locator(cell)).not_to_be_empty()
    window.page.get_by_role("button", name="Pause updates").click()
    expect(window.page.get_by_role("button", name="Resume updates")).to_be_visible()
    other = window_on(running.url)
    other.open("", "stock-stats")
    before = window.page.locator(cell).inner_text()
    expect(other.page.locator(cell)).to_have_text(before)
    with changes(other.page, cell):
        running.trade("AAPL", START_MS + 59_000)
    assert window.page.locator(cell).inner_text() == before
    with changes(window.page, cell):
        window.page.get_by_role("button", name="Resume updates").click()


@pytest.mark.parametrize("motion", ["reduce", pytest.param("no-preference", marks=pytest.mark.slow)])
def test_the_topology_is_drawn_with_what_each_step_has_processed(
    running: RunningFlow, window_on: OpenWindow, motion: str
) -> None:
    window = window_on(running.url, reduced_motion=motion)
    page = _drawn(window)
    step = page.get_by_role("button", name=re.compile("^trade-aggregates-aggregate"))
    expect(step).to_have_text(re.compile(r"\d+ records.*\d+ dropped"))
    row = page.get_by_role("table", name="The steps of the topology").get_by_role("row", name=re.compile("^trade-aggregates-agg"))
    expect(row).to_contain_text("late")
    expect(row).to_contain_text("window aggregate")
    assert page.locator(".drawing svg").evaluate("(drawing) => drawing.viewBox.baseVal.width") < 1_000
    before = step.text_content() or ""
    running.trade("AAPL", START_MS + 59_000)
    expect(step).not_to_have_text(before)


@pytest.mark.slow
def test_the_drawing_is_zoomed_and_moved_with_buttons_keys_and_the_mouse(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url)
    page = _drawn(window)
    drawing = page.get_by_role("group", name=re.compile("^Drawing of the topology"))

    def scaled(scale: float) -> None:
        expect(drawing).to_have_attribute("data-scale", f"{scale:.2f}")

    scaled(1)
    page.get_by_role("button", name="Zoom in").click()
    scaled(1.25)
    drawing.focus()
    page.keyboard.press("-")
    scaled(1)
    drawing.hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    scaled(math.e)
    left, top = drawing.evaluate("(drawing) => [drawing.scrollLeft, drawing.scrollTop]")
    box = drawing.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.down()
    page.mouse.move(x - 40, y - 30)
    page.mouse.up()
    assert drawing.evaluate("(drawing) => [drawing.scrollLeft, drawing.scrollTop]") == pytest.approx([left + 40, top + 30], abs=2)
    expect(page.locator(".chosen h2")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^Fit")).click()
    fits = "(drawing) => drawing.scrollHeight <= drawing.clientHeight && drawing.scrollWidth <= drawing.clientWidth"
    assert drawing.evaluate(fits)
    window.check()


@pytest.mark.slow
def test_the_drawing_is_zoomed_with_two_fingers(running: RunningFlow, window_on: OpenWindow) -> None:
    page = _drawn(window_on(running.url, "phone"))
    drawing = page.locator(".drawing")
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    assert box is not None
    before = float(drawing.get_attribute("data-scale") or "")
    x, y = box["x"] + box["width"] / 2, box["y"] + 100
    session = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 40), ("touchMove", 60), ("touchMove", 80)):
        points = [{"x": x - apart, "y": y, "id": 1}, {"x": x + apart, "y": y, "id": 2}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(drawing).to_have_attribute("data-scale", f"{2 * before:.2f}")
    assert page.evaluate("visualViewport.scale") == 1


def test_a_step_of_the_drawing_shows_its_numbers(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url)
    page = _drawn(window)
    page.get_by_role("button", name=re.compile("^trades-filter,")).click()
    expect(page.get_by_role("region", name="trades-filter")).to_contain_text("Dropped")
    step = page.get_by_role("button", name=re.compile("^trade-aggregates-aggregate"))
    step.focus()
    page.keyboard.press("Enter")
    expect(step).to_have_attribute("aria-pressed", "true")
    expect(step).to_be_focused()
    numbers = page.get_by_role("region", name="trade-aggregates-aggregate")
    for known in (r"Records\d+", r"Dropped\d+ late", r"Entries of trade-aggregates25, .* kB"):
        expect(numbers).to_contain_text(re.compile(known))
    expect(page.get_by_role("status").filter(has_text="Entries of trade-aggregates: 25")).to_have_count(1)
    window.check()
    numbers.get_by_role("link", name="trade-aggregates").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("trade-aggregates")


def _drawn(window: Window) -> Page:
    window.open("topology", "Topology")
    expect(window.page.locator(".drawing")).to_have_attribute("data-scale", re.compile(r"\d"))
    return window.page


def test_a_window_says_why_it_is_open_until_a_record_closes_it(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url)
    window.open("windows", "Windows")
    task = window.page.get_by_role("article", name="Partition 2")
    expect(task).to_contain_text("A record with a timestamp of 22:14:20 or later in trades-2 closes it.")
    task.get_by_text("5 open windows").click()
    expect(task.get_by_role("row")).to_have_count(6)
    expect(task.get_by_role("row").nth(1)).to_contain_text("GOOG")
    task.get_by_text("Input partitions").click()
    expect(task.get_by_role("row", name=re.compile("^trades-2"))).to_contain_text("60")
    running.trade("GOOG", START_MS + 60_000)
    expect(task).to_contain_text("A record with a timestamp of 22:14:21 or later in trades-2 closes it.")
    expect(task.get_by_role("row").nth(1)).to_contain_text("2023-11-14 22:14:16 to 22:14:21")


@pytest.mark.slow
def test_what_is_typed_stays_while_the_view_follows_the_flow(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url)
    page = opened_store(window)
    window.open("stores?store=trade-aggregates&text=FB", "trade-aggregates")
    expect(keys(page)).to_have_count(25)
    key = page.get_by_label("Key or its beginning")
    expect(key).to_have_value("FB")
    key.fill("IB")
    with changes(page, "p:has-text('Stream time')"):
        running.trade("AAPL", START_MS + 59_000)
    key.press_sequentially("M")
    expect(key).to_have_value("IBM")


def test_a_store_is_searched_by_key_prefix_and_range(running: RunningFlow, window_on: OpenWindow) -> None:
    page = opened_store(window_on(running.url))

    def search(by: str, text: str) -> None:
        page.get_by_label("Show").select_option(by)
        page.get_by_label("Key or its beginning").fill(text)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(f"text={text}"))

    for by, text, expected in (
        ("Key", "IBM", {"IBM"}),
        ("Prefix", "M", {"MSFT"}),
        ("Range of keys", "H", {"IBM", "MSFT"}),
        ("Latest of each key", "", {"AAPL", "FB", "GOOG", "IBM", "MSFT"}),
    ):
        search(by, text)
        expect(keys(page)).to_have_count(5 * len(expected) if text else 5)
        assert set(keys(page).all_inner_texts()) == expected
    page.get_by_label("Last key").fill("IBM")
    search("Range of keys", "G")
    expect(keys(page)).to_have_count(10)
    page.get_by_label("Last key").fill("")
    page.get_by_label("Windows from (UTC)").fill("2023-11-14T22:14:20")
    search("Key", "FB")
    expect(page.locator("tbody tr")).to_have_count(4)
    page.get_by_label("Windows from (UTC)").fill("")
    page.get_by_label("to (UTC)", exact=True).fill("2023-11-14T22:14:15")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_label("to (UTC)", exact=True).fill("")
    search("Key", "nothing")
    expect(page.get_by_text("No rows match this search.")).to_be_visible()
    page.go_back()
    keys(page).get_by_text("FB").first.click()
    expect(keys(page)).to_have_count(5)


def test_the_chart_of_another_key_can_be_chosen(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url)
    window.open("dashboard", "Dashboard")
    chart = window.page.get_by_role("img", name=re.compile("^Prices: "))
    expect(chart).to_have_attribute("aria-label", re.compile("average price now 10[0-9]"))
    window.page.get_by_label("Key").select_option("MSFT")
    expect(chart).to_have_attribute("aria-label", re.compile("average price now 14[0-9]"))
    expect(chart.locator("svg path").first).to_be_attached()


def test_a_dead_letter_is_shown_and_redriven_after_confirmation(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url)
    window.open("dead-letters", "Dead letters")
    page = window.page
    page.get_by_role("textbox", name="Exception").or_(page.get_by_role("searchbox", name="Exception")).fill("OtherError")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_text("No dead letter matches.")).to_be_visible()
    window.open("dead-letters?exception=CodecError", "Dead letters")
    page.locator("tbody a").last.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Dead letter ")
    expect(page.locator("pre").filter(has_text="000000")).to_have_count(2)
    expect(page.locator("#content")).to_contain_text("6e 2f 61")
    page.get_by_role("button", name="Redrive …").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    window.check()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Redrive …").click()
    dialog.get_by_role("button", name="Redrive").click()
    expect(page.get_by_text("1 record redriven.")).to_be_visible()
    expect(page.get_by_role("button", name="Redrive …")).to_be_hidden()
    lines = (running.folder / "topics/trades/partition-0.jsonl").read_text().splitlines()
    assert [json.loads(line)["value"]["price"] for line in lines].count("n/a") == 2
    window.open("dead-letters", "Dead letters")
    expect(page.locator("tbody tr")).to_have_count(2)  # it has failed again
    expect(page.get_by_role("cell", name="yes")).to_have_count(1)


def test_the_page_can_be_used_with_the_keyboard_alone(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url)
    window.open("", "stock-stats")
    page = window.page

    def tab_to(name: str) -> None:
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.innerText").strip() == name:
                assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
                return
        pytest.fail(f"'{name}' cannot be reached with Tab")

    tab_to("Skip to content")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    window.open("", "stock-stats")
    tab_to("Dead letters")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Dead letters")
    name = page.locator("tbody a").first.inner_text()
    tab_to(name)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Dead letter {name}")
    expect(page.get_by_role("button", name="Redrive …")).to_be_visible()
    tab_to("Redrive …")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Redrive …")).to_be_focused()


@pytest.mark.slow
def test_the_look_follows_the_system_until_it_is_chosen(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url, reduced_motion="no-preference")
    page = window.page

    def background() -> str:
        color: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return color

    window.open("", "stock-stats")
    light = background()
    page.emulate_media(color_scheme="dark")
    dark = background()
    assert dark != light
    page.get_by_label("Theme").select_option("Light")
    assert background() == light
    page.reload()
    expect(page.get_by_label("Theme")).to_have_value("light")
    assert background() == light
    page.get_by_label("Theme").select_option("System")
    assert background() == dark


def test_nothing_moves_for_people_who_do_not_want_it(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url, reduced_motion="reduce")
    window.open("dead-letters", "Dead letters")
    window.page.locator("tbody a").first.click()
    window.page.get_by_role("button", name="Redrive …").click()
    card = window.page.locator(".q-dialog__inner > *")
    expect(card).to_be_visible()
    assert card.evaluate("element => parseFloat(getComputedStyle(element).animationDuration)") <= 0.001


def test_a_result_leads_to_its_inputs_and_an_input_to_its_results(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url)
    window.open("topics?topic=stock-stats", "stock-stats")
    page = window.page
    expect(page.get_by_role("columnheader", name="minPrice")).to_be_visible()
    page.locator("tbody a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Why")
    expect(page.get_by_text(re.compile(r"Made of \d+ input record"))).to_be_visible()
    expect(page.get_by_role("heading", name="State changes")).to_be_visible()
    expect(page.get_by_text("minPrice").first).to_be_visible()
    window.check()
    page.get_by_role("link", name=re.compile("^trades ")).first.click()
    expect(page.get_by_text(re.compile(r"The record is part of \d+ results"))).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("^stock-stats ")).first).to_be_visible()
    window.check()


def test_a_record_without_a_result_leads_to_the_reason(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url)
    window.open("why", "Why")
    page = window.page
    page.get_by_label("Topic").select_option("trades")
    page.get_by_label("Partition:offset").fill("0:120")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The record is part of no result.")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("late by")).first).to_be_visible()
    page.get_by_label("Partition:offset").fill("nonsense")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("invalid position 'nonsense'; write it as PARTITION:OFFSET, for example 0:7")


def test_an_entry_of_a_store_leads_to_its_inputs(running: RunningFlow, window_on: OpenWindow) -> None:
    window = window_on(running.url)
    window.open("stores?store=trade-aggregates&by=key&text=MSFT", "trade-aggregates")
    window.page.get_by_role("link", name="Why?").first.click()
    expect(window.page.get_by_text(re.compile(r"Made of \d+ input record"))).to_be_visible()
