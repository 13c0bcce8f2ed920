"""The flow popular-products: alerts about pages that became popular."""

from eddyline import TopologyBuilder
from eddyline.domain.clickstream import PageView, PageViews, PopularPage


def popular_products(builder: TopologyBuilder, *, threshold: int = 1_000) -> None:
    """Emit an alert when a page reaches `threshold` views.

    Input: `page-views`. Output: `popular-alerts`, one alert per page, at the view that reaches the threshold.
    """

    def became_popular(page: str, views: int) -> bool:
        return PageViews(page, views).popularity(threshold) is not None

    (
        builder.stream("page-views", key=str, value=PageView)
        .filter(_names_a_page, drop_reason="no-page")
        .group_by(_page, key=str, name="by-page")
        .count(store="page-counts", caching=False)
        .to_stream()
        .filter(became_popular)
        .map_values(PopularPage, with_key=True)
        .to("popular-alerts")
    )


def _names_a_page(_user: str, view: PageView | None) -> bool:
    return view is not None and view.named_page is not None


def _page(_user: str, view: PageView) -> str:
    return view.named_page or ""
