"""Event logs on files, in memory and on Kafka, each with its sink and its resettable state."""

from dependency_injector.containers import DeclarativeContainer
from dependency_injector.providers import Callable, Dependency, Factory, Object, Selector, Singleton

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.files.resettable_state import FileResettableState
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.resettable_state import MemoryResettableState
from eddyline.adapters.settings import Settings
from eddyline.adapters.wiring import kafka


class LogContainer(DeclarativeContainer):
    """Provides the event log that the setting `log` chooses, with its sink and its resettable state."""

    settings = Dependency(instance_of=Settings, default=Settings())
    topics_dir = Callable(lambda settings: settings.data_dir / "topics", settings)
    memory_log = Singleton(MemoryEventLog)
    kafka_settings = Singleton(kafka.kafka_settings, settings)
    log = Selector(
        settings.provided.log,
        files=Singleton(FileEventLog, topics_dir),
        memory=memory_log,
        kafka=Singleton(kafka.kafka_log, kafka_settings),
    )
    sink = Selector(
        settings.provided.log,
        files=Singleton(FileEventSink, topics_dir),
        memory=Singleton(MemoryEventSink, memory_log),
        kafka=Singleton(kafka.kafka_sink, kafka_settings, settings),
    )
    check_log = Selector(
        settings.provided.log,
        files=Object(None),
        memory=Object(None),
        kafka=Callable(kafka.check_brokers, kafka_settings),
    )
    instance_group = Factory(kafka.kafka_instance_group, kafka_settings)
    log_state = Selector(
        settings.provided.log,
        files=Singleton(FileResettableState, topics_dir),
        memory=Singleton(MemoryResettableState, memory_log),
        kafka=Singleton(kafka.kafka_resettable_state, kafka_settings),
    )
