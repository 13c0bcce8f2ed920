from eddyline.adapters.memory.event_log import MemoryEventLog
from tests.ports.places import everything


def test_a_record_put_in_by_hand_keeps_all_that_it_was_given() -> None:
    log = MemoryEventLog()
    log.create_topic("t", 2)
    log.append("t", b"k", b"v", 5, (("h", None),), partition=1, arrival=9)
    log.append("t", None, b"{", -1, partition=1, error="not JSON")
    sound, broken = everything(log, "t", 1)
    assert sound == ("t", 1, 0, 5, b"k", b"v", (("h", None),), 9, None)
    assert (broken.value, broken.error) == (b"{", "not JSON")
