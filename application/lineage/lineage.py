"""Answers which input records a result, or an entry of a store, was made of."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from eddyline.application.lineage.display import Display
from eddyline.application.lineage.explanation import Explanation, Fate, InputRecord, ResultRecord, StoreEntry
from eddyline.application.lineage.fates import fate_of
from eddyline.application.lineage.limits import Effort, UnknownSubjectError
from eddyline.application.lineage.necessity import Budget, neutral_of
from eddyline.application.lineage.origins import Found, Origin, Origins, found_in
from eddyline.application.lineage.paths import sub_topologies_upstream, writers_of
from eddyline.application.lineage.retention import record_at
from eddyline.application.lineage.search import Scope, Search, Source, search
from eddyline.application.lineage.targets import EntryTarget, ResultTarget, equal_before
from eddyline.application.lineage.verification import Verification, in_order
from eddyline.application.ports.event_log import Position
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology.errors import listed


class Lineage:
    """Finds the inputs of the results of a flow by replaying its log; nothing is written."""

    def __init__(self, source: Source) -> None:
        self._source = replace(source, options=replace(source.options, dead_letter_drops=False, changelog_stores=()))
        self._topology = source.topology

    def effort(self) -> Effort:
        """Return an effort for one answer, within the limits."""
        return Effort(self._source.limits)

    def within(self, effort: Effort) -> "Lineage":
        """Return the same lineage, whose answers take an effort; call it by `effort.spend`."""
        return Lineage(replace(self._source, effort=effort))

    def explain_output(self, position: Position) -> Explanation:
        """Return the inputs of a result.

        Args:
            position: The topic, partition and offset of the result.

        Raises:
            UnknownSubjectError: The flow does not write the topic, or the log does not have the record.
        """
        writers = writers_of(self._topology, position.topic)
        if not writers:
            topics = [spec.name for spec in self._topology.sink_topics]
            raise UnknownSubjectError(f"the flow does not write topic '{position.topic}'; it writes: {listed(topics)}")
        log = self._source.ports.log
        record = record_at(log, position)
        target = ResultTarget(record, equal_before(log, record))
        scope = Scope(sub_topologies_upstream(self._topology, writers), frozenset({position.topic}))
        found = search(self._source, target, scope, record.timestamp)
        display = Display(self._source.plan(), writers)
        answer = _Answer(self._source, found, target, scope, display)
        if target.is_found:
            if target.number > 1:
                found.notes.append(
                    f"The partition has {target.number:,} equal results up to this one; the inputs are those of number "
                    f"{target.seen:,} of these in the replay."
                )
            return answer.explained(display.result(record), target.origins)
        if target.similar is not None:
            found.notes.append("The replay gave another value for this key and timestamp; the inputs are those of that value.")
            return answer.unverified(display.result(record), target.similar.origins)
        return answer.unverified(display.result(record), None)

    def explain_entry(self, store: str, key: Any, window_start: int | None = None) -> Explanation:
        """Return the inputs of an entry of a state store, as it is at the end of the log.

        Args:
            store: The store.
            key: The key.
            window_start: The start of the window in ms since the epoch; None for the latest window of the key.

        Raises:
            UnknownSubjectError: There is no such store or entry.
        """
        spec = self._topology.stores.get(store)
        if spec is None:
            raise UnknownSubjectError(f"store '{store}' is unknown; the flow has: {listed(self._topology.stores)}")

        def wanted(row: StoreRow) -> bool:
            return bool(row.key == key) and (
                window_start is None or (row.window is not None and row.window.start == window_start)
            )

        target = EntryTarget(spec, wanted)
        owners = [node.name for node in self._topology.nodes if store in node.stores]
        scope = Scope(sub_topologies_upstream(self._topology, owners), frozenset())
        found = search(self._source, target, scope, None)
        if target.row is None:
            window = "" if window_start is None else f" and window start {window_start}"
            raise UnknownSubjectError(
                f"store '{store}' has no entry with key {key!r}{window} at the end of the log; it may have expired"
            )
        display = Display(self._source.plan(), owners)
        return _Answer(self._source, found, target, scope, display).explained(display.entry(store, target.row), target.origins)

    def explain_missing(self, position: Position) -> Fate:
        """Return what became of an input record: the results that it is part of, or why there are none.

        Args:
            position: The topic, partition and offset of the record.

        Raises:
            UnknownSubjectError: The flow does not read the topic, or the log does not have the record.
        """
        return fate_of(self._source, position)


class _Answer:
    """Builds the answer from a replay that has given the result."""

    def __init__(self, source: Source, found: Search, target: ResultTarget | EntryTarget, scope: Scope, display: Display) -> None:
        self._limits, self._search, self._display = source.limits, found, display
        self._verification = Verification(source, found, target, scope)

    def explained(self, subject: ResultRecord | StoreEntry, origins: Origins) -> Explanation:
        """Return the answer, with inputs that were tested by replaying them alone."""
        budget, notes = Budget(self._limits.tests), self._search.notes
        inputs, verified = self._verification.sufficient(origins, budget, notes)
        neutral: dict[int, bool] = {}
        if verified:
            neutral = neutral_of(inputs, self._verification.reproduces, budget)
            if len(neutral) < len(inputs):
                tested = f"{len(neutral):,} of {len(inputs):,} inputs"
                notes.append(
                    f"Whether the result needs an input was tested for {tested} only, because of the limit of "
                    f"{self._limits.tests:,} records that are replayed for tests."
                )
            with_changes = self._verification.with_changes(inputs)
            origins = origins if with_changes is None else with_changes
        shown = self._shown(inputs, found_in(origins), neutral)
        return self._explanation(subject, shown, is_found=True, verified=verified, replays=budget.replays)

    def unverified(self, subject: ResultRecord | StoreEntry, origins: Origins) -> Explanation:
        """Return an answer for a result that no replay has given; the origins are those of a similar one."""
        shown = self._shown(in_order(origins), found_in(origins), {})
        return self._explanation(subject, shown, is_found=False, verified=False, replays=0)

    def _explanation(
        self, subject: ResultRecord | StoreEntry, shown: tuple[InputRecord, ...], *, is_found: bool, verified: bool, replays: int
    ) -> Explanation:
        notes = tuple(self._search.notes)
        return Explanation(subject, shown, is_found, verified, self._search.replayed, replays, notes)

    def _shown(self, inputs: Sequence[Origin], found: Found, neutral: dict[int, bool]) -> tuple[InputRecord, ...]:
        return self._display.inputs(inputs, self._verification.records(inputs), found, neutral)
