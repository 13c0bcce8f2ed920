from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.resettable_state import MemoryResettableState
from eddyline.application.ports.resettable_state import Application
from tests.ports.environments import read_all


def test_an_appended_record_keeps_all_its_fields() -> None:
    log = MemoryEventLog()
    log.create_topic("t", 2)
    log.append("t", b"k", b"v", 5, (("h", None),), partition=1, arrival=9)
    log.append("t", None, b"{", -1, partition=1, error="not JSON")
    valid, invalid = read_all(log, "t", 1)
    assert valid == ("t", 1, 0, 5, b"k", b"v", (("h", None),), 9, None)
    assert (invalid.value, invalid.error) == (b"{", "not JSON")


def test_a_topic_that_was_cleared_has_another_id() -> None:
    log = MemoryEventLog()
    log.create_topic("t", 1)
    ids = [log.identity(["t"]).topics["t"]]
    for _ in range(2):
        log.clear("t")
        ids.append(log.identity(["t"]).topics["t"])
    assert all(ids)
    assert len(set(ids)) == 3


def test_the_state_of_an_application_is_described_with_its_number_of_slots() -> None:
    log = MemoryEventLog()
    log.last_batches = {("app-0a1b2c3d", 0): 5, ("app-0a1b2c3d", 1): 5, ("other-0a1b2c3d", 0): 5}
    (found,) = MemoryResettableState(log).find(Application("app"))
    assert (found.location, found.size) == ("memory", "2 slots")
