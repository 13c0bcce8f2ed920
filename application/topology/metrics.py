"""Metrics of a user's own processors: counters, gauges, and sensors for sizes and durations.

They are counted for each task and shown with the metrics of the run. They are no state: they begin with the run, and what a
failed record or a repeated batch has counted stays counted.
"""

import math
import re
from typing import Final, Literal, NamedTuple, TypeAlias

from eddyline.application.topology.errors import listed

MetricKind: TypeAlias = Literal["counter", "gauge", "sensor"]

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_RESERVED: Final = ("total", "count", "sum", "max", "bucket", "created", "info")
_MOST: Final = 100


class MetricValue(NamedTuple):
    """What a metric has counted.

    Attributes:
        kind: The kind of the metric.
        value: The sum of what was added or recorded; of a gauge the value that was set last.
        number: How often it was added to, set or recorded.
        most: The greatest value that a sensor has recorded; None for other metrics.
    """

    kind: MetricKind
    value: float = 0
    number: int = 0
    most: float | None = None

    def and_then(self, later: "MetricValue") -> "MetricValue":
        """Return both together, as if the same metric had counted both."""
        if self.kind == "gauge":
            return later._replace(number=self.number + later.number)
        most = max((most for most in (self.most, later.most) if most is not None), default=None)
        return MetricValue(self.kind, self.value + later.value, self.number + later.number, most)


class Counter:
    """Counts what only grows, such as rejected orders."""

    def __init__(self, label: str, found: "_Found") -> None:
        self._label, self._found = label, found

    def add(self, amount: float = 1) -> None:
        """Add an amount. Raises ValueError if it is negative or not finite."""
        amount = _checked(self._label, amount)
        if amount < 0:
            raise ValueError(f"{self._label}: {amount!r} is negative; a counter only grows, so use a gauge")
        self._found.value += amount
        self._found.number += 1


class Gauge:
    """Shows a value that rises and falls, such as the number of open orders."""

    def __init__(self, label: str, found: "_Found") -> None:
        self._label, self._found = label, found

    def set(self, value: float) -> None:
        """Set the value. Raises ValueError if it is not finite."""
        self._found.value = _checked(self._label, value)
        self._found.number += 1


class Sensor:
    """Records sizes or durations, such as the seconds that a request took: their number, sum and greatest.

    Rates and means follow from number and sum. It measures no time itself.
    """

    def __init__(self, label: str, found: "_Found") -> None:
        self._label, self._found = label, found

    def record(self, value: float) -> None:
        """Record a value. Raises ValueError if it is not finite."""
        found, value = self._found, _checked(self._label, value)
        found.value += value
        found.number += 1
        found.most = value if found.most is None or value > found.most else found.most


class Metrics:
    """The metrics of a processor, by name; create them in `init`, and keep what is returned.

    A name has lowercase letters, digits and underscores. The metrics of a run are named after it:
    `eddyline_processor_<name>`, with labels for the processor and the task.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._found: dict[str, _Found] = {}

    def counter(self, name: str) -> Counter:
        """Return the counter of this name, which is created if it is missing. Raises ValueError for an invalid name."""
        return Counter(*self._of(name, "counter"))

    def gauge(self, name: str) -> Gauge:
        """Return the gauge of this name, which is created if it is missing. Raises ValueError for an invalid name."""
        return Gauge(*self._of(name, "gauge"))

    def sensor(self, name: str) -> Sensor:
        """Return the sensor of this name, which is created if it is missing. Raises ValueError for an invalid name."""
        return Sensor(*self._of(name, "sensor"))

    def take(self) -> dict[str, MetricValue]:
        """Return what was counted since the last call, by name; nothing of metrics that have not counted."""
        taken = {name: MetricValue(found.kind, found.value, found.number, found.most) for name, found in self._found.items()}
        for found in self._found.values():
            found.value, found.number, found.most = 0, 0, None
        return {name: value for name, value in taken.items() if value.number}

    def _of(self, name: str, kind: MetricKind) -> tuple[str, "_Found"]:
        label = f"metric {name!r} of processor '{self._owner}'"
        if not _NAME.fullmatch(name):
            raise ValueError(f"{label}: a name begins with a lowercase letter and has lowercase letters, digits and underscores")
        if name.rpartition("_")[2] in _RESERVED:
            raise ValueError(f"{label}: Prometheus appends endings such as {listed(_RESERVED)}; choose a name without one")
        found = self._found.get(name)
        if found is None:
            if len(self._found) >= _MOST:
                raise ValueError(f"{label}: the processor has {_MOST} metrics already; names must not depend on records")
            found = self._found[name] = _Found(kind)
        if found.kind != kind:
            raise ValueError(f"{label} is a {found.kind}, not a {kind}; choose another name")
        return label, found


class _Found:
    """What a metric has counted since the last report."""

    __slots__ = ("kind", "most", "number", "value")

    def __init__(self, kind: MetricKind) -> None:
        self.kind, self.number = kind, 0
        self.value: float = 0
        self.most: float | None = None


def _checked(label: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{label}: {value!r} is no finite number")
    return value
