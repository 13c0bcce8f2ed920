import pytest

from eddyline.domain.clickstream import PageView, PageViews, PopularPage


def test_a_view_names_its_page_even_if_the_name_is_empty() -> None:
    assert [PageView("home").named_page, PageView("").named_page] == ["home", ""]


@pytest.mark.parametrize("page", [None, 7, 1.5, True, ["home"], {"home": 1}])
def test_only_a_string_names_a_page(page: object) -> None:
    assert PageView(page).named_page is None


def test_a_page_becomes_popular_only_at_the_view_that_reaches_the_threshold() -> None:
    alerts = [PageViews("home", views).popularity(3) for views in range(10)]
    assert [alert for alert in alerts if alert is not None] == [PopularPage("home", 3)]
    assert alerts[3] is not None
