import re
from collections import Counter
from itertools import pairwise

from eddyline.application.samples.simulation.events import START_MS
from tests.samples.simulated import simulate

LINES = 5_000


def test_the_number_of_lines_is_the_configured_one_and_lines_have_no_key() -> None:
    assert [event.key for event in simulate("word-count", lines=7)] == [None] * 7


def test_a_line_has_three_to_twelve_words() -> None:
    lengths = Counter(len(event.value.removesuffix(" ...").split(" ")) for event in simulate("word-count", lines=LINES))
    assert set(lengths) == set(range(3, 13))
    assert min(lengths.values()) > LINES / 10 * 0.8


def test_a_line_begins_with_a_capital_letter_and_may_end_with_punctuation() -> None:
    lines = [event.value for event in simulate("word-count", lines=LINES)]
    assert all(line[0].isupper() and line[1:] == line[1:].lower() for line in lines)
    ends = Counter(re.sub(r"^[\w ]*\w", "", line) for line in lines)
    assert set(ends) == {".", "!", "?", " ...", ""}
    assert ends["."] > 1.7 * ends["!"]


def test_the_most_frequent_word_is_twice_as_frequent_as_the_second() -> None:
    words = Counter(word.strip(".!?") for event in simulate("word-count", lines=LINES) for word in event.value.lower().split())
    (first, most), (second, fewer) = [pair for pair in words.most_common(3) if pair[0]][:2]
    assert (first, second) == ("the", "stream")
    assert 1.8 < most / fewer < 2.2
    assert words["naïve"] > 0


def test_the_time_between_lines_is_less_than_half_a_second() -> None:
    at = [event.timestamp for event in simulate("word-count", lines=LINES)]
    gaps = [later - earlier for earlier, later in pairwise(at)]
    assert at[0] == START_MS
    assert (min(gaps), max(gaps)) == (1, 400)
