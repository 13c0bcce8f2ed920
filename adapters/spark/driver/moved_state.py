"""Exports the state of a checkpoint, and creates checkpoints with imported state."""

import json
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver import checkpoint
from eddyline.adapters.spark.driver.checkpoint import Identity
from eddyline.adapters.spark.driver.checkpoint_files import QUERY_FOLDER
from eddyline.adapters.spark.driver.checkpoint_folders import replacement_names
from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError, lock
from eddyline.adapters.spark.driver.hadoop_path import Location
from eddyline.adapters.spark.exchange.task_ids import TaskIds
from eddyline.adapters.spark.plan import is_stateless, stage_line
from eddyline.adapters.spark.state.chunks import ChunkedState, pack_entries
from eddyline.adapters.spark.state.portable import ImportedState, exported_task, file_name, task_entries
from eddyline.application.operations.exported_state import ExportedState, ExportedTask, combined_tasks
from eddyline.application.ports.event_log import LogIdentity
from eddyline.application.topology import Topology
from eddyline.application.topology.evolution import described, from_json

_IMPORTED_FOLDER: Final = "imported"
_LOCK_TIMEOUT_S: Final = 10.0


def imported_state(session: SparkSession, folder: Location, identity: Identity) -> ImportedState | None:
    """Return the state that a checkpoint begins with, None if it was not imported.

    Workers read it from a disk, or, if the checkpoint is not on one, from files that Spark brings to the executors.
    """
    if identity.imported is None:
        return None
    imported = _imported_folder(folder, identity.writer)
    local = _local_path(imported)
    if local is not None:
        return ImportedState(str(local), identity.imported)
    session.sparkContext.addFile(imported.as_uri(), recursive=True)
    return ImportedState(imported.name, identity.imported, is_shared=True)


def export_state(session: SparkSession, folder: Location, topology: Topology) -> ExportedState:
    """Return the state of the checkpoint in `folder`.

    Raises:
        CheckpointError: there is no checkpoint, a run uses it, it belongs to another topology, or its last batch is not
            complete.
    """
    identity = checkpoint.stored_identity(folder)
    if identity is None:  # else a replacement that is left over may be older than the checkpoint
        _finish_replacement(folder)
        identity = checkpoint.stored_identity(folder)
    if identity is None or identity.log is None:
        raise CheckpointError(f"there is no checkpoint in '{folder}' with state; run the flow first")
    locked = lock(session._jvm, folder, _LOCK_TIMEOUT_S)  # noqa: SLF001 - the only way to Java's file locks
    try:
        return _exported(session, folder, topology, identity, identity.log)
    finally:
        locked.release()


def _exported(session: SparkSession, folder: Location, topology: Topology, identity: Identity, log: LogIdentity) -> ExportedState:
    found = checkpoint.check(folder, identity.application_id, topology, log) or identity
    query = folder / QUERY_FOLDER
    offsets = _committed_offsets(query)
    current = described(topology)
    old = None if found.topology is None else from_json(found.topology)
    ids = TaskIds(found.groups, found.assigned or ())
    with _readable(query) as uri:
        tasks = [
            task
            for operator, stage in enumerate(reversed(_stateful(topology)))
            for task in _tasks(session, uri, operator, tuple(found.stages[stage]), ids)
        ]
    return ExportedState(found.application_id, current.following(old), log, offsets, found.partitions or {}, tasks)


def import_state(folder: Location, application_id: str, topology: Topology, state: ExportedState) -> Identity:
    """Create a checkpoint in `folder` that begins with exported state.

    Raises:
        CheckpointError: there is a checkpoint already.
        ExportedStateError: the topology cannot continue the state.
    """
    if checkpoint.stored_identity(folder) is not None:
        raise CheckpointError(f"there is a checkpoint in '{folder}' already; run 'eddyline reset' for the flow first")
    state.changes_to(topology)
    writer = f"{application_id}-{secrets.token_hex(4)}"
    write_tasks(_imported_folder(folder, writer), topology, state.tasks)
    return checkpoint.create(
        folder,
        Identity(
            format=checkpoint.FORMAT,
            application_id=application_id,
            writer=writer,
            groups=0,
            stages=checkpoint.stages_of(topology),
            log=state.log,
            unlogged=[],
            topology=described(topology).following(state.topology).as_json(),
            partitions=dict(state.partitions),
            imported={topic: list(offsets) for topic, offsets in state.offsets.items()},
        ),
    )


def replace_state(folder: Location, application_id: str, topology: Topology, state: ExportedState) -> Identity:
    """Replace the checkpoint in `folder` by one that begins with exported state; the old one is deleted last.

    Raises:
        ExportedStateError: the topology cannot continue the state; then the old checkpoint remains.
    """
    new, old = _beside(folder)
    for left in (new, old):
        _remove(left)
    identity = import_state(new, application_id, topology, state)
    _finish_replacement(folder)
    return identity


