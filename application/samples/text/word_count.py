"""The flow word-count: how often each word occurs."""

from collections.abc import Sequence

from eddyline import TopologyBuilder
from eddyline.domain.text import Line


def word_count(builder: TopologyBuilder, *, stop_words: Sequence[str] = ("the",)) -> None:
    """Count how often each word occurs in lines of text.

    Input: `text-lines`. Output: `word-counts`, the count of each word in lower case, without `stop_words`, at every update.
    """
    not_counted = frozenset(stop_words)

    def words(line: str) -> list[str]:
        return Line(line).words(not_counted)

    (
        builder.stream("text-lines", key=str, value=str)
        .filter(_is_line, drop_reason="null-value")
        .flat_map_values(words)
        .group_by(_word)
        .count(store="word-count-store")
        .to_stream()
        .to("word-counts")
    )


def _is_line(_key: str, line: str | None) -> bool:
    return line is not None


def _word(_key: str, word: str) -> str:
    return word
