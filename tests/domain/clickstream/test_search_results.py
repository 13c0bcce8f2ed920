from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.clickstream import Click, PageClicks, QueryClicks, QueryResults, Search, SearchResult

results = st.lists(st.builds(SearchResult, st.just("q"), st.sampled_from(["/a", "/b", None])))


def clicks_of(some: list[SearchResult]) -> QueryClicks:
    return reduce(QueryClicks.add, some, QueryClicks())


def test_queries_are_the_same_whatever_their_case_and_spaces_are() -> None:
    found = {SearchResult.of(Search(terms), Click("u", "/a")).query for terms in ("red shoes", " Red  SHOES ")}
    assert found == {"red shoes"}


@given(results, results)
def test_the_clicks_of_parts_are_those_of_the_whole(some: list[SearchResult], others: list[SearchResult]) -> None:
    assert clicks_of(some).merge(clicks_of(others)) == clicks_of(some + others)


def test_the_best_pages_come_first() -> None:
    clicks = QueryClicks({"/b": 1, "/a": 1, "/c": 3}, without_click=2)
    assert clicks.results("q", 2) == QueryResults("q", 5, 2, (PageClicks("/c", 3), PageClicks("/a", 1)))
