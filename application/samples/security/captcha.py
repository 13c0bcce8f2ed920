"""The flow captcha: requests to solve a captcha, for browsers that act often."""

from typing import Any, Literal

from eddyline import GroupedStream, Stream, TimeWindows, TopologyBuilder, Windowed, hopping
from eddyline.domain.security import BrowserActions, SolvedCaptcha, TimeSpan

_ACTIONS, _SOLVED = "action-counts", "captchas-solved-store"


def captcha(
    builder: TopologyBuilder,
    *,
    kind: Literal["table", "windowed", "global"] = "table",
    threshold: int = 5,
    size_ms: int = 5_000,
    advance_ms: int = 2_000,
    grace_ms: int = 0,
    lenient: bool = False,
) -> None:
    """Request a captcha from browsers that act often until they have solved one.

    Input: `actions` and `captchas-solved`, keyed by browser. Output: `captcha-requests`, at every action from the `threshold` on.

    With `kind` table, all actions of a browser count, and a request is also emitted when a solved captcha is deleted. With `kind`
    global, solved captchas are looked up in a global table. With `kind` windowed, actions count per hopping window of `size_ms`
    that starts every `advance_ms`, and late ones count for `grace_ms`. With `lenient`, a solved captcha is an object of any form.
    """
    answer: Any = dict if lenient else SolvedCaptcha

    def is_challenged(_browser: str, actions: BrowserActions | None) -> bool:
        return actions is not None and actions.challenge(threshold) is not None

    by_browser = builder.stream("actions", key=str, value=object).group_by_key()
    actions = {
        "table": lambda: _in_total(builder, by_browser, answer),
        "global": lambda: _in_total_with_global_table(builder, by_browser, answer),
        "windowed": lambda: _in_windows(builder, by_browser, answer, hopping(size_ms, advance=advance_ms, grace=grace_ms)),
    }[kind]()
    actions.filter(is_challenged).map_values(BrowserActions.request).to("captcha-requests")


def _in_total(builder: TopologyBuilder, by_browser: GroupedStream[str, object], answer: Any) -> Stream[str, BrowserActions]:
    counts = by_browser.count(store=_ACTIONS).map_values(BrowserActions)
    solved = builder.table("captchas-solved", key=str, value=answer, store=_SOLVED)
    return counts.left_join(solved, BrowserActions.with_captcha).to_stream()


def _in_total_with_global_table(
    builder: TopologyBuilder, by_browser: GroupedStream[str, object], answer: Any
) -> Stream[str, BrowserActions]:
    solved = builder.global_table("captchas-solved", key=str, value=answer, store=_SOLVED)
    counts = by_browser.count(store=_ACTIONS).to_stream().map_values(BrowserActions)
    return counts.left_join(solved, BrowserActions.with_captcha, key_selector=_browser)


def _in_windows(
    builder: TopologyBuilder, by_browser: GroupedStream[str, object], answer: Any, windows: TimeWindows
) -> Stream[str, BrowserActions]:
    solved = builder.table("captchas-solved", key=str, value=answer, store=_SOLVED)
    return (
        by_browser.windowed_by(windows)
        .count(store=_ACTIONS)
        .to_stream()
        .map(_by_browser)
        .left_join(solved, BrowserActions.with_captcha, name="by-browser")
    )


def _browser(browser: str, _actions: BrowserActions) -> str:
    return browser


def _by_browser(windowed: Windowed[str], count: int) -> tuple[str, BrowserActions]:
    return windowed.key, BrowserActions(count, window=TimeSpan(*windowed.window))
