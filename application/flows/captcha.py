"""Asks browsers that act often for a captcha, until they have solved one."""

from typing import Literal

from eddyline.application.topology import Stream, TopologyBuilder
from eddyline.application.topology.handles import GroupedStream
from eddyline.application.topology.windows import Windowed, hopping
from eddyline.domain.captcha import BrowserActions, TimeSpan

_ACTIONS, _SOLVED = "action-counts", "captchas-solved-store"


def captcha(
    builder: TopologyBuilder,
    *,
    kind: Literal["table", "windowed", "global"] = "table",
    threshold: int = 5,
    size_ms: int = 5_000,
    advance_ms: int = 2_000,
    grace_ms: int = 0,
) -> None:
    """Actions and solved captchas in, by browser; out, at every action from the threshold on, a request for a captcha.

    `kind` table counts all actions, and asks anew as well when a solved captcha is forgotten; global looks solved captchas up
    in a global table; windowed counts in windows of `size_ms`, a new one every `advance_ms`, late ones within `grace_ms`.
    """

    def are_suspect(_browser: str, actions: BrowserActions | None) -> bool:
        return actions is not None and actions.are_suspect(threshold)

    by_browser = builder.stream("actions", key=str, value=object).group_by_key()
    actions = {
        "table": lambda: _all(builder, by_browser),
        "global": lambda: _all_with_global(builder, by_browser),
        "windowed": lambda: _in_windows(builder, by_browser, size_ms, advance_ms, grace_ms),
    }[kind]()
    actions.filter(are_suspect).map_values(BrowserActions.request).to("captcha-requests")


def _all(builder: TopologyBuilder, by_browser: GroupedStream[str, object]) -> Stream[str, BrowserActions]:
    counts = by_browser.count(store=_ACTIONS).map_values(BrowserActions)
    solved = builder.table("captchas-solved", key=str, value=dict, store=_SOLVED)
    return counts.left_join(solved, BrowserActions.joined).to_stream()


def _all_with_global(builder: TopologyBuilder, by_browser: GroupedStream[str, object]) -> Stream[str, BrowserActions]:
    solved = builder.global_table("captchas-solved", key=str, value=dict, store=_SOLVED)
    counts = by_browser.count(store=_ACTIONS).to_stream().map_values(BrowserActions)
    return counts.left_join(solved, BrowserActions.joined, key_selector=_browser)


def _in_windows(
    builder: TopologyBuilder, by_browser: GroupedStream[str, object], size_ms: int, advance_ms: int, grace_ms: int
) -> Stream[str, BrowserActions]:
    windows = hopping(size_ms, advance=advance_ms, grace=grace_ms)
    solved = builder.table("captchas-solved", key=str, value=dict, store=_SOLVED)
    return (
        by_browser.windowed_by(windows)
        .count(store=_ACTIONS)
        .to_stream()
        .map(_of_browser)
        .left_join(solved, BrowserActions.joined, name="by-browser")
    )


def _browser(browser: str, _actions: BrowserActions) -> str:
    return browser


def _of_browser(windowed: Windowed[str], count: int) -> tuple[str, BrowserActions]:
    return windowed.key, BrowserActions(count, window=TimeSpan(*windowed.window))
