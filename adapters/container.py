"""The only wiring: settings choose the adapters, and everything else knows ports alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from dependency_injector import containers, providers

from eddyline.adapters.console.notifier import ConsoleNotifier
from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.files.resettable_state import FileResettableState
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.json.schema import json_schema_of
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.resettable_state import MemoryResettableState
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.primitive.codec import CODECS
from eddyline.adapters.primitive.codecs import PrimitiveCodecs
from eddyline.adapters.primitive.topic_codecs import TopicCodecs
from eddyline.adapters.primitive.windowed_keys import WindowedKeys
from eddyline.adapters.settings import Settings
from eddyline.adapters.smtp.notifier import SmtpNotifier
from eddyline.adapters.smtp.settings import SmtpSettings
from eddyline.adapters.spark.driver.resettable_state import CheckpointResettableState
from eddyline.adapters.sqlite.resettable_state import SentAlertsResettableState
from eddyline.adapters.sqlite.sent_alerts import SqliteSentAlerts
from eddyline.adapters.system.clock import SystemClock
from eddyline.application.ports.codec import Codecs
from eddyline.application.runtime.options import RunOptions, RunPorts

if TYPE_CHECKING:
    from eddyline.adapters.kafka.event_log import KafkaEventLog
    from eddyline.adapters.kafka.event_sink import KafkaEventSink
    from eddyline.adapters.kafka.resettable_state import KafkaResettableState
    from eddyline.adapters.kafka.settings import KafkaSettings
    from eddyline.adapters.spark.engine import SparkEngine

_GUARANTEES = {"exactly_once_v2": "exactly-once", "at_least_once": "at-least-once"}
_WITH_SCHEMAS = ("avro", "json-schema")


class MissingExtraError(RuntimeError):
    """A setting asks for what is not installed; the message says what to install."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Around imports that are slow, or not installed everywhere: says what to install. Raises MissingExtraError."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise MissingExtraError(f"{missing.name} is not installed; install it with: pip install 'eddyline[{name}]'") from missing


def new_spark_engine(*args: Any, **options: Any) -> "SparkEngine":
    """Make a SparkEngine; pyspark is imported only now. Raises MissingExtraError."""
    with extra("spark"):
        from eddyline.adapters.spark.engine import SparkEngine  # noqa: PLC0415
    return SparkEngine(*args, **options)


def _run_options(settings: Settings, application_id: str, **options: Any) -> RunOptions:
    return RunOptions(
        **{
            "application_id": application_id,
            "emit": settings.emit,
            "order": settings.order,
            "max_batch_records": settings.max_batch_records,
            "trigger_interval_ms": settings.trigger_interval_ms,
            "new_topic_partitions": settings.num_partitions,
            "dead_letter_drops": settings.dead_letter_drops,
            **options,
        }
    )


def _kafka_settings(settings: Settings) -> "KafkaSettings":
    with extra("kafka"):
        from eddyline.adapters.kafka.settings import LOCAL_BROKER, KafkaSettings  # noqa: PLC0415
    return KafkaSettings({**LOCAL_BROKER, **settings.of_clients()})


def _kafka_log(kafka: "KafkaSettings") -> "KafkaEventLog":
    with extra("kafka"):
        from eddyline.adapters.kafka.event_log import KafkaEventLog  # noqa: PLC0415
    return KafkaEventLog(kafka)


def _kafka_sink(kafka: "KafkaSettings", settings: Settings) -> "KafkaEventSink":
    with extra("kafka"):
        from eddyline.adapters.kafka.event_sink import KafkaEventSink  # noqa: PLC0415
        from eddyline.adapters.kafka.partitioning import partitioner_named  # noqa: PLC0415
    partitioner, kafka = partitioner_named(settings.partitioner, kafka)
    return KafkaEventSink(kafka, guarantee=_GUARANTEES[settings.processing_guarantee], partitioner=partitioner)


def _codecs(settings: Settings) -> Codecs:
    chosen = [settings.default_key_codec, settings.default_value_codec, *settings.key_codecs.values()]
    chosen += settings.value_codecs.values()
    if set(chosen) == {"json"}:
        return JsonCodecs()
    formats: dict[str, Codecs] = {"json": JsonCodecs()}
    formats |= {name: WindowedKeys(PrimitiveCodecs(name), settings.window_size_ms) for name in CODECS}
    if set(chosen) & set(_WITH_SCHEMAS):
        formats |= {name: WindowedKeys(made, settings.window_size_ms) for name, made in _with_schemas(settings).items()}
    return TopicCodecs(
        formats,
        default_key=settings.default_key_codec,
        default_value=settings.default_value_codec,
        state="json",
        keys=settings.key_codecs,
        values=settings.value_codecs,
    )


