"""The flow clickstream: what users do, with who they are and what they searched for."""

from typing import Any

from eddyline import Stream, Table, TopologyBuilder, join_windows
from eddyline.application.samples.clickstream import lenient as written
from eddyline.domain.clickstream import Activity, Click, Profile, Search


def clickstream(
    builder: TopologyBuilder,
    *,
    before_ms: int = 1_000,
    after_ms: int = 1_000,
    grace_ms: int = 0,
    emit_interval_ms: int = 0,
    lenient: bool = False,
) -> None:
    """Join clicks with the profiles and the searches of their users.

    Input: `clicks`, `profiles` and `searches`, keyed by user. Output: `user-activity`, each click with the user's current profile
    and each search from `before_ms` before the click to `after_ms` after it, or without a search once its window has closed. Late
    searches and clicks count for `grace_ms`. Closed windows are looked for at most every
    `emit_interval_ms` of wall-clock time. Clicks without a key are dropped. With `lenient`, clicks, profiles and searches may
    lack anything.
    """
    windows = join_windows(before=before_ms, after=after_ms, grace=grace_ms, emit_interval=emit_interval_ms)
    profiles: Table[str, Any] = builder.table("profiles", key=str, value=dict if lenient else Profile, store="profiles-store")
    searches: Stream[str, Any] = builder.stream("searches", key=str, value=written.Search if lenient else Search)
    clicks: Stream[str, Any] = builder.stream("clicks", key=str, value=written.Click if lenient else Click)
    activity = written.activity if lenient else Activity.of_click
    if not lenient:
        clicks = clicks.filter(_is_of_a_user, drop_reason="null-key")
    (
        clicks.left_join(profiles, activity, value=Activity, with_key=True, name="by-known-users")
        .left_join(searches, Activity.with_search, windows=windows, name="around-searches")
        .to("user-activity")
    )


def _is_of_a_user(user: str | None, _click: Click | None) -> bool:
    return user is not None
