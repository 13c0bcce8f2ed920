"""The identity of a checkpoint, stored beside Spark's own files."""

import json
import logging
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from eddyline.adapters.spark.driver.checkpoint_files import IDENTITY_FILE, QUERY_FOLDER
from eddyline.adapters.spark.driver.checkpoint_folders import replacement_names
from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError, check_unlocked
from eddyline.adapters.spark.driver.hadoop_path import HadoopPath, Location
from eddyline.adapters.spark.plan import stage_line
from eddyline.application.ports.event_log import LogIdentity
from eddyline.application.ports.event_sink import EventSink
from eddyline.application.runtime.plan.changelogs import StoreChoice, chosen_stores
from eddyline.application.runtime.progress.log_identity import check_log, with_topics_of
from eddyline.application.topology import Topology
from eddyline.application.topology.evolution import (
    TopologyDescription,
    breaking,
    changes,
    described,
    from_json,
    rebuilding,
    way_out,
)

LOGGER: Final = logging.getLogger("eddyline.spark")
"""What an operator must read, such as settings without effect."""

FORMAT: Final = 1
"""The format of identities."""


@dataclass(frozen=True)
class Identity:
    """What must not change while a checkpoint is in use.

    `groups` is the number of Spark partitions, `assigned` the partition of each task that there was at first, None if task t has
    partition t modulo their number. `stages` has the topics that each stage reads. `writer` is the writer id of the
    checkpoint in the event sink; it is random, so that the first batches of a new checkpoint are never taken for repeated ones.
    `log` is the log that its offsets belong to, None in checkpoints that were created before it was stored. `unlogged` has the
    stores that ran without a changelog, None if that was not stored. `topology` describes the topology, and the stores that
    earlier versions of it had; `partitions` has the number of partitions of each repartition topic. Both are None in
    checkpoints that were created before they were stored. `imported` has the offsets at which a checkpoint with imported state
    began; its number of groups is 0 until its first run.
    """

    format: int
    application_id: str
    writer: str
    groups: int
    stages: list[list[str]]
    log: LogIdentity | None = None
    unlogged: list[str] | None = None
    topology: dict[str, Any] | None = None
    partitions: dict[str, int] | None = None
    imported: dict[str, list[int]] | None = None
    assigned: list[int] | None = None


def check(folder: Location, application_id: str, topology: Topology, log: LogIdentity) -> Identity | None:
    """Make sure that a run may continue from the checkpoint in `folder`, and return its identity; None if there is none.

    Raises:
        CheckpointError: the checkpoint belongs to another application or topology, or has another format.
        LogMismatchError: the checkpoint belongs to another log, or to topics that have been created again since then.
    """
    found = stored_identity(folder)
    if found is None:
        _check_not_replaced(folder)
        return None
    if (found.application_id, found.format) == (application_id, FORMAT):
        _check_topology(folder, found, topology)
    for name, old, new in (
        ("application id", found.application_id, application_id),
        ("format", found.format, FORMAT),
        ("sub-topologies", found.stages, stages_of(topology)),
    ):
        if old != new:
            raise CheckpointError(
                f"checkpoint '{folder}' was created with {name} {old!r}, but this flow has {new!r}; "
                "choose another application.id, or reset the flow to reprocess its topics from the beginning"
            )
    if found.log is not None:
        check_log(found.log, log, application_id)
    return found


def stored_identity(folder: Location) -> Identity | None:
    """Return the identity of the checkpoint in `folder` without any checks; None if there is none."""
    path = folder / IDENTITY_FILE
    if not path.exists():
        return None
    members = json.loads(path.read_text())
    stored_log = members.pop("log", None)
    return Identity(**members, log=None if stored_log is None else LogIdentity(**stored_log))


def stored_partitions(folder: Location) -> Mapping[str, int]:
    """Return the number of partitions of the repartition topics that the checkpoint in `folder` keeps; empty if it is new."""
    found = stored_identity(folder)
    return {} if found is None else found.partitions or {}


def _check_not_replaced(folder: Location) -> None:
    """Make sure that a missing checkpoint was not being replaced. Raises CheckpointError."""
    replacement = folder.with_name(replacement_names(folder.name)[0])
    if stored_identity(replacement) is not None:
        raise CheckpointError(
            f"checkpoint '{folder}' is incomplete, since its replacement '{replacement}' was interrupted; repeat the"
            " command that replaced it ('eddyline rescale', or 'eddyline run' with --restore-from), or run 'eddyline reset' for"
            " the flow to start from the beginning"
        )


def _check_topology(folder: Location, identity: Identity, topology: Topology) -> None:
    """Make sure that the state of a checkpoint can be read by a topology. Raises CheckpointError."""
    if identity.topology is None:
        return
    broken = breaking(changes(from_json(identity.topology), described(topology)))
    if broken:
        raise CheckpointError(
            f"checkpoint '{folder}' has state that this version of the flow cannot continue: "
            f"{'; '.join(change.text for change in broken)}; {way_out(broken)}"
        )


def check_results(folder: Location, identity: Identity, sink: EventSink) -> None:
    """Make sure that a checkpoint knows of all results that it has caused.

    A run from an older copy of it would give new batches the numbers of batches that the sink has, and lose their results.

    Raises:
        CheckpointError: the sink has a later batch than the checkpoint.
    """
    written = sink.newest_batch(identity.writer)
    planned = max(_planned_batches(folder), default=-1)
    if written is not None and written > planned:
        last = f"its last batch is {planned}" if planned >= 0 else "it has no batches"
        raise CheckpointError(
            f"checkpoint '{folder}' is older than its results: {last}, but the results of batch {written} have been written; to "
            "continue from it would lose results; restore the newest copy of the folder, or run 'eddyline reset' for the flow "
            "to start from the beginning"
        )


