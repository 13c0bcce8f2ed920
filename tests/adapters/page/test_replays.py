"""Replays for people who ask why: one at a time, only while somebody waits for the answer, and stopped on request."""

import re
import threading
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.page.app import page_app
from eddyline.adapters.web.options import ServerOptions
from eddyline.application.flows.flow import Flow
from eddyline.application.topology import TopologyBuilder
from tests.adapters.page.browsers import OpenWindow
from tests.adapters.page.served_flows import over, shown
from tests.fixtures.query_servers import serving

RECORDS = 20_000


class SlowFlow:
    """A flow whose function is slow until it is let go; `called` has the values that it was called with."""

    def __init__(self) -> None:
        self.called: list[int] = []
        self.fast = threading.Event()
        self.log = MemoryEventLog()
        self.log.create_topic("numbers", 1)
        for number in range(RECORDS):
            self.log.append("numbers", b"key", str(number).encode(), number, partition=0, arrival=number)
        self.flow = Flow("slow", "A flow that is slow.", self.define)

    def define(self, builder: TopologyBuilder) -> None:
        numbers: Any = builder.stream("numbers", key=str, value=int)
        numbers.map_values(self.doubled, value=int).to("doubled")

    def doubled(self, value: int) -> int:
        self.called.append(value)
        self.fast.wait(0.01)
        return 2 * value


def test_a_replay_is_made_for_one_view_after_the_other_while_it_is_open_and_can_be_stopped(
    window_on: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eddyline.adapters.page.host._MOST_WAITING", 1)
    slow = SlowFlow()
    flow = over(slow.log, slow.flow)
    path = "why?topic=numbers&at=0:7"
    with serving(flow.queries, ServerOptions(port=0, rate_limit=0), page=page_app(shown(flow))) as server:
        for _ in range(8):
            assert httpx.get(f"{server.url}/ui/{path}").status_code == 200
        assert slow.called == [], "a request alone begins a replay"
        first, second = window_on(server.url), window_on(server.url)
        first.open(path, "Why")
        expect(first.page.get_by_text(re.compile(r"^[\d,]+ records replayed"))).to_be_visible()
        second.open(path, "Why")
        expect(second.page.get_by_text("Waiting for the answers to other questions.")).to_be_visible()
        refused = httpx.get(f"{server.url}/ui/{path}")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        first.open("topics", "Topics")
        expect(second.page.get_by_text(re.compile(r"^[\d,]+ records replayed"))).to_be_visible()
        assert len(slow.called) < RECORDS
        second.check()
        second.page.get_by_role("button", name="Stop").click()
        expect(second.page.get_by_role("alert").filter(visible=True)).to_have_text(
            "The replay was stopped. Choose Explain to begin again."
        )
        slow.fast.set()
        second.page.get_by_role("button", name="Explain").click()
        expect(second.page.get_by_text("The record is part of 1 result.")).to_be_visible()
