"""Why a window is open, in sentences."""

from typing import Any

from eddyline.adapters.page.views.windows import reasons
from eddyline.application.monitoring.window_closing import OpenWindow, SourceStatus, TaskWindows

NOW_MS = 1_700_000_000_000
WINDOW = OpenWindow(NOW_MS - 5_000, NOW_MS, NOW_MS + 2_000, keys=3, key="IBM")


def source(partition: int, **others: Any) -> SourceStatus:
    known = {"offset": 10, "end": 10, "last_timestamp": None, "idle_since": None, "idle_timeout_ms": None}
    return SourceStatus("trades", partition, **known | others)


def sentences(**others: Any) -> str:
    known: dict[str, Any] = {"stream_time": NOW_MS - 1_000, "open": 1, "windows": [WINDOW], "direct": [source(0)], "upstream": []}
    return " ".join(reasons(TaskWindows(0, **known | others), NOW_MS))


def test_without_a_record_there_is_no_stream_time() -> None:
    assert sentences(stream_time=None) == "No record has been processed, so there is no stream time yet."


def test_without_an_open_window_there_is_only_the_stream_time() -> None:
    assert sentences(open=0, windows=[]) == "No window is open. Stream time is 2023-11-14 22:13:19 UTC."


def test_a_window_waits_for_a_later_record() -> None:
    assert sentences() == (
        "Stream time is 2023-11-14 22:13:19 UTC. The next window to close ends at 22:13:20 and closes when stream time reaches"
        " 22:13:22: 3.0 s are missing. All records have been processed. A record with a timestamp of 22:13:22 or later in"
        " trades-0 closes it."
    )


def test_the_partition_that_is_furthest_behind_is_named() -> None:
    behind = [source(0, offset=9), source(1, offset=3)]
    assert sentences(direct=behind).endswith(
        "Partition trades-1 has 7 records to process, and 1 other has some too; processing them may close it."
    )
    assert sentences(direct=behind[:1]).endswith(
        "Partition trades-0 has 1 record to process; processing it may close the window."
    )


def test_idle_partitions_tell_since_when() -> None:
    assert "All records have been processed, and the last one came 40.0 s ago." in sentences(
        direct=[source(0, idle_since=NOW_MS - 40_000)]
    )


def test_an_idle_timeout_closes_the_window_by_itself() -> None:
    window = OpenWindow(NOW_MS - 5_000, NOW_MS, NOW_MS, keys=1, key="IBM", idle_closes_at=NOW_MS + 60_000)
    assert "Without a further record, the idle timeout closes it at 2023-11-14 22:14:20 UTC." in sentences(windows=[window])


def test_a_record_that_comes_through_a_repartition_needs_the_right_key() -> None:
    upstream = [source(number) for number in range(5)]
    assert sentences(direct=[], upstream=upstream).endswith(
        "in trades-0, trades-1, trades-2 or 2 more closes it, if its key belongs to this partition of the store."
    )