def check_changelogs(folder: Location, identity: Identity, topology: Topology, choice: StoreChoice) -> None:
    """Make sure that the chosen changelogs are complete: that their stores have had one since the first batch.

    Raises:
        CheckpointError: a store has contents from before it had a changelog.
    """
    chosen = chosen_stores(topology, choice)
    incomplete = sorted(chosen if identity.unlogged is None else chosen.intersection(identity.unlogged))
    if incomplete and _planned_batches(folder):
        raise CheckpointError(
            f"changelog.stores: checkpoint '{folder}' has contents of store '{incomplete[0]}' from before it had a changelog, so "
            "queries would miss them; run 'eddyline reset' for the flow to start from the beginning, or run a new version of it "
            "side by side (--version)"
        )


def _warn_of_kept_groups(folder: Location, identity: Identity, groups: int) -> None:
    """Warn if a checkpoint has another number of Spark partitions than a new one would have now."""
    if identity.groups != groups:
        LOGGER.warning(
            "checkpoint '%s' keeps the %d Spark partitions that it was created with, although %d would be used now "
            "(spark.master, spark.default.parallelism, partitions of the topics); to use %d, run 'eddyline reset' for the flow, "
            "or run a new version of it side by side (--version); to end this warning, set spark.default.parallelism to %d",
            folder,
            identity.groups,
            groups,
            groups,
            identity.groups,
        )


def _planned_batches(folder: Location) -> list[int]:
    return [int(path.name) for path in (folder / QUERY_FOLDER / "offsets").glob("*") if path.name.isdigit()]


def identify(
    folder: Location,
    application_id: str,
    topology: Topology,
    groups: int,
    log: LogIdentity,
    changelogs: StoreChoice = (),
    partitions: Mapping[str, int] | None = None,
    assigned: Callable[[], list[int] | None] = lambda: None,
) -> Identity:
    """Return the identity of the checkpoint in `folder`; create it if the checkpoint is new.

    `partitions` has the number of partitions of each repartition topic. `assigned` returns the Spark partition of each task for a
    checkpoint that has had no run, None if it is the task modulo their number. Warns if `groups` has no effect.

    Raises as `check` and `check_changelogs`.
    """
    description = described(topology)
    counts = None if partitions is None else dict(partitions)
    unlogged = topology.stores.keys() - chosen_stores(topology, changelogs)
    found = check(folder, application_id, topology, log)
    if found is None:
        writer = f"{application_id}-{secrets.token_hex(4)}"
        made = Identity(FORMAT, application_id, writer, groups, stages_of(topology), log, sorted(unlogged))
        made = replace(made, topology=description.as_json(), partitions=counts, assigned=assigned())
    else:
        check_changelogs(folder, found, topology, changelogs)
        before = (found.unlogged or ()) if _planned_batches(folder) else ()
        now = with_topics_of(found.log, log) if found.log is not None else log
        old = None if found.topology is None else from_json(found.topology)
        _warn_of_changes(folder, old, description)
        current = description.following(old).as_json()
        made = replace(
            found,
            groups=found.groups or groups,
            assigned=found.assigned if found.groups else assigned(),
            log=now,
            unlogged=sorted(unlogged.union(before)),
            topology=current,
            partitions=counts,
        )
    if made != found:
        _write(folder, made)
    _warn_of_kept_groups(folder, made, groups)
    return made


def _warn_of_changes(folder: Location, old: TopologyDescription | None, new: TopologyDescription) -> None:
    for change in () if old is None else rebuilding(changes(old, new)):
        LOGGER.warning("checkpoint '%s': %s", folder, change.text)


def stages_of(topology: Topology) -> list[list[str]]:
    """Return the topics that each stage reads."""
    return [
        [*topology.sub_topologies[index].source_topics, *topology.sub_topologies[index].repartition_sources]
        for index in stage_line(topology)
    ]


def create(folder: Location, identity: Identity) -> Identity:
    """Create a checkpoint with this identity, and return it."""
    _write(folder, identity)
    return identity


def withdraw(folder: Location) -> None:
    """Remove the identity of a checkpoint that has had no run, so that it belongs to no application."""
    path = folder / IDENTITY_FILE
    if isinstance(path, HadoopPath):
        path.remove()
    else:
        path.unlink(missing_ok=True)


def _write(folder: Location, identity: Identity) -> None:
    folder.mkdir(0o700, parents=True, exist_ok=True)
    path = folder / IDENTITY_FILE
    log = None if identity.log is None else identity.log._asdict()
    text = json.dumps({**asdict(identity), "log": log})
    if isinstance(path, HadoopPath):
        path.write_text(text)
        return
    part = path.with_suffix(".part")
    part.write_text(text)
    with part.open("rb") as handle:
        os.fsync(handle.fileno())
    part.replace(path)


def check_usable(
    folder: Location, application_id: str, topology: Topology, log: LogIdentity, timeout_s: float
) -> Identity | None:
    """Make sure that a checkpoint can be used, without Java if it is a local directory; a new one is not created.

    Return its identity.

    Raises:
        CheckpointError: another run uses the checkpoint, or it belongs to another application or topology.
        LogMismatchError: the checkpoint belongs to another log, or to topics that have been created again since then.
    """
    check_unlocked(folder, timeout_s)
    return check(folder, application_id, topology, log)
