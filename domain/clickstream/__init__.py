"""What visitors of a site do: clicks, searches and views of pages."""

from eddyline.domain.clickstream.activity import Activity, Click, Profile, Search
from eddyline.domain.clickstream.page_views import PageView, PageViews, PopularPage
from eddyline.domain.clickstream.search_results import PageClicks, QueryClicks, QueryResults, SearchResult
from eddyline.domain.clickstream.user_minute import UserMinute, UserView

__all__ = [
    "Activity",
    "Click",
    "PageClicks",
    "PageView",
    "PageViews",
    "PopularPage",
    "Profile",
    "QueryClicks",
    "QueryResults",
    "Search",
    "SearchResult",
    "UserMinute",
    "UserView",
]
