"""Exports the state of a checkpoint, and creates checkpoints with imported state."""

import json
import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver import checkpoint
from eddyline.adapters.spark.driver.checkpoint import Identity
from eddyline.adapters.spark.driver.checkpoint_files import QUERY_FOLDER
from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError, lock
from eddyline.adapters.spark.driver.hadoop_path import Location
from eddyline.adapters.spark.exchange.task_ids import TaskIds
from eddyline.adapters.spark.plan import is_stateless, stage_line
from eddyline.adapters.spark.state.chunks import ChunkedState
from eddyline.adapters.spark.state.portable import ImportedState, exported_task, task_entries, write_imported
from eddyline.application.operations.exported_state import ExportedState, ExportedTask, combined_tasks
from eddyline.application.ports.event_log import LogIdentity
from eddyline.application.topology import Topology
from eddyline.application.topology.evolution import described, from_json

_IMPORTED_FOLDER: Final = "imported"
_LOCK_TIMEOUT_S: Final = 10.0


def imported_state(folder: Location, identity: Identity) -> ImportedState | None:
    """Return the state that a checkpoint begins with, None if it was not imported."""
    return None if identity.imported is None else ImportedState(str(folder / _IMPORTED_FOLDER), identity.imported)


def export_state(session: SparkSession, folder: Path, topology: Topology) -> ExportedState:
    """Return the state of the checkpoint in `folder`.

    Raises:
        CheckpointError: there is no checkpoint, a run uses it, it belongs to another topology, or its last batch is not
            complete.
    """
    identity = checkpoint.stored_identity(folder)
    if identity is None or identity.log is None:
        raise CheckpointError(f"there is no checkpoint in '{folder}' with state to export; run the flow first")
    locked = lock(session._jvm, folder, _LOCK_TIMEOUT_S)  # noqa: SLF001 - the only way to Java's file locks
    try:
        return _exported(session, folder, topology, identity, identity.log)
    finally:
        locked.release()


def _exported(session: SparkSession, folder: Path, topology: Topology, identity: Identity, log: LogIdentity) -> ExportedState:
    found = checkpoint.check(folder, identity.application_id, topology, log) or identity
    query = folder / QUERY_FOLDER
    offsets = _committed_offsets(query)
    current = described(topology)
    old = None if found.topology is None else from_json(found.topology)
    tasks = [
        task
        for operator, stage in enumerate(reversed(_stateful(topology)))
        for task in _tasks(session, query, operator, tuple(found.stages[stage]), found.groups)
    ]
    return ExportedState(found.application_id, current.following(old), log, offsets, found.partitions or {}, tasks)


def import_state(folder: Path, application_id: str, topology: Topology, state: ExportedState) -> Identity:
    """Create a checkpoint in `folder` that begins with exported state.

    Raises:
        CheckpointError: there is a checkpoint already.
        ExportedStateError: the topology cannot continue the state.
    """
    if checkpoint.stored_identity(folder) is not None:
        raise CheckpointError(f"there is a checkpoint in '{folder}' already; run 'eddyline reset' for the flow first")
    state.changes_to(topology)
    write_tasks(folder / _IMPORTED_FOLDER, topology, state.tasks)
    return checkpoint.create(
        folder,
        Identity(
            format=checkpoint.FORMAT,
            application_id=application_id,
            writer=f"{application_id}-{secrets.token_hex(4)}",
            groups=0,
            stages=checkpoint.stages_of(topology),
            log=state.log,
            unlogged=[],
            topology=described(topology).following(state.topology).as_json(),
            partitions=dict(state.partitions),
            imported={topic: list(offsets) for topic, offsets in state.offsets.items()},
        ),
    )


def replace_state(folder: Path, application_id: str, topology: Topology, state: ExportedState) -> Identity:
    """Replace the checkpoint in `folder` by one that begins with exported state; the old one is deleted last.

    Raises:
        ExportedStateError: the topology cannot continue the state; then the old checkpoint remains.
    """
    new, old = (folder.with_name(f"{folder.name}.{suffix}") for suffix in ("new", "old"))
    for left in (new, old):
        shutil.rmtree(left, ignore_errors=True)
    identity = import_state(new, application_id, topology, state)
    folder.replace(old)
    new.replace(folder)
    shutil.rmtree(old)
    return identity


def write_tasks(folder: Path, topology: Topology, tasks: Sequence[ExportedTask]) -> None:
    """Write the state that each task of a topology begins with; a task continues those that read one of its topics."""
    for stage, index in enumerate(stage_line(topology)):
        sub = topology.sub_topologies[index]
        topics = (*sub.source_topics, *sub.repartition_sources)
        for task in combined_tasks(topics, tasks):
            write_imported(folder, stage, task.task, task_entries(task))


def _stateful(topology: Topology) -> list[int]:
    line = stage_line(topology)
    return [stage for stage, index in enumerate(line) if not is_stateless(topology, topology.sub_topologies[index])]


def _committed_offsets(query: Path) -> dict[str, list[int]]:
    planned, committed = (
        max((int(path.name) for path in (query / name).glob("*") if path.name.isdigit()), default=-1)
        for name in ("offsets", "commits")
    )
    if committed < 0:
        raise CheckpointError(f"checkpoint '{query.parent}' has no complete batch, so there is no state to export; run the flow")
    if planned != committed:
        raise CheckpointError(
            f"batch {planned} of checkpoint '{query.parent}' is not complete, and some of its results may have been written; "
            "run the flow with --available-now to complete it, then export the state"
        )
    ends: dict[str, list[int]] = json.loads((query / "offsets" / str(committed)).read_text().splitlines()[-1])["ends"]
    return ends


def _tasks(session: SparkSession, query: Path, operator: int, topics: tuple[str, ...], groups: int) -> list[ExportedTask]:
    """Return the tasks of a stage; Spark numbers its operators from the last stage to the first."""
    ids = TaskIds(groups)
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


def _rows(session: SparkSession, query: Path, operator: int, variable: str) -> list[Any]:
    reader = session.read.format("statestore").option("operatorId", operator).option("stateVarName", variable)
    return reader.load(str(query)).collect()


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
