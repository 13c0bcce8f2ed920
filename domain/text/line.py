"""A line of text and the words in it."""

import re
from collections.abc import Collection

from eddyline.domain.value import value

STOP_WORDS = frozenset({"the"})
"""The words that are not counted by default."""

_WORD = re.compile(r"\w+", re.ASCII)


@value
class Line:
    """A line of text."""

    text: str

    def words(self, stop_words: Collection[str] = STOP_WORDS) -> list[str]:
        """Return the words of the line in order, repetitions included, in lower case and without stop words.

        A word is a run of ASCII letters, digits and underscores; every other character, such as é or ß, separates words.
        Words are compared with `stop_words` in lower case.
        """
        return [word for word in _WORD.findall(self.text.lower()) if word not in stop_words]
