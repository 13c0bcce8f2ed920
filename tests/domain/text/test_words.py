import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.text import words


def test_words_come_in_order_in_lower_case_with_repeats() -> None:
    assert words("Row row your BOAT, row!") == ["row", "row", "your", "boat", "row"]


def test_the_is_left_out_in_any_case_of_letters() -> None:
    assert words("THE The the other") == ["other"]


def test_other_stop_words_may_be_named() -> None:
    assert words("the row of a boat", {"a", "of"}) == ["the", "row", "boat"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("naïve café", ["na", "ve", "caf"]),
        ("Straße STRASSE", ["stra", "e", "strasse"]),
        ("東京 tokyo 東京", ["tokyo"]),
        ("don't a_b x1", ["don", "t", "a_b", "x1"]),
    ],
)
def test_every_character_outside_ascii_letters_digits_and_underscore_parts_words(line: str, found: list[str]) -> None:
    assert words(line) == found


@pytest.mark.parametrize("line", [None, "", "   ", "?!... --- the"])
def test_a_line_may_have_no_words(line: str | None) -> None:
    assert words(line) == []


@given(st.text())
def test_a_word_is_never_empty_and_all_ascii_and_lower_case(line: str) -> None:
    for word in words(line):
        assert word
        assert word.isascii()
        assert word == word.lower()
        assert all(letter.isalnum() or letter == "_" for letter in word)


@given(st.lists(st.from_regex(r"[a-z0-9_]{1,8}", fullmatch=True)))
def test_words_joined_by_blanks_come_back(some: list[str]) -> None:
    assert words(" ".join(some), stop_words=()) == some
