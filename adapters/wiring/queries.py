"""Queries of state: the read model of an application, and what follows its changelogs."""

from pathlib import Path

from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.adapters.settings import Settings
from eddyline.adapters.sqlite.read_model import SqliteReadModel
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.read_model import ReadModel
from eddyline.application.queries.follower import ChangelogFollower
from eddyline.application.queries.model_queries import ModelQueries
from eddyline.application.topology import Topology
from eddyline.application.topology.graph import with_idle_timeout


def read_model_file(settings: Settings, application_id: str) -> Path:
    """Return the file of an application's read model."""
    return settings.state_dir / "queries" / f"{application_id}.sqlite"


def read_model(settings: Settings, application_id: str) -> ReadModel:
    """Return the read model of an application; in memory if its changelogs are."""
    return MemoryReadModel() if settings.log == "memory" else SqliteReadModel(read_model_file(settings, application_id))


def follower(settings: Settings, log: EventLog, codecs: Codecs, topology: Topology, application_id: str) -> ChangelogFollower:
    """Return what follows the changelogs of an application into its read model; it knows the idle timeouts of the run."""
    topology = with_idle_timeout(topology, settings.source_idle_timeout_ms)
    return ChangelogFollower(topology, application_id, log, codecs, read_model(settings, application_id))


def state_queries(log: EventLog, follower: ChangelogFollower) -> ModelQueries:
    """Return queries of the stores that a follower follows."""
    return ModelQueries(follower, log)
