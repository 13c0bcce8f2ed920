"""The flow search-results: what searches lead to, and the clicks per page and zip code."""

from eddyline import FlowSettingError, TopologyBuilder, join_windows
from eddyline.domain.clickstream import Activity, Click, Profile, QueryClicks, QueryResults, Search, SearchResult


def search_results(builder: TopologyBuilder, *, after_ms: int = 30_000, grace_ms: int = 0, most: int = 10) -> None:
    """List which pages users open after each search query, and count the clicks per page and zip code.

    Input: `searches`, `clicks` and `profiles`, keyed by user. Output: `results-per-query`, the `most` pages that were opened most
    within `after_ms` after a search by the same user, and how many searches were followed by no click; `clicks-per-page` and
    `clicks-per-zip-code`, by the user's current profile. Late searches and clicks count for `grace_ms`.
    """
    if most < 1:
        msg = f"setting 'most' of flow 'search-results' is {most}; choose 1 or more"
        raise FlowSettingError(msg)

    def results(query: str, clicks: QueryClicks) -> QueryResults:
        return clicks.results(query, most)

    profiles = builder.table("profiles", key=str, value=Profile, store="profiles-store")
    searches = builder.stream("searches", key=str, value=Search)
    clicks = builder.stream("clicks", key=str, value=Click).filter(_is_of_a_user, drop_reason="null-key")
    (
        searches.left_join(
            clicks, SearchResult.of, windows=join_windows(before=0, after=after_ms, grace=grace_ms), name="clicked"
        )
        .group_by(_query, name="by-query")
        .aggregate(QueryClicks, QueryClicks.add, merge=QueryClicks.merge, store="query-clicks")
        .to_stream()
        .map_values(results, with_key=True)
        .to("results-per-query")
    )
    (clicks.group_by(_page, name="by-page").count(store="page-clicks").to_stream().to("clicks-per-page"))
    (
        clicks.left_join(profiles, Activity.of_click, value=Activity, with_key=True, name="by-known-users")
        .filter(_has_zip_code, drop_reason="no-zip-code")
        .group_by(_zip_code, name="by-zip-code")
        .count(store="zip-code-clicks")
        .to_stream()
        .to("clicks-per-zip-code")
    )


def _is_of_a_user(user: str | None, click: Click | None) -> bool:
    return user is not None and click is not None


def _query(_user: str, result: SearchResult) -> str:
    return result.query


def _page(_user: str, click: Click) -> str:
    return click.page


def _has_zip_code(_user: str, activity: Activity) -> bool:
    return activity.zipcode != ""


def _zip_code(_user: str, activity: Activity) -> str:
    return activity.zipcode
