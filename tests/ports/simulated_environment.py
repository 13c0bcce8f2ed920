"""An event log and an event sink on the brokers of the simulated cluster, which answer at once."""

from typing import Self

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.event_sink import EventSink
from tests.ports.environments import Environment
from tests.simulation.network import Network
from tests.simulation.patches import simulated
from tests.simulation.scheduler import Faults, Scheduler

_SETTINGS = KafkaSettings({"bootstrap.servers": "simulated"})


class SimulatedEnvironment(Environment):
    """The adapters of Kafka on simulated clients; a context, in which these take the place of the real ones."""

    earliest = 1
    unnameable = "\0"

    def __enter__(self) -> Self:
        scheduler = Scheduler(0)
        self._patches = simulated(scheduler, Network(scheduler, Faults(scheduler.random, (), limit=0)))
        self._patches.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._patches.__exit__(None, None, None)

    def log(self) -> EventLog:
        return KafkaEventLog(_SETTINGS)

    def sink(self) -> EventSink:
        return KafkaEventSink(_SETTINGS)

    def delete_topic(self, topic: str) -> None:
        Topics(_SETTINGS).delete(topic)

    def add_partitions(self, topic: str, partitions: int) -> None:
        Topics(_SETTINGS).ensure_partitions(topic, partitions)
