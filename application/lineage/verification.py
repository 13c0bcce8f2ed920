"""Tests the inputs that tracking has found, by replaying them alone."""

from collections.abc import Iterable, Iterator, Sequence

from eddyline.application.lineage.necessity import Budget, needed_of
from eddyline.application.lineage.origins import Origin, Origins, found_in
from eddyline.application.lineage.replay import Replay
from eddyline.application.lineage.schedules import SelectedBatches
from eddyline.application.lineage.search import Scope, Search, Source, Target, attempt
from eddyline.application.lineage.selected_log import SelectedLog, read_records
from eddyline.application.lineage.tracker import Tracker
from eddyline.application.ports.event_log import LogRecord, Position


class Verification:
    """Replays input records alone, in the order and the batches in which they were processed.

    Args:
        source: What is replayed.
        found: The replay that has given the target.
        target: What was looked for.
        scope: The part of the flow that is replayed.
    """

    def __init__(self, source: Source, found: Search, target: Target, scope: Scope) -> None:
        self._source, self._search, self._scope = source, found, scope
        self._target = target.once()
        self._records: dict[Position, LogRecord] = {}
        self._log = SelectedLog(source.ports.log, ())

    def records(self, origins: Iterable[Origin]) -> dict[Position, LogRecord]:
        """Return the records of origins, each read once."""
        missing = [origin.position for origin in origins if origin.position not in self._records]
        self._records.update(read_records(self._source.ports.log, missing))
        return self._records

    def reproduces(self, inputs: Sequence[Origin]) -> bool:
        """Return whether these records alone give the target."""
        return self._replayed(inputs, self._tracker()).is_found

    def with_changes(self, inputs: Sequence[Origin]) -> Origins:
        """Return the origins of the target in a replay of these records alone, with the changes of stores."""
        found = self._replayed(inputs, self._tracker(changes=True, in_parts=False)).origins
        return self._replayed(inputs, self._tracker(changes=True)).origins if found is None else found

    def _tracker(self, *, changes: bool = False, in_parts: bool = True) -> Tracker:
        return Tracker(self._source.effort.step, changes=changes, in_parts=in_parts, wanted=self._target.wanted)

    def _replayed(self, inputs: Sequence[Origin], tracker: Tracker) -> Target:
        source, target = self._source, self._target
        records = self.records(inputs)
        log = self._log.with_records([records[origin.position] for origin in inputs if origin.position in records])
        target.begin()
        replay = Replay(
            source.topology,
            source.ports_with(log),
            source.options,
            tracker,
            on_result=target.on_result,
            written=self._scope.written,
            sub_topologies=self._scope.sub_topologies,
            orders={origin.position: origin.order for origin in inputs},
        )
        times = self._search.replay.times
        batches = SelectedBatches(inputs, times, all_batches=self._search.replay.follows_wall_clock)
        attempt(replay, batches, self._search.start, self._search.end)
        target.finish(replay)
        return target

    # --- inputs -------------------------------------------------------------------------------------------------------

    def sufficient(self, origins: Origins, budget: Budget, notes: list[str]) -> tuple[list[Origin], bool]:
        """Return the inputs that give the target alone, and whether they do.

        These are the records that the value was made of. If they do not suffice, those are added that the result needs of the
        records that had influence, and then of all that were processed.
        """
        certain = in_order(origins)
        if not budget.take(len(certain)):
            notes.append(f"The {len(certain):,} inputs were not replayed alone: they are more than the limit on tests.")
            return certain, False
        if self.reproduces(certain):
            return certain, True
        known = {origin.number for origin in certain}
        for pool in self._pools(origins, certain):
            more = [origin for origin in pool if origin.number not in known]
            if not more or not budget.take(len(certain) + len(more)):
                continue
            if self.reproduces([*certain, *more]):
                needed, complete = needed_of(certain, more, self.reproduces, budget)
                if not complete:
                    notes.append("There may be fewer inputs: the limit on tests was reached before all of them were left out.")
                return sorted([*certain, *needed], key=_number), True
        notes.append(
            "Replayed alone, these inputs do not give the result: it also depends on what tracking cannot follow, such as what a "
            "processor remembers outside of its stores, or for how many batches a task has waited for others."
        )
        return certain, False

    def _pools(self, origins: Origins, certain: Sequence[Origin]) -> Iterator[list[Origin]]:
        """Yield more and more records among which missing inputs may be."""
        yield in_order(origins, wide=True)
        history = self._search.tracker.history
        if history is None:
            return
        records = self.records([*history, *certain])
        keys = {records[origin.position].key for origin in certain if origin.position in records}
        unique = list({origin.position: origin for origin in reversed(history)}.values())
        yield [origin for origin in unique if origin.position in records and records[origin.position].key in keys]
        yield unique


def in_order(origins: Origins, *, wide: bool = False) -> list[Origin]:
    """Return the input records in the order in which they were processed."""
    found = found_in(origins, wide=wide)
    return sorted([*found.inputs.values(), *found.triggers.values()], key=_number)


def _number(origin: Origin) -> int:
    return origin.number
