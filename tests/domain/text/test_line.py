import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.text import Line


def test_words_are_returned_in_order_in_lower_case_with_repetitions() -> None:
    assert Line("Row row your BOAT, row!").words() == ["row", "row", "your", "boat", "row"]


def test_the_is_a_stop_word_in_upper_and_lower_case() -> None:
    assert Line("THE The the other").words() == ["other"]


def test_other_stop_words_can_be_chosen() -> None:
    assert Line("the row of a boat").words({"a", "of"}) == ["the", "row", "boat"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("naïve café", ["na", "ve", "caf"]),
        ("Straße STRASSE", ["stra", "e", "strasse"]),
        ("東京 tokyo 東京", ["tokyo"]),
        ("don't a_b x1", ["don", "t", "a_b", "x1"]),
    ],
)
def test_every_character_except_ascii_letters_digits_and_underscore_separates_words(text: str, found: list[str]) -> None:
    assert Line(text).words() == found


@pytest.mark.parametrize("text", ["", "   ", "?!... --- the"])
def test_a_line_may_have_no_words(text: str) -> None:
    assert Line(text).words() == []


@given(st.text())
def test_a_word_is_a_nonempty_lower_case_ascii_string(text: str) -> None:
    for word in Line(text).words():
        assert word
        assert word.isascii()
        assert word == word.lower()
        assert all(letter.isalnum() or letter == "_" for letter in word)


@given(st.lists(st.from_regex(r"[a-z0-9_]{1,8}", fullmatch=True)))
def test_words_joined_by_spaces_are_found_again(some: list[str]) -> None:
    assert Line(" ".join(some)).words(stop_words=()) == some
