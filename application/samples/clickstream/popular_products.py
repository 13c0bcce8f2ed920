"""The flow popular-products: alerts about pages that became popular."""

from typing import Any

from eddyline import Stream, TopologyBuilder
from eddyline.application.samples.clickstream import lenient as written
from eddyline.domain.clickstream import PageView, PageViews, PopularPage


def popular_products(builder: TopologyBuilder, *, threshold: int = 1_000, lenient: bool = False) -> None:
    """Emit an alert when a page reaches `threshold` views.

    Input: `page-views`. Output: `popular-alerts`, one alert per page, at the view that reaches the threshold. With `lenient`, a
    view that names no page is dropped.
    """

    def alert(page: str, views: int) -> Any:
        return PageViews(page, views).popularity(threshold)

    views: Stream[str, Any] = builder.stream("page-views", key=str, value=written.PageView if lenient else PageView)
    (
        views.filter(_names_a_page, drop_reason="no-page")
        .group_by(_page, key=str, name="by-page")
        .count(store="page-counts", caching=False)
        .to_stream()
        .map_values(alert, with_key=True, value=PopularPage)
        .filter(_is_alert)
        .to("popular-alerts")
    )


def _names_a_page(_user: str, view: PageView | written.PageView | None) -> bool:
    return view is not None and isinstance(view.page, str)


def _page(_user: str, view: PageView) -> str:
    return view.page


def _is_alert(_page: str, alert: PopularPage | None) -> bool:
    return alert is not None
