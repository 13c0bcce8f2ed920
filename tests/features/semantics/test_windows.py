"""Windows of every kind, and results that are emitted when they close."""

from pytest_bdd import given, parsers, scenarios

from eddyline.testing import milliseconds
from tests.conformance.recorded import TOPOLOGIES
from tests.features.recording import RecordedFlow

scenarios(
    "semantics/calendar_windows.feature",
    "semantics/emit_on_window_close.feature",
    "semantics/hopping_windows.feature",
    "semantics/session_windows.feature",
    "semantics/sliding_windows.feature",
    "semantics/suppress_until_window_closes.feature",
)


@given("notifications are counted by user in windows of 10 min that start every 1 min")
def hopping_windows(flow: RecordedFlow) -> None:
    flow.use("notification-metrics")


@given("the counts are suppressed until their window closes")
def suppressed(flow: RecordedFlow) -> None:
    flow.set(suppress=True)


@given(parsers.parse("prices are aggregated by day in {zone}"))
def calendar_windows(flow: RecordedFlow, zone: str) -> None:
    flow.use("daily-range", zone=zone)


@given(parsers.parse("records are counted in sliding windows with a time difference of {duration}"))
def sliding_windows(flow: RecordedFlow, duration: str) -> None:
    flow.use(TOPOLOGIES["sliding"], time_difference_ms=milliseconds(duration))


@given(parsers.parse("records are counted in sessions with an inactivity gap of {duration}"))
def session_windows(flow: RecordedFlow, duration: str) -> None:
    flow.use(TOPOLOGIES["session-counts"], gap_ms=milliseconds(duration))


@given(parsers.parse("records are counted in windows of {size} and emitted on window close"))
def emitted_on_close(flow: RecordedFlow, size: str) -> None:
    flow.use(TOPOLOGIES["emit-on-close"], size_ms=milliseconds(size), emit_interval_ms=0)


@given(parsers.parse("records are counted in windows of {size} and emitted on window close, at most every {interval}"))
def emitted_on_close_at_intervals(flow: RecordedFlow, size: str, interval: str) -> None:
    flow.use(TOPOLOGIES["emit-on-close"], size_ms=milliseconds(size), emit_interval_ms=milliseconds(interval))
