"""The numbers in the state of a task, in addition to its stores: cells, stream time, and the latest timestamps of stores."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from eddyline.application.operators.context import NO_TIME, Cell
from eddyline.application.ports.state_store import StateStore, StoreChange, TimedStore

NUMBERS: Final = "$cells"
"""The name under which numbers are drained and restored, in place of the name of a store."""

_STREAM_TIME: Final = "task:stream-time"
_CELL: Final = "cell:"
_NEWEST: Final = "newest:"


class TaskNumbers:
    """The cells of a task's operators; tracks which numbers of the task have changed since they were drained."""

    def __init__(self) -> None:
        self._cells: dict[str, Cell] = {}
        self._drained: dict[str, int] = {}

    def cell(self, name: str) -> Cell:
        """Return the cell of this name; its value is NO_TIME at first."""
        return self._cells.setdefault(name, Cell(NO_TIME))

    @property
    def names(self) -> Collection[str]:
        """The names of all cells."""
        return self._cells.keys()

    @property
    def cells(self) -> Collection[Cell]:
        """All cells."""
        return self._cells.values()

    def drain(self, stream_time: int, stores: Mapping[str, StateStore]) -> Iterator[StoreChange]:
        """Yield the numbers that have changed since the last call."""
        for name, value in self.current(stream_time, stores).items():
            if self._drained.get(name, NO_TIME) != value:
                self._drained[name] = value
                yield StoreChange(name, value)

    def restore(self, name: str, number: int, stores: Mapping[str, StateStore]) -> int | None:
        """Restore a drained number; return it if it is the stream time of the task."""
        self._drained[name] = number
        if name == _STREAM_TIME:
            return number
        if name.startswith(_CELL):
            self.cell(name.removeprefix(_CELL)).value = number
            return None
        store = stores.get(name.removeprefix(_NEWEST))  # the topology may have it no longer
        if isinstance(store, TimedStore):
            store.observe(number)
        return None

    def current(self, stream_time: int, stores: Mapping[str, StateStore]) -> dict[str, int]:
        """Return all numbers by name."""
        numbers = {f"{_CELL}{name}": cell.value for name, cell in self._cells.items()}
        numbers[_STREAM_TIME] = stream_time
        numbers.update({f"{_NEWEST}{name}": store.newest for name, store in stores.items() if isinstance(store, TimedStore)})
        return numbers
