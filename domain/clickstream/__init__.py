"""Clicks, searches and page views of a site's visitors."""

from eddyline.domain.clickstream.activity import Activity, Click, Profile, Search
from eddyline.domain.clickstream.page_views import PageView, PopularPage, becomes_popular

__all__ = ["Activity", "Click", "PageView", "PopularPage", "Profile", "Search", "becomes_popular"]
