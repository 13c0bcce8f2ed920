from eddyline.adapters.memory.event_log import MemoryEventLog
from tests.ports.environments import read_all


def test_an_appended_record_keeps_all_its_fields() -> None:
    log = MemoryEventLog()
    log.create_topic("t", 2)
    log.append("t", b"k", b"v", 5, (("h", None),), partition=1, arrival=9)
    log.append("t", None, b"{", -1, partition=1, error="not JSON")
    valid, invalid = read_all(log, "t", 1)
    assert valid == ("t", 1, 0, 5, b"k", b"v", (("h", None),), 9, None)
    assert (invalid.value, invalid.error) == (b"{", "not JSON")
