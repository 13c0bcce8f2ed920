"""Tells when a page has been seen so often that it is popular."""

from eddyline.application.topology import TopologyBuilder
from eddyline.domain.page_views import PageView, PopularPage, becomes_popular


def popular_products(builder: TopologyBuilder, *, threshold: int = 1_000) -> None:
    """Views in; out, one alert a page, at the view that reaches the threshold."""

    def reaches_threshold(_page: str, views: int) -> bool:
        return becomes_popular(views, threshold)

    (
        builder.stream("page-views", key=str, value=PageView)
        .filter(_names_a_page)
        .group_by(_page, key=str, name="by-page")
        .count(store="page-counts", caching=False)
        .to_stream()
        .filter(reaches_threshold)
        .map_values(PopularPage, with_key=True)
        .to("popular-alerts")
    )


def _names_a_page(_user: str, view: PageView | None) -> bool:
    return view is not None and view.named_page is not None


def _page(_user: str, view: PageView) -> str:
    return view.named_page or ""
