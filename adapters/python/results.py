"""What a run in Python has written, as records, data frames and plots."""

import shutil
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eddyline.adapters.container import Container
from eddyline.adapters.python.frames import frame_of
from eddyline.adapters.python.state import ApplicationState, StoreState
from eddyline.adapters.wiring.extras import extra
from eddyline.application.operations.dead_letter_log import DeadLetterLog
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.runtime.input.offsets import batches_of
from eddyline.application.runtime.plan.dead_letters import holds_dead_letters
from eddyline.application.runtime.plan.topic_types import codec_type
from eddyline.application.runtime.progress.report import RunReport
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import listed
from eddyline.application.topology.graph import TopicSpec
from eddyline.application.topology.processor import Record
from eddyline.application.topology.types import UNKNOWN
from eddyline.application.topology.windows import Windowed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_WINDOW_START: Final = "window_start"


class FlowResult:
    """What a flow has made of its sources: the records of the topics that it writes, its state, and what it did not process.

    Attributes:
        topics: The topics that it writes.
        records_in: The number of records that it has read.
        drops: The number of records that were dropped, by operator and reason.
    """

    def __init__(
        self, topology: Topology, application_id: str, container: Container, report: RunReport, folder: Path | None
    ) -> None:
        log = container.log()
        specs = {spec.name: spec for spec in topology.sink_topics}
        chosen = [topic for topic in report.written if topic not in specs and not holds_dead_letters(topic)]
        self._specs = {**specs, **{topic: TopicSpec(topic, UNKNOWN, UNKNOWN) for topic in chosen}}
        self.topics: Sequence[str] = tuple(self._specs)
        self.records_in = report.records
        self.drops: Mapping[tuple[str, str], int] = dict(report.drops)
        self._log, self._codecs = log, container.codecs().configured(topology.type_choices)
        self._letters = DeadLetterLog(log, application_id)
        follower = container.changelog_follower(topology, application_id)
        self._state = ApplicationState(container.state_queries(follower=follower), follower, container)
        if folder is not None:
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    def __repr__(self) -> str:
        """Return how many records were read and written."""
        written = ", ".join(f"{self._count(topic)} in '{topic}'" for topic in self.topics) or "none"
        dropped = f", {sum(self.drops.values())} dropped" if self.drops else ""
        return f"<FlowResult: {self.records_in} records read{dropped}; written: {written}>"

    def records(self, topic: str | None = None) -> list[Record[Any, Any]]:
        """Return the records of a topic, partition by partition, in the order in which they were written.

        The topic may be omitted if it is the only one that the flow writes.

        Raises:
            LookupError: the flow does not write the topic, or it is not the only one.
        """
        spec = self._spec(topic)
        key = self._codecs.for_key(spec.name, codec_type(spec.key_type))
        value = self._codecs.for_value(spec.name, codec_type(spec.value_type))
        return [
            Record(key.decode(each.key, each.headers), value.decode(each.value, each.headers), each.timestamp, each.headers)
            for each in self._stored(spec.name)
        ]

    def frame(self, topic: str | None = None) -> "pd.DataFrame":
        """Return the records of a topic as a data frame, a row for each.

        A dataclass has a column for each field: `key.shop`, `value.count`. Times are UTC: `timestamp`, and `window_start` and
        `window_end` of windowed keys. The frame can be the source of another run.

        Raises:
            LookupError: as `records`.
            MissingExtraError: pandas is not installed.
        """
        names = self._codecs.shown_names(self._spec(topic).name)
        return frame_of([_row(record) for record in self.records(topic)], names)

    def plot(
        self,
        topic: str | None = None,
        *,
        x: str | None = None,
        y: str | Sequence[str] | None = None,
        by: str | None = None,
        **options: Any,
    ) -> "Axes":
        """Plot the records of a topic with matplotlib, a line for each key; of several records with the same x, the last.

        Args:
            topic: The topic; it may be omitted if it is the only one.
            x: The column of the frame on the horizontal axis; by default the start of the windows, or else the timestamp.
            y: The columns of the values; by default all numbers among them.
            by: The column by which lines differ; by default the key.
            options: What `DataFrame.plot` takes, such as `kind="area"` or `ax=axes`.

        Raises:
            LookupError: as `records`, or there is no such column.
            ValueError: none of the values is a number.
            MissingExtraError: pandas or matplotlib is not installed.
        """
        with extra("notebook"):
            import matplotlib.pyplot as plt  # noqa: F401, PLC0415 - the library of an extra
        frame = self.frame(topic)
        across = x or (_WINDOW_START if _WINDOW_START in frame else "timestamp")
        lines = by or ("key" if "key" in frame else next(name for name in frame if str(name).startswith("key.")))
        values = [y] if isinstance(y, str) else list(y or _numbers(frame))
        missing = [name for name in (across, lines, *values) if name not in frame]
        if missing:
            raise LookupError(f"the records have no column '{missing[0]}'; choose one of: {listed(map(str, frame.columns))}")
        if not values:
            raise ValueError(f"no value of topic '{self._spec(topic).name}' is a number; name columns as y")
        shown = values if len(values) > 1 else values[0]
        wide = frame.pivot_table(index=across, columns=lines, values=shown, aggfunc="last", dropna=False)
        labels = {"title": self._spec(topic).name, "ylabel": ", ".join(name.removeprefix("value.") for name in values)}
        axes: Axes = wide.plot(**{**labels, **options})
        return axes

    def store(self, name: str | None = None) -> StoreState:
        """Return a state store at the end of the run; the name may be omitted if there is one only. See `StoreState`.

        Raises:
            QueryError: there is no such store.
        """
        return self._state.store(name)

    def dead_letters(self) -> "pd.DataFrame":
        """Return the records that could not be decoded as a data frame, with their topic, position and the reason.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        with extra("notebook"):
            import pandas as pd  # noqa: PLC0415 - the library of an extra
        rows = [
            (why.topic, why.partition, why.offset, why.exception, why.message, record.key, record.value)
            for _, record, why in self._letters
        ]
        return pd.DataFrame(rows, columns=["topic", "partition", "offset", "exception", "message", "key", "value"])

    def _spec(self, topic: str | None) -> TopicSpec:
        if topic is None and len(self.topics) == 1:
            return self._specs[self.topics[0]]
        if topic in self._specs:
            return self._specs[topic]
        problem = "name a topic" if topic is None else f"the flow does not write topic '{topic}'"
        raise LookupError(f"{problem}; it writes: {listed(self.topics)}")

    def _stored(self, topic: str) -> list[LogRecord]:
        if topic not in self._log.topics():
            return []
        partitions = range(self._log.partitions(topic))
        return [record for number in partitions for batch in batches_of(self._log, topic, number) for record in batch]

    def _count(self, topic: str) -> int:
        bounds = self._log.topic_bounds([topic])[topic] if topic in self._log.topics() else ()
        return sum(end - begin for begin, end in bounds)


def _numbers(frame: "pd.DataFrame") -> list[str]:
    """Return the columns of values that are numbers."""
    found = frame.select_dtypes("number").columns
    return [name for name in map(str, found) if name == "value" or name.startswith("value.")]


def _row(record: Record[Any, Any]) -> StoreRow:
    if isinstance(record.key, Windowed):
        return StoreRow(record.key.key, record.value, record.key.window, record.timestamp)
    return StoreRow(record.key, record.value, None, record.timestamp)
