"""The changes between two versions of a topology, and what each one means for state that the old version has left."""

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from eddyline.application.topology.evolution.description import StoreDescription, TopologyDescription
from eddyline.application.topology.evolution.shapes import compare_shapes, equally_encoded, shape_text


class Verdict(Enum):
    """What a change means for the state: it continues, a part of it is built up again, or it would be misread."""

    SAFE = "safe"
    REBUILDS = "rebuilds state"
    BREAKS = "breaks state"


class Change(NamedTuple):
    """A change; one that is `movable` breaks a checkpoint, but the state can be exported and imported into a new one."""

    verdict: Verdict
    text: str
    movable: bool = False


def changes(old: TopologyDescription, new: TopologyDescription) -> tuple[Change, ...]:
    """Return the changes from one version of a topology to another, those that break state first.

    Functions are not compared: a store that keeps its name, its types and its windows keeps its contents.
    """
    found = [
        *_sub_topology_changes(old, new),
        *_repartition_changes(old, new),
        *_store_changes(old, new),
        *_operator_changes(old, new),
    ]
    order = (Verdict.BREAKS, Verdict.REBUILDS, Verdict.SAFE)
    return tuple(sorted(found, key=lambda change: order.index(change.verdict)))


def breaking(found: Iterable[Change]) -> tuple[Change, ...]:
    """Return those changes that break state."""
    return tuple(change for change in found if change.verdict is Verdict.BREAKS)


def rebuilding(found: Iterable[Change]) -> tuple[Change, ...]:
    """Return those changes that rebuild state, which a run names when it starts."""
    return tuple(change for change in found if change.verdict is Verdict.REBUILDS)


def way_out(broken: Iterable[Change]) -> str:
    """Return what to do about changes that break state."""
    move = "move the state to a new checkpoint with 'eddyline state export' and 'eddyline state import', "
    return (
        f"{move if all(change.movable for change in broken) else ''}undo the changes, run the changed flow side by side "
        "(--version), or run 'eddyline reset' for the flow to start from the beginning"
    )


def _breaks(text: str, *, movable: bool = False) -> Change:
    return Change(Verdict.BREAKS, text, movable)


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"


# --- sub-topologies ---------------------------------------------------------------------------------------------------


def _sub_topology_changes(old: TopologyDescription, new: TopologyDescription) -> Iterator[Change]:
    for topics in filter(None, new.sub_topologies):  # one that only loads global tables has none
        before = next((found for found in old.sub_topologies if set(found) & set(topics)), None)
        if before is None:
            yield _breaks(f"the sub-topology that reads {_quoted(topics)} is new", movable=True)
        elif before != topics:
            yield _breaks(f"the sub-topology that read {_quoted(before)} reads {_quoted(topics)} now", movable=True)
    kept = {topic for topics in new.sub_topologies for topic in topics}
    for topics in filter(None, old.sub_topologies):
        if kept.isdisjoint(topics):
            yield _breaks(f"the sub-topology that read {_quoted(topics)} is gone", movable=True)


def _repartition_changes(old: TopologyDescription, new: TopologyDescription) -> Iterator[Change]:
    for topic, after in new.repartition_topics.items():
        before = old.repartition_topics.get(topic)
        if before is None:
            continue
        if before.partitions != after.partitions:
            numbers = [count or "a derived number of" for count in (before.partitions, after.partitions)]
            yield _breaks(
                f"repartition topic '{topic}' had {numbers[0]} partitions and has {numbers[1]} now, so keys would be in other "
                "tasks than their state"
            )
        if before.partitioned_by_key != after.partitioned_by_key:
            how = "by key" if after.partitioned_by_key else "by a partitioner"
            yield _breaks(
                f"repartition topic '{topic}' is partitioned {how} now, so keys would be in other tasks than their state"
            )


# --- stores -----------------------------------------------------------------------------------------------------------


def _store_changes(old: TopologyDescription, new: TopologyDescription) -> Iterator[Change]:
    for name, store in new.stores.items():
        before = old.stores.get(name)
        if before is None:
            yield Change(Verdict.REBUILDS, f"store '{name}' is new: it starts empty{_rename_hint(name, store, old, new)}")
            continue
        found = list(_entry_changes(name, before, store))
        yield from found
        if not before.used and not any(change.verdict is Verdict.BREAKS for change in found):
            yield Change(Verdict.SAFE, f"store '{name}' is used again: it continues with the contents that it had")
    for name, before in old.stores.items():
        if before.used and name not in new.stores:
            yield Change(Verdict.SAFE, f"store '{name}' is no longer used: its contents are ignored")


