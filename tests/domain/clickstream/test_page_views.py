from typing import Any

import pytest

from eddyline.domain.clickstream import PageView, PageViews, PopularPage


@pytest.mark.parametrize("page", ["", " ", None, 7, 1.5, True, ["home"], {"home": 1}])
def test_a_view_is_of_a_page(page: Any) -> None:
    with pytest.raises(ValueError, match=r"it must be a text that is not empty$"):
        PageView(page)


def test_a_page_becomes_popular_only_at_the_view_that_reaches_the_threshold() -> None:
    alerts = [PageViews("home", views).popularity(3) for views in range(10)]
    assert [alert for alert in alerts if alert is not None] == [PopularPage("home", 3)]
    assert alerts[3] is not None
