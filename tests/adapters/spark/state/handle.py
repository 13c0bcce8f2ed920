"""A handle of Spark's state in memory: what a stage asks of it, with the types that Spark checks."""

from typing import Any

from pyspark.sql.types import StructType


class ValueState:
    """A value state: a row or nothing."""

    def __init__(self) -> None:
        self.row: tuple[Any, ...] | None = None

    def get(self) -> tuple[Any, ...] | None:
        return self.row

    def update(self, row: tuple[Any, ...]) -> None:
        self.row = row


class MapState:
    """A map state: rows by row."""

    def __init__(self) -> None:
        self.rows: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    def getValue(self, key: tuple[Any, ...]) -> tuple[Any, ...] | None:  # noqa: N802 - Spark's names
        return self.rows.get(key)

    def updateValue(self, key: tuple[Any, ...], value: tuple[Any, ...]) -> None:  # noqa: N802
        self.rows[key] = value

    def removeKey(self, key: tuple[Any, ...]) -> None:  # noqa: N802
        del self.rows[key]


class MemoryHandle:
    """The state and the timers of one task; `types` has the types of each state by name."""

    def __init__(self) -> None:
        self.header, self.chunks = ValueState(), MapState()
        self.types: dict[str, list[str]] = {}
        self.timers: list[int] = []

    def getValueState(self, name: str, schema: StructType) -> ValueState:  # noqa: N802
        self.types[name] = [schema.simpleString()]
        return self.header

    def getMapState(self, name: str, key: StructType, value: StructType) -> MapState:  # noqa: N802
        self.types[name] = [key.simpleString(), value.simpleString()]
        return self.chunks

    def listTimers(self) -> list[int]:  # noqa: N802
        return list(self.timers)

    def registerTimer(self, due: int) -> None:  # noqa: N802
        assert due not in self.timers
        self.timers.append(due)

    def deleteTimer(self, due: int) -> None:  # noqa: N802
        self.timers.remove(due)