def _with_schemas(settings: Settings) -> dict[str, Codecs]:
    with extra("avro"):
        from eddyline.adapters.avro.format import AvroFormats  # noqa: PLC0415
        from eddyline.adapters.avro.options import AvroOptions  # noqa: PLC0415
        from eddyline.adapters.registry.client import Registry  # noqa: PLC0415
        from eddyline.adapters.registry.codecs import RegistryCodecs  # noqa: PLC0415
        from eddyline.adapters.registry.json_schema import JsonSchemaFormats  # noqa: PLC0415
        from eddyline.adapters.registry.settings import RegistrySettings  # noqa: PLC0415
    registry = Registry(RegistrySettings.from_properties(settings.of_registry()))
    return {
        "avro": RegistryCodecs(registry, AvroFormats(AvroOptions.from_properties(settings.avro))),
        "json-schema": RegistryCodecs(registry, JsonSchemaFormats(JsonCodecs(quoted=True), json_schema_of)),
    }


def _kafka_resettable_state(kafka: "KafkaSettings") -> "KafkaResettableState":
    with extra("kafka"):
        from eddyline.adapters.kafka.resettable_state import KafkaResettableState  # noqa: PLC0415
    return KafkaResettableState(kafka)


def _smtp_settings(settings: Settings) -> SmtpSettings:
    password = settings.smtp_password
    return SmtpSettings(
        settings.smtp_host,
        settings.smtp_sender,
        settings.smtp_port,
        settings.smtp_security,
        settings.smtp_username,
        password.get_secret_value() if password else None,
        settings.smtp_ca_file,
    )


def _alerts_dir(settings: Settings) -> Path:
    return settings.state_dir / "alerts"


def _sent_alerts(settings: Settings, topic: str, recipient: str) -> SqliteSentAlerts:
    return SqliteSentAlerts(_alerts_dir(settings) / f"{quote(topic, safe='')} to {quote(recipient, safe='@')}.sqlite")


class Container(containers.DeclarativeContainer):
    """Gives what the settings choose, each thing once: `Container(settings=Settings.load()).log()`."""

    settings = providers.Dependency(instance_of=Settings, default=Settings())
    topics_dir = providers.Callable(lambda settings: settings.data_dir / "topics", settings)
    codecs = providers.Singleton(_codecs, settings)
    stores = providers.Singleton(MemoryStateStores)
    memory_log = providers.Singleton(MemoryEventLog)
    kafka_settings = providers.Singleton(_kafka_settings, settings)
    log = providers.Selector(
        settings.provided.log,
        files=providers.Singleton(FileEventLog, topics_dir),
        memory=memory_log,
        kafka=providers.Singleton(_kafka_log, kafka_settings),
    )
    sink = providers.Selector(
        settings.provided.log,
        files=providers.Singleton(FileEventSink, topics_dir),
        memory=providers.Singleton(MemoryEventSink, memory_log),
        kafka=providers.Singleton(_kafka_sink, kafka_settings, settings),
    )
    notifier = providers.Selector(
        settings.provided.notifier,
        console=providers.Singleton(ConsoleNotifier),
        smtp=providers.Singleton(SmtpNotifier, providers.Callable(_smtp_settings, settings)),
    )
    sent_alerts = providers.Factory(_sent_alerts, settings)
    resettable_state = providers.List(
        providers.Singleton(CheckpointResettableState, settings.provided.state_dir),
        providers.Selector(
            settings.provided.log,
            files=providers.Singleton(FileResettableState, topics_dir),
            memory=providers.Singleton(MemoryResettableState, memory_log),
            kafka=providers.Singleton(_kafka_resettable_state, kafka_settings),
        ),
        providers.Singleton(SentAlertsResettableState, providers.Callable(_alerts_dir, settings)),
    )
    ports = providers.Factory(RunPorts, log=log, sink=sink, codecs=codecs, stores=stores)
    options = providers.Callable(_run_options, settings)
    spark_engine = providers.Factory(new_spark_engine, ports=ports)
    memory_run = providers.Factory(MemoryRun, ports=ports, clock=providers.Singleton(SystemClock))
