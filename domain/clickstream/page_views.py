"""Views of pages, and the alert about a page that became popular."""

from eddyline.domain.value import at_least, not_empty, value


@value
class PageView:
    """A user viewed a page."""

    page: str

    def __post_init__(self) -> None:
        not_empty(page=self.page)


@value
class PopularPage:
    """The alert that a page became popular, with its number of views."""

    page: str
    views: int


@value
class PageViews:
    """The number of views of one page."""

    page: str
    views: int

    def __post_init__(self) -> None:
        at_least(0, views=self.views)

    def popularity(self, threshold: int) -> PopularPage | None:
        """Return the alert if the latest view made the page popular: the view that reached the threshold, none after it."""
        return PopularPage(self.page, self.views) if self.views == threshold else None
