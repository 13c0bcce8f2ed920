"""The flow user-360: the view of each user from all sides, minute by minute."""

from eddyline import TopologyBuilder, Windowed, tumbling
from eddyline.domain.clickstream import Click, Profile, Search, UserMinute, UserView


def user_360(builder: TopologyBuilder, *, window_ms: int = 60_000, grace_ms: int = 10_000) -> None:
    """Show who each user is and what it clicked and searched in each minute.

    Input: `clicks`, `searches` and `profiles`, keyed by user. Output: `user-minutes`, the minute of the user so far with its
    current profile, at every click and search. A minute is `window_ms` long; late clicks and searches count for `grace_ms`.
    """
    profiles = builder.table("profiles", key=str, value=Profile, store="profiles-store")
    clicks = builder.stream("clicks", key=str, value=Click).filter(_is_something, drop_reason="null-value").group_by_key()
    searches = builder.stream("searches", key=str, value=Search).filter(_is_something, drop_reason="null-value").group_by_key()
    (
        clicks.cogroup(UserMinute.clicked)
        .cogroup(searches, UserMinute.searched)
        .windowed_by(tumbling(window_ms, grace=grace_ms))
        .aggregate(UserMinute, store="user-minutes-store")
        .to_stream()
        .map(_by_user)
        .left_join(profiles, UserView.with_profile, name="by-user")
        .to("user-minutes")
    )


def _is_something(_user: str, done: Click | Search | None) -> bool:
    return done is not None


def _by_user(windowed: Windowed[str], minute: UserMinute) -> tuple[str, UserView]:
    return windowed.key, minute.of_user(windowed.key, windowed.window.start)
