"""A flow whose source has an idle timeout, with what its windows are used for as a setting."""

from eddyline import (
    Flow,
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    TopologyBuilder,
    join_windows,
    on_window_close,
    session,
    tumbling,
    until_window_closes,
)


def idle(builder: TopologyBuilder, *, kind: str = "windows", timeout_s: int = 0) -> None:
    timeout = timeout_s * 1_000 or None
    stream = builder.stream("events", key=str, value=str, idle_timeout=timeout)
    minutes = tumbling(60_000, grace=0)
    if kind == "windows":
        counts = stream.group_by_key().windowed_by(minutes, emit_strategy=on_window_close()).count(store="counts")
        counts.to_stream().to("out")
    elif kind == "sessions":
        sessions = session(60_000, grace=0)
        stream.group_by_key().windowed_by(sessions, emit_strategy=on_window_close()).count(store="counts").to_stream().to("out")
    elif kind == "suppress":
        counts = stream.group_by_key().windowed_by(minutes).count(store="counts")
        counts.suppress(until_window_closes()).to_stream().to("out")
    elif kind == "join":
        others = builder.stream("others", key=str, value=str, idle_timeout=timeout)
        within = join_windows(before=10_000, after=10_000, grace=0)
        stream.left_join(others, lambda left, right: f"{left}/{right}", windows=within, value=str, name="joined").to("out")
    elif kind == "repartition":
        grouped = stream.group_by(lambda _key, value: value, key=str, name="by-value")
        grouped.windowed_by(minutes, emit_strategy=on_window_close()).count(store="counts").to_stream().to("out")
    elif kind == "twice":
        counts = stream.group_by_key().windowed_by(minutes, emit_strategy=on_window_close()).count(store="counts")
        totals = counts.to_stream().group_by(lambda _key, count: str(count), key=str, name="by-count")
        short = totals.windowed_by(tumbling(10_000, grace=0), emit_strategy=on_window_close())
        short.count(store="totals").to_stream().to("out")
    else:
        stream.process(_Ticks, key=str, value=int, name="ticks").to("out")


class _Ticks(Processor[str, str, str, int]):
    """Emits stream time in seconds every 10 s of stream time."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        self._context = context
        context.schedule(10_000, PunctuationType.STREAM_TIME, self._tick)

    def process(self, record: Record[str, str]) -> None:
        """Ignore the record."""

    def _tick(self, time: int) -> None:
        self._context.forward(Record("tick", time // 1_000, time))


IDLE = Flow("idle-sources", "Counts events of a source with an idle timeout.", idle)
