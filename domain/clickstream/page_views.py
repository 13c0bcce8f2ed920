"""Views of pages, and the alert about a page that became popular."""

from typing import Any

from eddyline.domain.value import value


@value
class PageView:
    """A user viewed a page. `page` is whatever the sender wrote; only a string names a page."""

    page: Any = None

    @property
    def named_page(self) -> str | None:
        """The name of the page, None if the view does not name one."""
        return self.page if isinstance(self.page, str) else None


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

    def popularity(self, threshold: int) -> PopularPage | None:
        """Return the alert if the latest view made the page popular: the view that reached the threshold, none after it."""
        return PopularPage(self.page, self.views) if self.views == threshold else None
