"""A console on which records, names and errors cannot print control characters."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from eddyline.adapters.cli.printable import printable


class SafeConsole(Console):
    """A console that prints what it is given without control characters; only its own layout uses them."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the text as it is laid out."""
        return super().render_str(printable(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return the segments of what is printed."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))
