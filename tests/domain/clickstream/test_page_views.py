import pytest

from eddyline.domain.clickstream import PageView, becomes_popular


def test_a_view_names_its_page_even_an_empty_one() -> None:
    assert [PageView("home").named_page, PageView("").named_page] == ["home", ""]


@pytest.mark.parametrize("page", [None, 7, 1.5, True, ["home"], {"home": 1}])
def test_only_text_names_a_page(page: object) -> None:
    assert PageView(page).named_page is None


def test_a_page_becomes_popular_at_the_threshold_only() -> None:
    assert [views for views in range(10) if becomes_popular(views, 3)] == [3]
