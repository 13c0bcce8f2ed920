"""Queries of state: the read model of an application, and what follows its changelogs."""

from pathlib import Path

from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.adapters.settings import Settings, SettingsError
from eddyline.adapters.sqlite.read_model import ReadModelResettableState, SqliteReadModel, file_in
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.instance_group import InstanceGroup
from eddyline.application.ports.read_model import ReadModel
from eddyline.application.queries.follower import ChangelogFollower
from eddyline.application.queries.model_queries import ModelQueries
from eddyline.application.topology import Topology
from eddyline.application.topology.graph import with_idle_timeout

_ANY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - it is refused


def shared_address(settings: Settings) -> str:
    """Return the address at which the servers that share the partitions reach this one.

    Raises:
        SettingsError: the settings do not give one, or the event log cannot assign partitions.
    """
    if settings.log != "kafka":
        raise SettingsError(
            f"setting 'server.partitions' is 'shared', but log '{settings.log}' cannot assign partitions; set log=kafka, or "
            "server.partitions=all"
        )
    if settings.application_server is not None:
        return settings.application_server
    if settings.server_port == 0 or settings.server_host in _ANY_ADDRESS:
        raise SettingsError(
            f"the address '{settings.server_host}:{settings.server_port}' is not one at which other servers reach this one; set "
            "application.server to HOST:PORT, since server.partitions is 'shared'"
        )
    host = f"[{settings.server_host}]" if ":" in settings.server_host else settings.server_host
    return f"{host}:{settings.server_port}"


def read_model_file(settings: Settings, application_id: str, *, shared: bool = False) -> Path:
    """Return the file of an application's read model; servers that share the partitions have a file each."""
    return file_in(_folder(settings), application_id, shared_address(settings) if shared else None)


def read_model(settings: Settings, application_id: str, *, shared: bool = False) -> ReadModel:
    """Return the read model of an application, of all its partitions or of shared ones; in memory if its changelogs are."""
    if settings.log == "memory":
        return MemoryReadModel()
    return SqliteReadModel(read_model_file(settings, application_id, shared=shared))


def follower(
    settings: Settings,
    log: EventLog,
    codecs: Codecs,
    topology: Topology,
    application_id: str,
    *,
    group: InstanceGroup | None = None,
) -> ChangelogFollower:
    """Return what follows the changelogs of an application into its read model; it knows the idle timeouts of the run."""
    topology = with_idle_timeout(topology, settings.source_idle_timeout_ms)
    return ChangelogFollower(
        topology, application_id, log, codecs, read_model(settings, application_id, shared=group is not None), group=group
    )


def state_queries(log: EventLog, follower: ChangelogFollower) -> ModelQueries:
    """Return queries of the stores that a follower follows."""
    return ModelQueries(follower, log)


def read_models_state(settings: Settings) -> ReadModelResettableState:
    """Return the resettable state in the read models of queries."""
    return ReadModelResettableState(_folder(settings))


def _folder(settings: Settings) -> Path:
    return settings.state_dir / "queries"
