"""What visitors of a site do: clicks, searches, and views of pages and products."""

from eddyline.domain.clickstream.activity import Activity, Click, Profile, Search
from eddyline.domain.clickstream.page_views import PageView, PageViews, PopularPage
from eddyline.domain.clickstream.product_views import ProductViews

__all__ = ["Activity", "Click", "PageView", "PageViews", "PopularPage", "ProductViews", "Profile", "Search"]
