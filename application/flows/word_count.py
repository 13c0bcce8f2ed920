"""Counts how often each word occurs in lines of text."""

from collections.abc import Sequence

from eddyline.application.topology import TopologyBuilder
from eddyline.domain.words import words


def word_count(builder: TopologyBuilder, *, stop_words: Sequence[str] = ("the",)) -> None:
    """Lines of text in, the count of each word out, in lower case and without the stop words."""
    left_out = frozenset(stop_words)

    def words_of(line: str) -> list[str]:
        return words(line, left_out)

    def word(_key: str, value: str) -> str:
        return value

    (
        builder.stream("text-lines", key=str, value=str)
        .flat_map_values(words_of)
        .group_by(word)
        .count(store="word-count-store")
        .to_stream()
        .to("word-counts")
    )