def _finish_replacement(folder: Location) -> None:
    """Put the checkpoint that replaces the one in `folder` into its place; do nothing if there is none that is complete.

    A process that ended meanwhile leaves both, or, in a file system that renames a directory file by file, parts of one.
    """
    new, old = _beside(folder)
    if checkpoint.stored_identity(new) is None:
        return
    if folder.exists():
        _remove(old)
        folder.rename(old)  # type: ignore[arg-type] # both are paths of the same kind
    new.rename(folder)  # type: ignore[arg-type] # as above
    _remove(old)


def _imported_folder(folder: Location, writer: str) -> Location:
    """Return where a checkpoint has imported state; what Spark brings to executors must have a name of its own there."""
    imported = folder / _IMPORTED_FOLDER
    return imported if _local_path(folder) is not None else imported / writer


def _local_path(folder: Location) -> Path | None:
    """Return where workers find a checkpoint on a disk, None if it is not on one."""
    return folder if isinstance(folder, Path) else folder.local_path


def _beside(folder: Location) -> tuple[Location, Location]:
    new, old = replacement_names(folder.name)
    return folder.with_name(new), folder.with_name(old)


def _remove(folder: Location) -> None:
    if isinstance(folder, Path):
        shutil.rmtree(folder, ignore_errors=True)
    else:
        folder.remove()


def write_tasks(folder: Location, topology: Topology, tasks: Sequence[ExportedTask]) -> None:
    """Write the state that each task of a topology begins with; a task continues those that read one of its topics."""
    folder.mkdir(0o700, parents=True, exist_ok=True)
    for stage, index in enumerate(stage_line(topology)):
        sub = topology.sub_topologies[index]
        topics = (*sub.source_topics, *sub.repartition_sources)
        for task in combined_tasks(topics, tasks):
            (folder / file_name(stage, task.task)).write_bytes(pack_entries(task_entries(task)))


def _stateful(topology: Topology) -> list[int]:
    line = stage_line(topology)
    return [stage for stage, index in enumerate(line) if not is_stateless(topology, topology.sub_topologies[index])]


def _committed_offsets(query: Location) -> dict[str, list[int]]:
    planned, committed = (
        max((int(path.name) for path in (query / name).glob("*") if path.name.isdigit()), default=-1)
        for name in ("offsets", "commits")
    )
    if committed < 0:
        raise CheckpointError(f"checkpoint '{query.parent}' has no complete batch, so it has no state yet; run the flow")
    if planned != committed:
        raise CheckpointError(
            f"batch {planned} of checkpoint '{query.parent}' is not complete, and some of its results may have been written; "
            "run the flow with --available-now to complete it, then export the state"
        )
    ends: dict[str, list[int]] = json.loads((query / "offsets" / str(committed)).read_text().splitlines()[-1])["ends"]
    return ends


@contextmanager
def _readable(query: Location) -> Iterator[str]:
    """Yield a URI from which Spark reads state: it takes escapes, as of spaces, for parts of the name.

    Raises:
        CheckpointError: there is none.
    """
    uri = query.as_uri()
    if unquote(uri) == uri:
        yield uri
    elif isinstance(query, Path):
        with tempfile.TemporaryDirectory(prefix="eddyline-state-") as folder:
            link = Path(folder, "query")
            link.symlink_to(query)
            yield link.as_uri()
    else:
        raise CheckpointError(
            f"Spark cannot read state from '{query}', since its URI is '{uri}'; copy the checkpoint to a directory whose"
            " URI needs no escapes, and set checkpoint.dir to that"
        )


def _tasks(session: SparkSession, query: str, operator: int, topics: tuple[str, ...], ids: TaskIds) -> list[ExportedTask]:
    """Return the tasks of a stage; Spark numbers its operators from the last stage to the first."""
    headers = _rows(session, query, operator, "header")
    chunks: dict[int, dict[int, bytes]] = {}
    for row in _rows(session, query, operator, "chunks"):
        chunks.setdefault(row["key"]["group"], {})[row["user_map_key"]["number"]] = bytes(row["user_map_value"]["bytes"])
    tasks = []
    for row in headers:
        group = row["key"]["group"]
        state = ChunkedState()
        state.catch_up(_StoredChunks(bytes(row["value"]["bytes"]), chunks.get(group, {})))
        tasks.append(exported_task(topics, ids.task(group), state.items()))
    return sorted(tasks, key=lambda task: task.task)


def _rows(session: SparkSession, query: str, operator: int, variable: str) -> list[Any]:
    reader = session.read.format("statestore").option("operatorId", operator).option("stateVarName", variable)
    return reader.load(query).collect()


class _StoredChunks:
    """The header and the chunks of a task, which are only read."""

    def __init__(self, header: bytes, chunks: Mapping[int, bytes]) -> None:
        self._header, self._chunks = header, chunks

    def header(self) -> bytes | None:
        return self._header

    def set_header(self, data: bytes) -> None:
        raise NotImplementedError

    def chunk(self, number: int) -> bytes:
        return self._chunks[number]

    def put_chunk(self, number: int, data: bytes) -> None:
        raise NotImplementedError

    def remove_chunk(self, number: int) -> None:
        raise NotImplementedError
