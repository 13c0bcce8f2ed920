"""Tells what users do: each click with who clicked and what was searched for around that time."""

from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.windows import join_windows
from eddyline.domain.clickstream import Activity, Click, Search


def clickstream(
    builder: TopologyBuilder,
    *,
    before_ms: int = 1_000,
    after_ms: int = 1_000,
    grace_ms: int = 0,
    emit_interval_ms: int = 0,
) -> None:
    """Clicks, profiles and searches in, all by user; every click out, joined with the searches within its window or with none."""
    windows = join_windows(before=before_ms, after=after_ms, grace=grace_ms, emit_interval=emit_interval_ms)
    profiles = builder.table("profiles", key=str, value=dict, store="profiles-store")
    searches = builder.stream("searches", key=str, value=Search)
    (
        builder.stream("clicks", key=str, value=Click)
        .left_join(profiles, Activity.of_click, with_key=True, name="by-known-users")
        .left_join(searches, Activity.with_search, windows=windows, name="around-searches")
        .to("user-activity")
    )
