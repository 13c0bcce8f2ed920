"""What a flow shows of its state and its results to people; the page of a query server draws it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from eddyline.application.topology.callables import check_result

Rows: TypeAlias = Callable[[Any, Any], Iterable[Mapping[str, object]]]
"""Returns the rows of a table for a key and a value, each by the headers of its columns."""


@dataclass(frozen=True, kw_only=True)
class ChartView:
    """A live chart of a topic that the flow writes: the values of one key, over the starts of windows, or over timestamps.

    It shows the latest records of the topic, since stores keep windows only as long as records may change them.

    Args:
        title: The title.
        topic: The topic.
        values: The lines by name, each a function that returns a number from a record's value, or None for no point.
        unit: The unit of the numbers.

    Raises:
        TopologyError: If a function of values is a coroutine function or a generator function.
    """

    title: str
    topic: str
    values: Mapping[str, Callable[[Any], float | None]]
    unit: str = ""

    def __post_init__(self) -> None:
        for name, function in self.values.items():
            check_result(f"the function of line '{name}' of view '{self.title}'", function)


@dataclass(frozen=True, kw_only=True)
class TableView:
    """A live table of a store: the latest value of each key.

    Args:
        title: The title.
        store: The store.
        rows: Returns the rows of a key and its value; by default one with the key and the fields of the value.

    Raises:
        TopologyError: If `rows` is a coroutine function.
    """

    title: str
    store: str
    rows: Rows | None = None

    def __post_init__(self) -> None:
        _check_rows(self.title, self.rows)


@dataclass(frozen=True, kw_only=True)
class FeedView:
    """The latest records of a topic that the flow writes, such as alerts.

    Args:
        title: The title.
        topic: The topic.
        rows: Returns the rows of a record's key and value; by default one with the key and the fields of the value.
        sentence: Says in words what a record's key and value mean, for the first page of a server with several flows.

    Raises:
        TopologyError: If `rows` or `sentence` is a coroutine function.
    """

    title: str
    topic: str
    rows: Rows | None = None
    sentence: Callable[[Any, Any], str] | None = None

    def __post_init__(self) -> None:
        _check_rows(self.title, self.rows)
        if self.sentence is not None:
            check_result(f"sentence= of view '{self.title}'", self.sentence)


def _check_rows(title: str, rows: Rows | None) -> None:
    if rows is not None:
        check_result(f"rows= of view '{title}'", rows, iterable=True)


View: TypeAlias = ChartView | TableView | FeedView
"""What a flow shows."""
