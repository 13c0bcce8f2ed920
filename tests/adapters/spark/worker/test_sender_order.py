"""Records that one task sends through a repartition topic arrive in the order of sending, whatever their timestamps are."""

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.topology import TopologyBuilder
from tests.adapters.spark.in_process import InProcessRun


def test_a_row_that_changes_its_group_with_an_earlier_timestamp_is_counted_once() -> None:
    builder = TopologyBuilder()
    users = builder.table("users", key=str, value=str, store="users-store")
    users.group_by(lambda user, city: (city, user), key=str, value=str).count(store="by-city").to_stream().to("out")
    log = MemoryEventLog()
    log.create_topic("users", 2)
    log.append("users", b"ann", b"Oslo", 100)
    log.append("users", b"ann", b"Rome", 50)
    run = InProcessRun(builder.build(), log).run()
    assert {row.key: row.value for row in run.store("by-city") if row.value} == {"Rome": 1}
