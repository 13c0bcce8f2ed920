"""Words in lines of text."""

from eddyline.domain.text.words import STOP_WORDS, words

__all__ = ["STOP_WORDS", "words"]
