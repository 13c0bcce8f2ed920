"""What visitors of a site do: clicks, searches and views of pages."""

from eddyline.domain.clickstream.activity import Activity, Click, Profile, Search
from eddyline.domain.clickstream.page_views import PageView, PageViews, PopularPage

__all__ = ["Activity", "Click", "PageView", "PageViews", "PopularPage", "Profile", "Search"]
