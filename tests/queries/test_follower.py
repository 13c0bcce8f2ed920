"""Following changelogs into a read model."""

import logging
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.adapters.sqlite.read_model import SqliteReadModel
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.instance_group import InstanceGroup
from eddyline.application.ports.read_model import ChangelogPart
from eddyline.application.queries import follower as follower_module
from eddyline.application.queries.answers import IncompleteError, QueryError
from eddyline.application.runtime.plan.changelogs import changelog_topic
from tests.queries.changelogs import APPLICATION, Changelogs


class CountingModel(MemoryReadModel):
    def __init__(self) -> None:
        super().__init__()
        self.applied: list[tuple[int, int]] = []

    def apply(self, part: ChangelogPart) -> bool:
        done = super().apply(part)
        if done:
            self.applied.append((part.start, part.end))
        return done


def keys(logs: Changelogs, store: str = "stock") -> list[Any]:
    return [row.key for row in logs.queries.range(store, limit=1_000).rows]


def test_changes_are_applied_once_and_from_the_position_of_the_model(tmp_path: Path) -> None:
    model = SqliteReadModel(tmp_path / "model.sqlite")
    logs = Changelogs(model)
    logs.write("stock", {"a": (1, 0), "b": (2, 0)})
    logs.follower.catch_up()
    logs.write("stock", {"a": None, "c": (3, 0)})
    other = logs.new_follower(SqliteReadModel(tmp_path / "model.sqlite"))
    other.catch_up()
    logs.follower.catch_up()
    assert keys(logs) == ["b", "c"]
    assert model.position("stock", 0) == 4


def test_a_changelog_that_was_created_again_is_read_from_its_beginning() -> None:
    logs = Changelogs()
    logs.write("stock", {"old": (1, 0)})
    logs.follower.catch_up()
    logs.recreate("stock")
    logs.write("stock", {"new": (1, 0), "newer": (1, 0), "newest": (1, 0)})
    logs.follower.catch_up()
    assert keys(logs) == ["new", "newer", "newest"]


def test_a_changelog_that_ends_before_the_position_is_read_from_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    logs = Changelogs()
    identity = logs.log.identity(())
    monkeypatch.setattr(logs.log, "identity", lambda _: identity)  # a log that does not know the ids of its topics
    logs.write("stock", {"a": (1, 0), "b": (1, 0)})
    logs.follower.catch_up()
    logs.recreate("stock")
    logs.write("stock", {"new": (1, 0)})
    logs.follower.catch_up()
    assert keys(logs) == ["new"]


def test_a_store_whose_changelog_was_deleted_is_unknown_until_there_is_one_again() -> None:
    logs = Changelogs()
    logs.write("stock", {"a": (1, 0)})
    logs.follower.catch_up()
    logs.log.delete_topic("shop-stock-changelog")
    logs.follower.catch_up()
    assert list(logs.follower.stores) == []
    logs.write("stock", {"b": (1, 0)})
    logs.follower.catch_up()
    assert keys(logs) == ["b"]


def test_a_store_is_being_restored_until_it_has_reached_the_end_at_the_start() -> None:
    logs = Changelogs(partitions=2)
    logs.write("stock", {"a": (1, 0)})
    logs.write("stock", {"b": (1, 0)}, partition=1)
    logs.follower.discover()
    assert logs.follower.restoring("stock")
    assert logs.queries.freshness("stock").restoring
    logs.follower.catch_up()
    assert not logs.follower.restoring("stock")
    logs.write("stock", {"c": (1, 0)})
    assert not logs.follower.restoring("stock")


def test_parts_end_at_progress_records_unless_they_get_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower_module, "_FULL_PART", 2)
    monkeypatch.setattr(follower_module, "_LARGEST_PART", 4)
    model = CountingModel()
    logs = Changelogs(model)
    for batch, count in enumerate((1, 2, 6)):
        logs.write("stock", {f"{batch}-{number}": (1, 0) for number in range(count)})
        logs.progress("stock", batch, batch, 0)
    logs.follower.catch_up()
    assert model.applied == [(0, 5), (5, 9), (9, 12)]
    assert len(keys(logs)) == 9
    assert logs.queries.freshness("stock").batch == 2


def test_changes_and_their_progress_are_seen_together(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int]] = []

    class Observed(MemoryReadModel):
        def apply(self, part: ChangelogPart) -> bool:
            done = super().apply(part)
            seen.append((self.size("stock")[0], self.progress("stock")[0].batch))
            return done

    monkeypatch.setattr(follower_module, "_FULL_PART", 1)
    logs = Changelogs(Observed())
    for batch in range(3):
        logs.write("stock", {f"{batch} {number}": (1, 0) for number in range(10)})
        logs.progress("stock", batch, batch, 0)
    logs.follower.catch_up()
    assert seen == [(10, 0), (20, 1), (30, 2)]


def test_changelogs_are_looked_for_seldom_unless_a_store_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    logs = Changelogs(discovery_ms=3_600_000)
    topics, looks = logs.log.topics, []

    def counted() -> Sequence[str]:
        looks.append("look")
        return topics()

    monkeypatch.setattr(logs.log, "topics", counted)
    logs.follower.catch_up()
    logs.write("stock", {"a": (1, 0)})
    logs.follower.catch_up()
    assert (keys(logs), len(looks)) == (["a"], 2)
    for number in range(10):
        logs.write("stock", {f"b{number}": (1, 0)})
        logs.follower.catch_up("stock")
    assert (len(keys(logs)), len(looks)) == (11, 2)
    logs.write("sales", {("a", 0): 1})
    logs.follower.catch_up("sales")
    assert (keys(logs, "sales"), len(looks)) == (["a"], 3)


