"""Reads partitions of any event log as they grow, by asking for their ends again and again."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from eddyline.application.ports.event_log import LogRecord, TopicPartition
from eddyline.application.ports.task_streams import Available, Feed
from eddyline.application.runtime.input.batch_planner import plan_batch
from eddyline.application.runtime.input.offsets import Offsets, by_partition, end_offsets, partitions_of
from eddyline.application.runtime.plan.run_plan import RunPlan

_POLL_S: Final = 0.002
_MOST_POLL_S: Final = 0.05
_SHARE_OF_PAUSE: Final = 0.05
"""How long to wait before the ends are asked for again, as a share of the time since the last record."""


class LogFeed(Feed):
    """Announces records as batches of the other engines have them; `plan` has the log to read.

    The ends of topics are read one after the other, so a record that is announced may have been written after one of another
    topic that is not. Where records came meanwhile, the log holds more: tasks wait for these as for any that wait there.
    """

    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self._waits = plan.options.order == "timestamp" and plan.options.max_task_idle_ms >= 0
        self._positions: dict[TopicPartition, int] = {}
        self._last_news = time.monotonic()

    def seek(self, positions: Mapping[TopicPartition, int]) -> None:
        self._positions = dict(positions)

    def poll(self, timeout_s: float, limit: int) -> Available:
        deadline = time.monotonic() + timeout_s
        while True:
            last = end_offsets(self._plan.ports.log, dict.fromkeys(at.topic for at in self._positions))
            start = {
                topic: [self._position(topic, number, end) for number, end in enumerate(ends)] for topic, ends in last.items()
            }
            if any(start[topic] != list(ends) for topic, ends in last.items()):
                end = plan_batch(self._plan, start, last, limit)
                ends = {at: end.offsets[at.topic][at.partition] for at in self._positions if at.partition < len(last[at.topic])}
                news = {at: offset for at, offset in ends.items() if offset != self._positions[at]}
                self._positions.update(news)
                self._last_news = time.monotonic()
                more = {at for at in partitions_of(last) if at.partition in end.more.get(at.topic, ())} | self._grown(last)
                return Available(news, more, end.partial)
            now = time.monotonic()
            pause = max(_POLL_S, min(_SHARE_OF_PAUSE * (now - self._last_news), _MOST_POLL_S))
            if now + pause >= deadline:
                time.sleep(max(deadline - now, 0.0))
                return Available()  # who asks next looks at once
            time.sleep(pause)

    def _grown(self, ends: Offsets) -> set[TopicPartition]:
        """Return the partitions of which the log holds more than these ends, if tasks wait for records of other topics."""
        ordered = [topic for topic in ends if topic not in self._plan.global_topics]
        if not self._waits or len(ordered) < 2:  # noqa: PLR2004 - one topic has no other
            return set()
        later = end_offsets(self._plan.ports.log, ordered)
        before = by_partition({topic: ends[topic] for topic in ordered})
        return {at for at, end in before.items() if later[at.topic][at.partition] > end}

    def _position(self, topic: str, number: int, end: int) -> int:
        """Return the position of a partition, its end if the partition is not read."""
        return self._positions.get(TopicPartition(topic, number), end)

    def retract(self, positions: Mapping[TopicPartition, int]) -> None:
        self._positions.update(positions)

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        return self._plan.ports.log.read(topic, partition, start, end)

    def release(self, partition: TopicPartition, offset: int) -> None:
        """Do nothing: the log keeps the records."""

    def close(self) -> None:
        """Do nothing: the log is closed by who has opened it."""
