"""Options that do not fit together are refused."""

import pytest

from eddyline.application.runtime.plan.options import LogClock, RunOptions


def test_a_clock_topic_needs_the_order_of_arrival() -> None:
    with pytest.raises(
        ValueError,
        match="clock topic 'ticks' needs order='arrival', not order='timestamp': only the order of arrival relates its records",
    ):
        RunOptions(application_id="app", clock=LogClock("ticks"))
    assert RunOptions(application_id="app", clock=LogClock("ticks"), order="arrival").clock == LogClock("ticks", start_ms=0)
