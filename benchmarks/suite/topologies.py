"""The topologies of the workloads, which write results in the form that all programs of the suite write."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from benchmarks.suite.joins import AROUND_MS
from eddyline.application.samples.clickstream.lenient import Click, Search, activity
from eddyline.application.topology import Stream, Topology, TopologyBuilder, Windowed, hopping, join_windows
from eddyline.domain.clickstream import Activity
from eddyline.domain.notifications import NOT_VIEWING, Decision, Notification, NotificationState, Notified
from eddyline.domain.trading import Trade, TradeStats
from eddyline.domain.value import value


@value
class Result:
    """Statistics of a ticker."""

    ticker: str
    min: float
    count: int
    avg: float
    start: int = 0


@value
class WordCount:
    """The count of a word."""

    ticker: str
    count: int


def topology(workload: str, source: str, sink: str, *, merge: bool) -> Topology:
    """Return the topology of a workload; without `merge` nothing is aggregated in parts.

    Args:
        workload: The name of the workload.
        source: The input topics, separated by commas.
        sink: The topic of the results.
        merge: Whether values are aggregated in parts that are merged.
    """
    builder = TopologyBuilder()
    if workload == "clickstream":
        _clickstream(builder, source.split(","), sink)
    elif workload == "notifications":
        _notifications(builder, source.split(","), sink)
    elif workload == "word-count":
        lines = builder.stream(source, key=str, value=str).flat_map_values(str.split, value=str)
        counts = lines.group_by(lambda _key, word: word, key=str, name="by-word").count(store="counts")
        counts.to_stream().map_values(WordCount, with_key=True, value=WordCount).to(sink)
    else:
        _trade_stats(builder, source, sink, merge=merge, windowed=workload == "stock-stats")
    return replace(builder.build(), type_choices={"names": "camelCase"})


def _trade_stats(builder: TopologyBuilder, source: str, sink: str, *, merge: bool, windowed: bool) -> None:
    trades = builder.stream(source, key=str, value=Trade).group_by_key()
    combine = TradeStats.merge if merge else None
    if not windowed:
        stats = trades.aggregate(TradeStats, TradeStats.aggregate, merge=combine, with_key=True, store="stats").to_stream()
        stats.map_values(_total, value=Result).to(sink)
        return
    windows = trades.windowed_by(hopping(5_000, advance=1_000, grace=0))
    found = windows.aggregate(TradeStats, TradeStats.aggregate, merge=combine, with_key=True, store="stats").to_stream()
    found.map_values(_of_window, value=Result, with_key=True).to(sink)


def _total(stats: TradeStats) -> Result:
    return Result(stats.ticker or "", stats.min_price, stats.count_trades, stats.average)


def _of_window(key: Windowed[str], stats: TradeStats) -> Result:
    return Result(stats.ticker or "", stats.min_price, stats.count_trades, stats.average, key.window.start)


def _clickstream(builder: TopologyBuilder, sources: Sequence[str], sink: str) -> None:
    """Join clicks as the sample flow `clickstream` does."""
    clicks, profiles, searches = sources
    known = builder.table(profiles, key=str, value=dict, store="profiles-store")
    searched: Stream[str, Any] = builder.stream(searches, key=str, value=Search)
    (
        builder.stream(clicks, key=str, value=Click)
        .left_join(known, activity, with_key=True, name="by-known-users")
        .left_join(
            searched,
            Activity.with_search,
            windows=join_windows(before=AROUND_MS, after=AROUND_MS, grace=0),
            name="around-searches",
        )
        .to(sink)
    )


def _notifications(builder: TopologyBuilder, sources: Sequence[str], sink: str) -> None:
    """Notify users as the sample flow `fb-notifications` does."""
    ticks, actions = sources
    last_actions = builder.table(actions, key=str, value=str, store="user-state")
    decisions = builder.stream(ticks, key=str, value=object).left_join(last_actions, _decide)
    decisions.filter(lambda _user, decision: isinstance(decision, Notified)).map_values(_notification).to(sink)


def _decide(_tick: object, last_action: str | None) -> Decision:
    return NotificationState(last_action).decide()


def _notification(_decision: Decision) -> Notification:
    return NOT_VIEWING
