"""The results of searches: which pages users open after a search, and how often none."""

from dataclasses import field

from eddyline.domain.clickstream.activity import Click, Search
from eddyline.domain.value import value


@value
class SearchResult:
    """A search, and the page that its user opened after it, None for a search after which none was opened.

    The query is what was searched for, whatever its case and its spaces are.
    """

    query: str
    page: str | None = None

    @staticmethod
    def of(search: Search, click: Click | None) -> "SearchResult":
        """Return the result of a search with a click after it, or with none."""
        return SearchResult(" ".join(search.search_terms.casefold().split()), None if click is None else click.page)


@value
class PageClicks:
    """How often a page was opened."""

    page: str
    clicks: int


@value
class QueryResults:
    """What a query led to: the number of clicks after it, its searches without any, and the pages, the most opened first."""

    query: str
    clicks: int
    without_click: int
    pages: tuple[PageClicks, ...]


@value
class QueryClicks:
    """The clicks after the searches of a query, per page. `QueryClicks()` has none; with `merge` it is a monoid."""

    pages: dict[str, int] = field(default_factory=dict)
    without_click: int = 0

    def add(self, result: SearchResult) -> "QueryClicks":
        """Return the clicks with one more result."""
        if result.page is None:
            return QueryClicks(self.pages, self.without_click + 1)
        return QueryClicks({**self.pages, result.page: self.pages.get(result.page, 0) + 1}, self.without_click)

    def merge(self, other: "QueryClicks") -> "QueryClicks":
        """Return the clicks of both."""
        summed = {page: self.pages.get(page, 0) + clicks for page, clicks in other.pages.items()}
        return QueryClicks({**self.pages, **summed}, self.without_click + other.without_click)

    def results(self, query: str, most: int) -> QueryResults:
        """Return what a query led to, with `most` pages at most; equally good ones are in the order of their names."""
        ranked = sorted(self.pages.items(), key=lambda each: (-each[1], each[0]))
        pages = tuple(PageClicks(page, clicks) for page, clicks in ranked[:most])
        return QueryResults(query, sum(self.pages.values()), self.without_click, pages)
