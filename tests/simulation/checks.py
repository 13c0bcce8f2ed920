"""What must be true of a schedule."""

import json
from collections import Counter
from typing import Any

from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.application.runtime.plan.dead_letters import reason_in
from tests.simulation import flow
from tests.simulation.application import Application
from tests.simulation.broker import Broker


class ViolationError(AssertionError):
    """Results are lost, repeated or wrong, or a reader has seen a state that is not that of a batch."""


class Checks:
    """Compares a cluster with what an undisturbed run would have written."""

    def __init__(self, broker: Broker, application: Application, model: MemoryReadModel, *, latest: bool) -> None:
        self._broker, self._application, self._model, self._latest = broker, application, model, latest
        self._checkpoint = application.checkpoint

    def of_readers(self) -> None:
        """Check what readers see now. Failures are kept until the schedule ends."""
        try:
            self._check_model()
            self._check_group()
        except ViolationError as error:
            self._application.failures.append(f"Violation: {error}")

    def at_end(self) -> None:
        """Check the results. Raises ViolationError."""
        for found in self._application.failures:
            raise ViolationError(found)
        expected = self._expected()
        self._check_results(expected)
        self._check_letters(expected)
        self._check_redriven()
        self._check_group()
        self._check_model()

    # --- results ------------------------------------------------------------------------------------------------------

    def _expected(self) -> flow.Expected:
        return flow.expected(self._broker, self._ends(), latest=self._latest)

    def _ends(self) -> dict[int, list[int]]:
        return {batch: json.loads(offset)["ends"][flow.SOURCE] for batch, offset in self._checkpoint.offsets.items()}

    def _check_results(self, expected: flow.Expected) -> None:
        planned = self._ends()[max(self._checkpoint.offsets)]
        for partition, log in enumerate(self._broker.topics[flow.SOURCE]):
            if any(map(log.is_visible, range(planned[partition], len(log.records)))):
                raise ViolationError(f"records of partition {partition} after offset {planned[partition]} were not planned")
        found: dict[str, list[flow.Update]] = {}
        for _, fields in self._visible(flow.RESULTS):
            found.setdefault(fields[0].decode(), []).append(flow.update_of(fields[1]))
        compare("results", found, expected.updates)

    def _check_letters(self, expected: flow.Expected) -> None:
        found = Counter[tuple[int, int]]()
        for _, fields in self._visible(flow.LETTERS):
            reason = reason_in(tuple(fields[3]))
            at = (reason.partition or 0, reason.offset or 0)
            found[at] += 1
        compare("dead letters", dict(found), dict.fromkeys(expected.letters, 1))

    def _check_redriven(self) -> None:
        journal = [json.loads(fields[1]) for _, fields in self._visible(f"{flow.LETTERS}-redriven")]
        done = Counter(tuple(record[1:3]) for entry in journal for record in entry.get("done", ()))
        compare("redriven dead letters", dict(done), dict.fromkeys(done, 1))
        originals = {at: self._broker.log(flow.SOURCE, at[0]).records[at[1]].fields[1] for at in done}
        redriven = Counter(
            stored.fields[1]
            for log in self._broker.topics[flow.SOURCE]
            for offset, stored in enumerate(log.records)
            if stored.producer is not None and stored.fields is not None and log.is_visible(offset)
        )
        compare("redriven records", dict(redriven), dict(Counter(originals.values())))

    # --- readers ------------------------------------------------------------------------------------------------------

    def _check_model(self) -> None:
        progress = self._model.progress(flow.STORE)
        if not progress:
            return
        states = self._expected().states
        found: dict[int, dict[str, flow.Update]] = {}
        for entry in self._model.entries(flow.STORE):
            found.setdefault(entry.partition, {})[json.loads(entry.key)] = flow.update_of(
                json.dumps(json.loads(entry.value)[0]).encode()
            )
        for partition, at in progress.items():
            offset = json.loads(self._checkpoint.offsets.get(at.batch, "{}"))
            if at.time_ms != offset.get("at"):
                raise ViolationError(f"the time of batch {at.batch} of the store is {at.time_ms}, not {offset.get('at')}")
            complete = offset.get("complete", {}) if offset["more"] else offset["ends"]
            if at.offsets != complete:
                raise ViolationError(f"batch {at.batch} of the store has the offsets {at.offsets}, not {complete}")
            compare(
                f"partition {partition} of the store at batch {at.batch}", found.get(partition, {}), states[at.batch][partition]
            )

    def _check_group(self) -> None:
        committed = self._broker.offsets.get(flow.APPLICATION, {})
        done = [end for batch, end in self._ends().items() if batch in self._checkpoint.commits]
        for (_, partition), (offset, _) in committed.items():
            if offset not in {end[partition] for end in done}:
                raise ViolationError(f"the group has committed offset {offset} of partition {partition}, where no batch ends")

    def _visible(self, topic: str) -> list[tuple[int, tuple[Any, ...]]]:
        logs = self._broker.topics.get(topic, [])
        for log in logs:
            if log.stable_end != len(log.records):
                raise ViolationError(f"a transaction in topic {topic!r} is still open")
        ends = [self._broker.end(topic, number, committed=True) for number in range(len(logs))]
        return [
            found for number, end in enumerate(ends) for found in self._broker.fetch(topic, number, 0, end + 1, committed=True)[0]
        ]


def compare(what: str, found: Any, wanted: Any) -> None:
    """Compare two mappings. Raises ViolationError, which names the first key whose values differ."""
    if found == wanted:
        return
    keys = [key for key in {**found, **wanted} if found.get(key) != wanted.get(key)]
    key = keys[0]
    raise ViolationError(f"{what}, {key!r}: {found.get(key)!r} instead of {wanted.get(key)!r}")
