"""The local engine: with transactions and groups on Kafka, and with a lock and a journal on files."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.adapters.local.alone import streams_of_log
from eddyline.adapters.local.engine import LocalEngine
from eddyline.adapters.local.log_feed import LogFeed
from eddyline.adapters.local.moved_state import LocalState
from eddyline.adapters.local.streams import Streams
from eddyline.adapters.registry.errors import RegistryUnavailableError
from eddyline.adapters.settings import Settings
from eddyline.application.ports.clock import Clock
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.topology import Topology

if TYPE_CHECKING:
    from eddyline.adapters.kafka.settings import KafkaSettings


def local_folder(settings: Settings) -> Path:
    """Return the directory with a folder for each application."""
    return settings.state_dir / "local"


def local_engine(
    settings: Settings,
    kafka_settings: "Callable[[], KafkaSettings]",
    topology: Topology,
    *,
    ports: RunPorts,
    options: RunOptions,
    clock: Clock,
    claim: Callable[[], None] = lambda: None,
) -> LocalEngine:
    """Return the engine for the event log of the settings, whose sessions call `claim` once they have tasks."""
    streams = _streams(settings, kafka_settings, ports, options)._replace(claim=claim)
    return LocalEngine(topology, ports, options, streams, clock)


def local_state(
    settings: Settings,
    kafka_settings: "Callable[[], KafkaSettings]",
    topology: Topology,
    *,
    ports: RunPorts,
    options: RunOptions,
) -> LocalState:
    """Return the state that runs of the engine have left."""
    return LocalState(topology, ports, options, _streams(settings, kafka_settings, ports, options))


def _streams(settings: Settings, kafka_settings: "Callable[[], KafkaSettings]", ports: RunPorts, options: RunOptions) -> Streams:
    if settings.log == "kafka":
        from eddyline.adapters.wiring.kafka_streams import kafka_streams

        found = kafka_streams(kafka_settings(), settings, options.application_id)
    else:
        folder = local_folder(settings) / options.application_id if settings.log == "files" else None
        found = streams_of_log(ports.sink, options.application_id, LogFeed, folder)
    return found._replace(retryable=(*found.retryable, RegistryUnavailableError))