def _rename_hint(name: str, store: StoreDescription, old: TopologyDescription, new: TopologyDescription) -> str:
    for other, before in old.stores.items():
        if other not in new.stores and (before.kind, before.key, before.value) == (store.kind, store.key, store.value):
            return (
                f'; if it is store \'{other}\' under another name, pass store="{other}" in place of "{name}" to keep its contents'
            )
    return ""


def _entry_changes(name: str, old: StoreDescription, new: StoreDescription) -> Iterator[Change]:
    """Yield the changes of one store that decide how its entries are read."""
    other = f"; give it another name than '{name}' to start empty"
    if old.kind != new.kind:
        yield _breaks(f"store '{name}' was a {old.kind} store and is a {new.kind} store now{other}")
        return
    if bool(old.topics) != bool(new.topics):
        now = "belongs to the tasks" if new.topics else "is global"
        yield _breaks(f"store '{name}' {now} now{other}")
    elif old.topics and set(old.topics).isdisjoint(new.topics):
        yield _breaks(
            f"store '{name}' was in the sub-topology that reads {_quoted(old.topics)} and is in the one that reads "
            f"{_quoted(new.topics)} now{other}"
        )
    if old.windows != new.windows:
        yield _breaks(f"store '{name}' had windows {_windows(old)} and has {_windows(new)} now{other}")
    elif old.retention_ms != new.retention_ms:
        yield _retention_change(name, old.retention_ms or 0, new.retention_ms or 0)
    if old.timestamped != new.timestamped:
        now = "have" if new.timestamped else "do not have"
        yield _breaks(f"the values of store '{name}' {now} timestamps now{other}")
    yield from _type_changes(name, old, new, other)


def _type_changes(name: str, old: StoreDescription, new: StoreDescription, other: str) -> Iterator[Change]:
    if not equally_encoded(old.key, new.key):
        text = f"the keys of store '{name}' were {shape_text(old.key)} and are {shape_text(new.key)} now"
        yield _breaks(f"{text}, so entries would not be found{other}")
    problems, additions = compare_shapes(old.value, new.value)
    for text in problems:
        yield _breaks(f"the values of store '{name}' have changed: {text}{other}")
    for text in additions:
        yield Change(Verdict.SAFE, f"the values of store '{name}' have changed: {text}")


def _retention_change(name: str, old_ms: int, new_ms: int) -> Change:
    if new_ms > old_ms:
        return Change(Verdict.SAFE, f"store '{name}' keeps entries for {new_ms} ms, {old_ms} ms before: from now on")
    return Change(Verdict.REBUILDS, f"store '{name}' keeps entries for {new_ms} ms, {old_ms} ms before: older ones are dropped")


def _windows(store: StoreDescription) -> str:
    if store.windows is None:
        return "none"
    found = dict(store.windows)
    kind = found.pop("type")
    return f"{kind}({', '.join(f'{name}={value}' for name, value in found.items())})"


# --- operators --------------------------------------------------------------------------------------------------------


def _operator_changes(old: TopologyDescription, new: TopologyDescription) -> Iterator[Change]:
    for name, before in old.operators.items():
        after = new.operators.get(name)
        kept = [store for store in before.stores if store in new.stores]
        if after is None and before.has_numbers and (kept or not before.stores):
            yield _breaks(
                f"operator '{name}' ({before.kind}) is gone or has another name, but its stream time is stored under this name; "
                f'keep the name with name="{name}"'
            )
        elif after is None:
            yield Change(Verdict.SAFE, f"operator '{name}' ({before.kind}) is gone")
        elif after.kind != before.kind and set(kept) & set(after.stores):
            yield _breaks(
                f"operator '{name}' was of kind '{before.kind}' and is of kind '{after.kind}' now, with the same store "
                f"{_quoted(kept)}; give the store another name to start empty"
            )
        elif after.kind != before.kind:
            yield Change(Verdict.SAFE, f"operator '{name}' was of kind '{before.kind}' and is of kind '{after.kind}' now")
    for name, after in new.operators.items():
        if name not in old.operators:
            yield Change(Verdict.SAFE, f"operator '{name}' ({after.kind}) is new")
