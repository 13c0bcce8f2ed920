"""`eddyline state --engine local` with topics in files: state moves between applications, and what cannot be moved is refused."""

import json
from pathlib import Path

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.local.alone import LockMembership
from tests.adapters.cli.conftest import Eddyline, Outcome

FLOWS = """
from eddyline import Flow


def orders(builder):
    builder.stream("orders", key=str, value=str).group_by_key().count(store="counts").to_stream().to("order-counts")


FLOWS = (Flow("orders", "Counts the orders of each customer.", orders),)
"""
LOCAL = ("--flows", "flows", "--engine", "local")


@pytest.fixture
def orders(eddyline: Eddyline, tmp_path: Path) -> Eddyline:
    """The command in a folder with a flow that counts orders, two of which are in its topic."""
    (tmp_path / "flows.py").write_text(FLOWS)
    produce(eddyline, "ann", "bob", "--create-topics", "--partitions", "2")
    return eddyline


def produce(eddyline: Eddyline, first: str, second: str, *options: str) -> None:
    Path("orders.txt").write_text(f"{first}:tea\n{second}:rice\n")
    assert eddyline("produce", "orders", "--file", "orders.txt", "--key-separator", ":", *options).code == 0


def run(eddyline: Eddyline, *options: str) -> Outcome:
    return eddyline("run", "orders", *LOCAL, "--available-now", "--emit", "every-update", "--create-topics", *options)


def counts() -> list[tuple[bytes | None, int]]:
    """Return the results of the flow, by key."""
    log = FileEventLog(Path("data", "topics"))
    records = [
        record
        for partition in range(log.partitions("order-counts"))
        for batch in log.read("order-counts", partition, 0, log.end_offset("order-counts", partition))
        for record in batch
    ]
    return sorted((record.key, json.loads(record.value or b"")) for record in records)


def test_another_application_continues(orders: Eddyline) -> None:
    assert run(orders).code == 0
    exported = orders("state", "export", "orders", "orders.state", *LOCAL)
    assert (exported.code, exported.err) == (0, "exported 4 entries of application 'orders' to 'orders.state'\n")
    imported = orders("state", "import", "orders", "orders.state", "--execute", *LOCAL, "--application-id", "other")
    assert (imported.code, imported.err) == (0, "imported 4 entries into application 'other'\n")
    produce(orders, "ann", "cid")
    assert run(orders, "--application-id", "other").code == 0
    assert counts() == [(b"ann", 1), (b"ann", 2), (b"bob", 1), (b"cid", 1)]


def test_the_same_application_continues_after_a_reset(orders: Eddyline) -> None:
    run(orders)
    orders("state", "export", "orders", "orders.state", *LOCAL)
    refused = orders("state", "import", "orders", "orders.state", "--execute", *LOCAL)
    assert refused.code == 1
    assert refused.err == (
        "error: application 'orders' has state on the engine local, in its changelogs; run 'eddyline reset' for the flow first,"
        " or choose another --version or --application-id\n"
    )
    assert orders("reset", "orders", "--flows", "flows", "--execute").code == 0
    assert orders("state", "import", "orders", "orders.state", "--execute", *LOCAL).code == 0
    produce(orders, "ann", "bob")
    assert run(orders).code == 0
    assert counts() == [(b"ann", 1), (b"ann", 2), (b"bob", 1), (b"bob", 2)]


def test_the_engine_may_be_a_setting(orders: Eddyline) -> None:
    run(orders)
    Path("eddyline.toml").write_text('engine = "local"\n')
    assert orders("state", "export", "orders", "orders.state", "--flows", "flows").code == 0


def test_nothing_is_exported_before_the_first_run(orders: Eddyline) -> None:
    refused = orders("state", "export", "orders", "orders.state", *LOCAL)
    assert (refused.code, refused.err) == (
        1,
        "error: application 'orders' has left no state in its changelogs; run the flow with --engine local first\n",
    )
    assert not Path("orders.state").exists()
    assert FileEventLog(Path("data", "topics")).topics() == ["orders"]


def test_an_engine_that_keeps_no_state_is_a_usage_error(orders: Eddyline) -> None:
    for words in (("export", "orders", "orders.state"), ("import", "orders", "orders.state", "--execute")):
        refused = orders("state", *words, "--flows", "flows", "--engine", "memory")
        assert (refused.code, refused.err) == (
            2,
            "error: the engine memory keeps no state between runs; move that of --engine spark or of --engine local\n",
        )


def test_an_unknown_engine_is_a_usage_error_with_the_choices(orders: Eddyline) -> None:
    refused = orders("state", "export", "orders", "orders.state", "--flows", "flows", "--engine", "flink")
    assert refused.code == 2
    assert "invalid value 'flink' for '--engine': choose one of: 'spark', 'local', 'memory'" in refused.err


def test_a_flow_that_runs_is_not_exported(orders: Eddyline) -> None:
    run(orders)
    process = LockMembership(1, Path("data", "state", "local", "orders"))
    assert process.held()
    refused = orders("state", "export", "orders", "orders.state", *LOCAL)
    assert refused.code == 1
    assert "application 'orders' is running: its folder" in refused.err
    process.close()
    assert orders("state", "export", "orders", "orders.state", *LOCAL).code == 0


def test_an_application_begins_with_a_file_on_one_engine_alone(orders: Eddyline) -> None:
    run(orders)
    orders("state", "export", "orders", "orders.state", *LOCAL)
    way_out = "run 'eddyline reset' for the flow first, or choose another --version or --application-id\n"
    on_spark = orders("state", "import", "orders", "orders.state", "--execute", "--flows", "flows", "--engine", "spark")
    assert (on_spark.code, on_spark.err) == (
        1,
        f"error: application 'orders' has state on the engine local, in its changelogs; {way_out}",
    )
    other = ("state", "import", "orders", "orders.state", "--execute", "--application-id", "other")
    assert orders(*other, "--flows", "flows").code == 0, "Spark's checkpoint of another application"
    again = orders(*other, *LOCAL)
    assert (again.code, again.err) == (
        1,
        f"error: application 'other' has state on the engine spark, in checkpoint 'data/state/other'; {way_out}",
    )
    Path("data/state/other/moved-to-local").touch()
    assert orders(*other, *LOCAL).code == 0


def test_state_that_the_engine_local_has_taken_over_is_not_exported_from_the_checkpoint(orders: Eddyline) -> None:
    folder = Path("data/state/orders")
    folder.mkdir(parents=True)
    (folder / "moved-to-local").touch()
    refused = orders("state", "export", "orders", "orders.state", "--flows", "flows")
    assert (refused.code, refused.err) == (
        1,
        "error: the state in checkpoint 'data/state/orders' was moved to the engine local; export it with --engine local\n",
    )


def test_positions_in_topics_that_were_created_again_are_refused(orders: Eddyline) -> None:
    run(orders)
    orders("state", "export", "orders", "orders.state", *LOCAL)
    produce(orders, "ann", "bob", "--data-dir", "elsewhere", "--create-topics", "--partitions", "2")
    refused = orders("state", "import", "orders", "orders.state", "--execute", *LOCAL, "--data-dir", "elsewhere")
    assert refused.code == 1
    assert "the positions of application 'orders' belong to topics that have been deleted and created again" in refused.err
    assert "restore the topics" in refused.err
