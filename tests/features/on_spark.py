"""Takes stories through Spark: those of one flow and the same settings in one query, a story a partition."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from eddyline.adapters.cli.replay.result import Encoder
from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.adapters.spark.failures import EngineError
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.options import LogClock, RunOptions, RunPorts
from eddyline.application.runtime.store_rows import StoreRow, rows_of
from eddyline.application.runtime.task_stores import store_types
from eddyline.application.topology import Topology
from tests.features.logs import APPLICATION_ID, CLOCK, Feed, dead_letters, emitted
from tests.features.running import Document, RestartStep, Story


class Stories:
    """The stories that are known to come, and what came of those that have been run.

    Starting a query costs more than anything that a story does in it, so a story that is asked for takes along all others of
    its flow and settings. Each has a partition, and so tasks, stores and a stream time, of its own; but a global table is one
    for all partitions, so stories with one are run by themselves.
    """

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Story]] = {}
        self._documents: dict[str, Document] = {}

    def expect(self, story: Story) -> None:
        """Tells of a story that will be asked for."""
        if any(spec.global_ for spec in story.topology().source_topics):
            return
        self._known.setdefault(story.company, {})[repr(story)] = story

    def told(self, story: Story, session: SparkSession) -> Document:
        """What came of the story. When it cannot be run with others it is run by itself, so that none fails for another."""
        name = repr(story)
        if name not in self._documents:
            company = {name: story, **self._known.pop(story.company, {})}
            try:
                documents = on_spark(list(company.values()), session)
            except EngineError:
                if len(company) == 1:
                    raise
                company, documents = {name: story}, on_spark([story], session)
            self._documents.update(zip(company, documents, strict=True))
        return self._documents[name]


def on_spark(stories: Sequence[Story], session: SparkSession) -> list[Document]:
    """What came of each of these stories of one flow and the same settings.

    All are fed up to their first restart, then all up to their second: the query is started as often as the story that has most.
    """
    topology, codecs, log, read_model = stories[0].topology(), JsonCodecs(), MemoryEventLog(), MemoryReadModel()
    feed = Feed(log, stories, topology, codecs)
    left = [enumerate(story.steps) for story in stories]
    with tempfile.TemporaryDirectory(prefix="eddyline-scenarios-") as folder:
        for _ in range(max(story.runs() for story in stories)):
            for number, steps in enumerate(left):
                for index, step in steps:
                    if isinstance(step, RestartStep):
                        break
                    feed.add(number, index, step)
            SparkEngine(
                topology,
                RunPorts(log, FileEventSink(Path(folder, "out")), codecs, MemoryStateStores()),
                RunOptions(
                    application_id=APPLICATION_ID,
                    emit="every-update",
                    order="arrival",
                    clock=LogClock(CLOCK),
                    keep_partition=True,
                    new_topic_partitions=len(stories),
                ),
                checkpoint_dir=Path(folder, "checkpoint"),
                read_model=read_model,
                session=session,
            ).run_available_now()
        results, encoder = FileEventLog(Path(folder, "out")), Encoder(topology, codecs)
        return [
            {
                **encoder.document(emitted(results, number, topology, codecs), _stores(read_model, number, topology, codecs)),
                "dead_letters": dead_letters(results, number),
            }
            for number in range(len(stories))
        ]


def _stores(read_model: MemoryReadModel, number: int, topology: Topology, codecs: JsonCodecs) -> dict[str, list[StoreRow]]:
    changed = set(read_model.stores())
    found: dict[str, list[StoreRow]] = {}
    for name, spec in topology.stores.items():
        if spec.queryable:
            key, value = (codecs.for_state(kind).decode for kind in store_types(spec))
            entries = read_model.entries(name) if name in changed else ()
            own = (StoreChange(key(entry.key), value(entry.value)) for entry in entries if entry.partition == number)
            found[name] = rows_of(spec, own)
    return found
