"""The only wiring: settings choose the adapters, and everything else knows ports alone."""

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from dependency_injector import containers, providers

from adapters.console.notifier import ConsoleNotifier
from adapters.files.event_log import FileEventLog
from adapters.files.event_sink import FileEventSink
from adapters.json.codecs import JsonCodecs
from adapters.memory.event_log import MemoryEventLog
from adapters.memory.event_sink import MemoryEventSink
from adapters.memory.state_stores import MemoryStateStores
from adapters.settings import Settings
from adapters.smtp.notifier import SmtpNotifier
from adapters.smtp.settings import SmtpSettings
from adapters.sqlite.alert_notes import SqliteAlertNotes

if TYPE_CHECKING:
    from adapters.spark.engine import SparkEngine


class MissingExtraError(RuntimeError):
    """A setting asks for what is not installed; the message says what to install."""


def _spark_engine(*args: Any, **options: Any) -> "SparkEngine":
    try:
        from adapters.spark.engine import SparkEngine  # noqa: PLC0415 - slow to import, and not installed everywhere
    except ModuleNotFoundError as missing:
        raise MissingExtraError(
            f"Spark is not installed ({missing}); install it with: pip install 'eddyline[spark]'"
        ) from missing
    return SparkEngine(*args, **options)


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


def _alert_notes(settings: Settings, topic: str, recipient: str) -> SqliteAlertNotes:
    return SqliteAlertNotes(settings.state_dir / "alerts" / f"{quote(topic, safe='')} to {quote(recipient, safe='@')}.sqlite")


class Container(containers.DeclarativeContainer):
    """Gives what the settings choose, each thing once: `Container(settings=Settings.load()).log()`."""

    settings = providers.Dependency(instance_of=Settings, default=Settings())
    topics_dir = providers.Callable(lambda settings: settings.data_dir / "topics", settings)
    codecs = providers.Singleton(JsonCodecs)
    stores = providers.Singleton(MemoryStateStores)
    memory_log = providers.Singleton(MemoryEventLog)
    log = providers.Selector(settings.provided.log, files=providers.Singleton(FileEventLog, topics_dir), memory=memory_log)
    sink = providers.Selector(
        settings.provided.log,
        files=providers.Singleton(FileEventSink, topics_dir),
        memory=providers.Singleton(MemoryEventSink, memory_log),
    )
    notifier = providers.Selector(
        settings.provided.notifier,
        console=providers.Singleton(ConsoleNotifier),
        smtp=providers.Singleton(SmtpNotifier, providers.Callable(_smtp_settings, settings)),
    )
    alert_notes = providers.Factory(_alert_notes, settings)
    spark_engine = providers.Factory(
        _spark_engine,
        log=log,
        sink=sink,
        codecs=codecs,
        stores=stores,
        emit=settings.provided.emit,
        bury_dropped=settings.provided.dead_letter_drops,
        order=settings.provided.order,
        max_batch_records=settings.provided.max_batch_records,
        trigger_interval_ms=settings.provided.trigger_interval_ms,
        new_topic_partitions=settings.provided.num_partitions,
    )
