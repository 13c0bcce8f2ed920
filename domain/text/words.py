"""The words of a line of text."""

import re
from collections.abc import Collection

STOP_WORDS = frozenset({"the"})
"""Words that are not counted unless others are named."""

_WORD = re.compile(r"\w+", re.ASCII)


def words(line: str | None, stop_words: Collection[str] = STOP_WORDS) -> list[str]:
    """The words of a line in order, repeats included, in lower case and without stop words; no line has no words.

    A word is a run of ASCII letters, digits and underscores: every other character, é and ß among them, parts words.
    `stop_words` are compared in lower case as they stand.
    """
    if line is None:
        return []
    return [word for word in _WORD.findall(line.lower()) if word not in stop_words]