def test_only_the_changelogs_of_the_stores_that_are_asked_for_are_read() -> None:
    logs = Changelogs()
    logs.create("stock", "sales")
    logs.follower.catch_up()
    logs.write("stock", {"a": (1, 0)})
    logs.write("sales", {("a", 0): 1})
    logs.follower.catch_up("stock")
    assert (keys(logs), keys(logs, "sales")) == (["a"], [])


def test_the_thread_finds_new_stores_and_goes_on_after_errors(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(follower_module, "_RETRY_S", 0.01)
    logs = Changelogs()
    topics, failures = logs.log.topics, iter([ConnectionError("no broker"), ConnectionError("no broker")])

    def failing() -> Sequence[str]:
        for failure in failures:
            raise failure
        return topics()

    monkeypatch.setattr(logs.log, "topics", failing)
    with caplog.at_level(logging.WARNING, "eddyline.queries"):
        logs.follower.start()
        logs.write("stock", {"a": (1, 0)})
        assert logs.follower.wait_until(lambda: "stock" in logs.follower.stores and bool(keys(logs)), 30)
        logs.write("sales", {("a", 0): 1})
        assert logs.follower.wait_until(lambda: "sales" in logs.follower.stores and bool(keys(logs, "sales")), 30)
        logs.follower.stop()
    assert [record.getMessage() for record in caplog.records] == ["cannot follow the changelogs, retrying: no broker"]
    assert logs.follower.failure is None
    logs.write("stock", {"b": (1, 0)})
    logs.follower.catch_up()
    assert keys(logs) == ["a", "b"]


def test_a_key_of_another_type_is_an_error_that_names_the_store() -> None:
    logs = Changelogs()
    logs.write("by-number", {})
    logs.log.append("shop-by-number-changelog", b'"text"', b'"1"', 0)
    with pytest.raises(QueryError, match=r"changelog of store 'by-number' has a key that is not of type int: .*; query the"):
        logs.follower.catch_up()


def test_a_record_that_the_log_cannot_read_is_an_error_with_its_offset() -> None:
    logs = Changelogs()
    logs.create("stock")
    logs.log.append("shop-stock-changelog", None, b"", -1, error="no JSON")
    with pytest.raises(QueryError, match=r"topic 'shop-stock-changelog', partition 0, offset 0 cannot be read: no JSON; reset"):
        logs.follower.catch_up()


class Group(InstanceGroup):
    """Holds what a test says, of one store."""

    def __init__(self, *numbers: int, store: str = "stock") -> None:
        self.numbers: tuple[int, ...] | None = numbers
        self._topic = changelog_topic(APPLICATION, store)

    def start(self, host: str, topics: Sequence[str]) -> None:
        raise AssertionError((host, topics))

    def held(self) -> Collection[TopicPartition] | None:
        return None if self.numbers is None else [TopicPartition(self._topic, number) for number in self.numbers]

    def members(self) -> Mapping[str, Collection[TopicPartition]]:
        raise AssertionError

    def close(self) -> None:
        """Leave nothing behind."""


def test_only_the_partitions_that_an_instance_holds_are_followed() -> None:
    group = Group(1)
    logs = Changelogs(partitions=3, group=group)
    for number in range(3):
        logs.write("stock", {f"key-{number}": (number, 0)}, partition=number)
        logs.progress("stock", 1, 5, 5, partition=number)
    logs.follower.catch_up()
    assert keys(logs) == ["key-1"]
    assert (logs.queries.store("stock").held, logs.queries.store("stock").entries) == ([1], 1)
    group.numbers = (0, 1)
    logs.follower.catch_up()
    assert keys(logs) == ["key-0", "key-1"]
    group.numbers = (2,)
    logs.follower.catch_up()
    assert keys(logs) == ["key-2"]
    assert (logs.queries.store("stock").held, logs.queries.store("stock").entries) == ([2], 1)
    assert logs.queries.freshness("stock").batch == 1
    answer = logs.queries.range("stock")
    assert (answer.partitions, answer.missing) == ([2], [0, 1])


def test_an_instance_without_an_assignment_keeps_what_it_has_but_does_not_answer() -> None:
    group = Group(0)
    logs = Changelogs(partitions=2, group=group)
    logs.write("stock", {"a": (1, 0)})
    logs.follower.catch_up()
    group.numbers = None
    logs.follower.catch_up()
    with pytest.raises(IncompleteError, match="this instance has no partitions of store 'stock' yet, since it is joining"):
        logs.queries.range("stock")
    assert logs.queries.freshness("stock").restoring
    assert logs.model.position("stock", 0) == 1
    group.numbers = (0,)
    logs.follower.catch_up()
    assert keys(logs) == ["a"]


def test_partitions_that_move_during_a_query_make_it_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    group = Group(0)
    logs = Changelogs(partitions=2, group=group)
    logs.write("stock", {"a": (1, 0)})
    logs.follower.catch_up()
    scan = logs.model.scan

    def moving(*arguments: Any, **options: Any) -> Any:
        group.numbers = (0, 1)
        logs.follower.catch_up()
        return scan(*arguments, **options)

    monkeypatch.setattr(logs.model, "scan", moving)
    with pytest.raises(IncompleteError, match="partitions of store 'stock' are moving between instances; try again"):
        logs.queries.range("stock")


def test_an_instance_that_holds_no_partition_waits_for_nothing() -> None:
    logs = Changelogs(group=Group())
    logs.write("stock", {"a": (1, 0)})
    logs.follower.catch_up()
    assert logs.queries.wait_for("stock", {"orders": {0: 99}}, 0).batch is None
