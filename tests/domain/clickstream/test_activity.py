from typing import Any

import pytest

from eddyline.domain.clickstream import Activity, Click, Search

PROFILE = {"userName": "Anna", "zipcode": "94302", "interests": ["Ski"]}


def test_an_activity_has_the_profile_of_the_user_and_the_terms_of_the_search() -> None:
    activity = Activity.of_click("2", Click("2", "jacket.html"), PROFILE).with_search(Search("light jacket"))
    assert activity == Activity("2", "Anna", "94302", ["Ski"], "light jacket", "jacket.html")


def test_the_user_is_the_key_of_the_click() -> None:
    assert Activity.of_click("2", Click("other", "p"), None).user_id == "2"


@pytest.mark.parametrize("profile", [None, {}, {"userName": None, "zipcode": None, "interests": None}])
def test_an_unknown_user_has_an_empty_name_and_zip_code_and_no_interests(profile: dict[str, Any] | None) -> None:
    assert Activity.of_click("9", Click("9", "p"), profile) == Activity("9", "", "", None, "", "p")


@pytest.mark.parametrize("search", [None, Search(), Search("")])
def test_the_search_term_is_empty_without_a_search_or_its_terms(search: Search | None) -> None:
    assert Activity.of_click("9", Click("9"), None).with_search(search) == Activity("9", "", "", None, "", None)
