"""What one task sends through a repartition arrives in the order in which it was sent, whatever its timestamps say."""

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.topology import TopologyBuilder
from tests.adapters.spark.in_process import InProcess


def test_a_row_that_changes_its_group_backwards_in_time_is_counted_once() -> None:
    builder = TopologyBuilder()
    users = builder.table("users", key=str, value=str, store="users-store")
    users.group_by(lambda user, city: (city, user), key=str, value=str).count(store="by-city").to_stream().to("out")
    log = MemoryEventLog()
    log.create_topic("users", 2)
    log.append("users", b"ann", b"Oslo", 100)
    log.append("users", b"ann", b"Rome", 50)
    run = InProcess(builder.build(), log).run()
    assert {row.key: row.value for row in run.store("by-city") if row.value} == {"Rome": 1}
