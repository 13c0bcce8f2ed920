"""The topics that the flow writes and reads: their latest records."""

from collections.abc import Sequence
from functools import partial

from eddyline.adapters.page.frame import Frame
from eddyline.adapters.page.host import in_thread
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.elements import box, link, notice
from eddyline.adapters.page.parts.tables import KEY, Cell, Column, Table, TableOfRows, value_cells, value_columns
from eddyline.application.queries.latest_records import TopicRecord
from eddyline.application.topology.types import Names

_INTERVAL_S = 2.0
_RECORDS = 30
_LONGEST_KEY = 60


async def show(frame: Frame) -> None:
    """Build the list of topics, or the latest records of the one that the address names."""
    name = frame.query.get("topic")
    if name is None:
        await frame.every(_INTERVAL_S, _TopicList(frame).refresh)
    elif name not in {*frame.flow.results.written, *frame.flow.results.read}:
        frame.heading("Topics")
        notice(f"The flow has no topic '{name}'.", "bad", role="alert")
        link("All topics", frame.href("topics"))
    else:
        await frame.every(_INTERVAL_S, _Records(frame, name).refresh)


class _TopicList:
    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        frame.heading("Topics", "The topics that the flow writes and reads. Open one to see its latest records.")
        columns = [Column("Topic"), Column("Direction"), Column("Offsets", numeric=True)]
        with box("div", "card table-card"):
            self._table = Table("The topics of the flow", columns, "None of the topics exists yet.")

    async def refresh(self) -> None:
        results = self._frame.flow.results
        sizes = await in_thread(results.sizes)
        self._table.show(
            [
                [
                    Cell(topic, href=self._frame.href("topics", topic=topic)),
                    "written" if topic in results.written else "read",
                    formats.number(count),
                ]
                for topic, count in sizes.items()
            ]
        )


class _Records:
    def __init__(self, frame: Frame, topic: str) -> None:
        self._frame, self._topic = frame, topic
        with box("nav", aria_label="Breadcrumb"):
            link("All topics", frame.href("topics"))
        frame.heading(
            topic, f"The latest {_RECORDS} records, the last first. Open one to see what it was made of, or what became of it."
        )
        self._table = TableOfRows(f"The latest records of {topic}")

    async def refresh(self) -> None:
        records = await in_thread(partial(self._frame.flow.results.latest, self._topic, _RECORDS))
        names = self._frame.flow.names_of(self._topic)
        values = [record.value for record in records]
        fields = [] if any(record.error for record in records) else formats.common_fields(values, names)
        columns = [Column("Position", tight=True), Column("Time (UTC)", tight=True), KEY, *value_columns(fields, values, names)]
        self._table.show(columns, [self._row(record, fields, names) for record in records], "The topic is empty.")

    def _row(self, record: TopicRecord, fields: Sequence[str], names: Names) -> list[Cell | str]:
        key, at = formats.shown(record.key, names), f"{record.position.partition}:{record.position.offset}"
        return [
            Cell(at, href=self._frame.href("why", topic=self._topic, at=at)),
            formats.time(record.timestamp),
            formats.shortened(key, _LONGEST_KEY),
            *([Cell(record.error, tone="bad")] if record.error else value_cells(record.value, fields, names)),
        ]
