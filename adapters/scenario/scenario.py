"""A scenario: what arrives at a topology and what comes out of it, as tables of text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from eddyline.adapters.scenario.cells import as_text, assemble, matches
from eddyline.adapters.scenario.columns import Columns, TextTable, headers_of, is_time, part_of, paths_of, rows_of
from eddyline.adapters.scenario.errors import TextTableError
from eddyline.adapters.scenario.times import milliseconds
from eddyline.application.ports.key_order import key_order
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import listed
from eddyline.application.topology.nodes import SinkNode
from eddyline.application.topology.records import Headers

_NOTHING: Mapping[str, Any] = {}


class OutputRecord(Protocol):
    """A record that a topology wrote to a topic; `Output` is one."""

    @property
    def key(self) -> Any:
        """The key; a `Windowed` if the stream comes from a windowed table."""

    @property
    def value(self) -> Any:
        """The value, None for a tombstone."""

    @property
    def timestamp(self) -> int:
        """The event time in ms since the epoch."""

    @property
    def headers(self) -> Headers:
        """The headers in order, pairs of a name and bytes or None."""


class ScenarioEngine(Protocol):
    """What a scenario needs of an engine; `MemoryEngine` is one."""

    @property
    def topology(self) -> Topology:
        """The topology that the engine runs."""

    def pipe(self, topic: str, key: Any, value: Any, timestamp: int, headers: Headers = ()) -> None:
        """Process one record."""

    def advance_wall_clock(self, by_ms: int) -> None:
        """Advance the wall clock."""

    def outputs(self, topic: str) -> Sequence[OutputRecord]:
        """Return all records written to a topic, in order."""

    def store(self, name: str) -> Sequence[StoreRow]:
        """Return the rows of a store."""


class Scenario:
    """Tables of text for an engine: pipes their rows as typed records, and returns results as tables.

    The header of a column is `key`, `time`, `window start`, `window end`, or the name of a field of the value, in which a space
    stands for an underscore. `columns` maps any other header to a path such as `key`, `value.min_price` or `headers.trace`, or to
    several that share the cell. A path without one of these roots, such as `min_price`, leads to a field of the value.

    Cells are read by the types of the topology. A time is ISO 8601 with its UTC offset, or a duration since the epoch (`12 s`,
    `1.5 min`); numbers may be written in this way as well, and are milliseconds then. Elements of a list are separated by commas.
    A cell may also be the value itself instead of text.

    Example:
        ```python
        COLUMNS = {"ticker": ("key", "value.ticker"), "trades": "count_trades", "lowest": "min_price"}
        trades = [["ticker", "price", "time"], ["IBM", "90", "9 s"], ["IBM", "100", "12 s"]]
        expected = [["window start", "trades", "lowest"], ["8 s", "2", "90.00"]]

        scenario = Scenario(MemoryEngine(flow.topology(), emit="every-update"))
        scenario.pipe("trades", trades, columns=COLUMNS, constants={"type": "ASK", "size": 100})

        window = {"ticker": "IBM", "window start": "8 s"}
        assert scenario.latest("stock-stats", like=expected, columns=COLUMNS, where=window) == expected
        ```

        The table of a pytest-bdd step is such a table:

        ```python
        @then("the statistics are")
        def statistics_are(scenario, datatable):
            assert scenario.outputs("stock-stats", like=datatable, columns=COLUMNS) == datatable
        ```
    """

    def __init__(self, engine: ScenarioEngine) -> None:
        self.engine = engine

    def pipe(self, topic: str, table: TextTable, *, columns: Columns = _NOTHING, constants: Mapping[str, Any] = _NOTHING) -> None:
        """Process one record for each row of a table.

        An empty cell counts as absent. A record without a time has the timestamp 0; one without a value is a tombstone.

        Args:
            topic: A topic that the topology reads.
            table: A header and rows, or one mapping from header to cell for each row.
            columns: The paths that headers stand for.
            constants: Parts that the records have in common, by path.

        Raises:
            TextTableError: The topology does not read the topic, or a column or cell does not fit its types.
        """
        topology = self.engine.topology
        types = topology.source_topic(topic)
        if types is None:
            topics = [*(spec.name for spec in topology.source_topics), *topology.source_patterns]
            raise TextTableError(f"the topology does not read topic '{topic}'; it reads: {listed(topics)}")
        for row in rows_of(table):
            parts = [(path.split("."), cell) for header, cell in row.items() for path in paths_of(header, columns)]
            parts += [(path.split("."), cell) for name, cell in constants.items() for path in paths_of(name, _NOTHING)]
            key, value, timestamp, headers = (
                [(names, cell) for (first, *names), cell in parts if first == root]
                for root in ("key", "value", "timestamp", "headers")
            )
            try:
                self.engine.pipe(
                    topic,
                    assemble(types.key_type, key),
                    assemble(types.value_type, value),
                    next((_timestamp(cell) for _, cell in timestamp if cell != ""), 0),
                    tuple((name, str(cell).encode()) for (name,), cell in headers),
                )
            except TextTableError as error:
                raise TextTableError(f"topic '{topic}': {error}") from None

    def advance_wall_clock(self, by: str | int) -> None:
        """Advance the wall clock by a duration such as `5 s`, or by milliseconds."""
        self.engine.advance_wall_clock(_timestamp(by))

    def outputs(
        self, topic: str, like: TextTable, *, columns: Columns = _NOTHING, where: Mapping[str, str] = _NOTHING
    ) -> list[list[str]]:
        """Return the records written to a topic as a table, so that it can be compared with an expected one.

        Args:
            topic: The topic.
            like: The expected table, or only its header. Values are written as the expected table writes them, `90.00` for 90.
            columns: The paths that headers stand for; of several paths, the first.
            where: Cells that a record must have to be in the table, by header.

        Returns:
            The header, then one row for each record in the order in which they were written.

        Raises:
            TextTableError: The topology does not write to the topic, or a record has no such part.
        """
        return _table(f"topic '{topic}'", self._outputs(topic), like, columns, where)

    def latest(
        self, topic: str, like: TextTable, *, columns: Columns = _NOTHING, where: Mapping[str, str] = _NOTHING
    ) -> list[list[str]]:
        """Return the last record written to a topic for each key, or for each key and window, as a table.

        The arguments are those of `outputs`. Rows are ordered by key and window. A key whose last record is a tombstone has none.
        """
        last = {repr(record.key): record for record in self._outputs(topic)}
        present = [record for record in last.values() if record.value is not None]
        present.sort(key=lambda record: key_order(record.key))
        return _table(f"topic '{topic}'", present, like, columns, where)

    def store(
        self, name: str, like: TextTable, *, columns: Columns = _NOTHING, where: Mapping[str, str] = _NOTHING
    ) -> list[list[str]]:
        """Return the rows of a store as a table, ordered by key and window; the arguments are those of `outputs`."""
        return _table(f"store '{name}'", self.engine.store(name), like, columns, where)

    def _outputs(self, topic: str) -> Sequence[OutputRecord]:
        names = [node.topic for node in self.engine.topology.nodes if isinstance(node, SinkNode)]
        static = [name for name in names if isinstance(name, str)]
        if topic not in static and len(static) == len(names):
            raise TextTableError(f"the topology does not write to topic '{topic}'; it writes to: {listed(static)}")
        return self.engine.outputs(topic)


def _table(place: str, records: Iterable[Any], like: TextTable, columns: Columns, where: Mapping[str, str]) -> list[list[str]]:
    headers = headers_of(like)
    paths = {header: paths_of(header, columns)[0] for header in (*headers, *where)}
    try:
        for header, cell in where.items():
            if is_time(paths[header]):
                _timestamp(cell)
        parts = [{header: part_of(record, path) for header, path in paths.items()} for record in records]
    except TextTableError as error:
        raise TextTableError(f"{place}: {error}") from None
    wanted = [part for part in parts if all(matches(cell, part[header]) for header, cell in where.items())]
    expected = rows_of(like)
    samples = {header: [str(row[header]) for row in expected] for header in headers}
    return [
        headers,
        *(
            [
                _cell(part[header], [*samples[header][number:], *samples[header]], time=is_time(paths[header]))
                for header in headers
            ]
            for number, part in enumerate(wanted)
        ),
    ]


def _cell(value: Any, samples: Iterable[str], *, time: bool) -> str:
    """Return the first sample that is a way to write the value; without one, the value as it is usually written."""
    return next((sample for sample in samples if matches(sample, value)), None) or as_text(value, time=time)


def _timestamp(cell: str | int) -> int:
    try:
        return milliseconds(cell) if isinstance(cell, str) else cell
    except ValueError as error:
        raise TextTableError(str(error)) from None
