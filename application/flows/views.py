"""What a flow shows of its state and its results to people; the page of a query server draws it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from eddyline.application.topology.callables import check_result

Rows: TypeAlias = Callable[[Any, Any], Iterable[Mapping[str, object]]]
"""Returns the rows of a table for a key and a value, each by the headers of its columns.

Cells are shown in people's units: a Decimal with its digits, a timedelta as a duration, a datetime as a time in the time zone
of the reader.
"""


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
    """A live table of a store: the latest value of each key, of the first 500 keys.

    Args:
        title: The title.
        store: The store.
        rows: Returns the rows of a key, which is `Windowed` if the store has windows, and its value; by default one with the
            key and the fields of the value.
        order: Returns by what a row is sorted, such as the suspicion; by default rows are in the order of their keys.

    Raises:
        TopologyError: If `rows` or `order` is a coroutine function.
    """

    title: str
    store: str
    rows: Rows | None = None
    order: Callable[[Mapping[str, object]], Any] | None = None

    def __post_init__(self) -> None:
        _check_rows(self.title, self.rows)
        if self.order is not None:
            check_result(f"order= of view '{self.title}'", self.order)


@dataclass(frozen=True, kw_only=True)
class FeedView:
    """The latest records of a topic that the flow writes or reads, such as alerts.

    Args:
        title: The title.
        topic: The topic.
        rows: Returns the rows of a record's key and value; by default one with the sentence, or without one with the key and
            the fields of the value.
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


@dataclass(frozen=True, kw_only=True)
class DetailPart:
    """A table of a DetailView: what the store has of the subject, or the latest records of a topic that are about it.

    Of the topic, the subject is looked for in the latest 1,000 records of each partition.

    Args:
        title: The title.
        rows: Returns the rows of a key and a value.
        topic: The topic, which the flow writes or reads; by default the rows are those of the store.
        subject: Returns the key of the store that a record's key and value are about; by default the record's key.

    Raises:
        TopologyError: If `rows` or `subject` is a coroutine function.
    """

    title: str
    rows: Rows
    topic: str | None = None
    subject: Callable[[Any, Any], Any] | None = None

    def __post_init__(self) -> None:
        _check_rows(self.title, self.rows)
        if self.subject is not None:
            check_result(f"subject= of view '{self.title}'", self.subject)


@dataclass(frozen=True, kw_only=True)
class DetailView:
    """Everything about one subject that people choose, such as a guest: one of the keys of a store.

    Args:
        title: What the subject is, such as `Guest`.
        store: The store.
        parts: The tables about the subject.
    """

    title: str
    store: str
    parts: Sequence[DetailPart]


def _check_rows(title: str, rows: Rows | None) -> None:
    if rows is not None:
        check_result(f"rows= of view '{title}'", rows, iterable=True)


View: TypeAlias = ChartView | DetailView | TableView | FeedView
"""What a flow shows."""
