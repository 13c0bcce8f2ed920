"""Words in lines of text."""

from eddyline.domain.text.line import STOP_WORDS, Line

__all__ = ["STOP_WORDS", "Line"]
