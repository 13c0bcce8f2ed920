"""What a read does when retention has deleted the first offsets of its range: `auto.offset.reset`."""

from eddyline.adapters.kafka.clients.logs import LOGGER
from eddyline.adapters.kafka.errors import KafkaSettingsError
from eddyline.application.ports.event_log import OffsetOutOfRangeError

_EARLIEST, _LATEST = "earliest", "latest"
_POLICIES = {
    "error": None,
    "none": None,
    "earliest": _EARLIEST,
    "smallest": _EARLIEST,
    "beginning": _EARLIEST,
    "latest": _LATEST,
    "largest": _LATEST,
    "end": _LATEST,
}


class ResetPolicy:
    """The policy of one event log.

    Args:
        setting: The value of `auto.offset.reset`: `error`, `earliest`, `latest` or one of librdkafka's synonyms.

    Raises:
        KafkaSettingsError: the value is unknown.
    """

    def __init__(self, setting: str) -> None:
        if setting not in _POLICIES:
            raise KafkaSettingsError(f"unknown auto.offset.reset '{setting}'; choose from error, earliest, latest")
        self._policy = _POLICIES[setting]

    def new_start(self, label: str, start: int, begin: int, end: int) -> int:
        """Return the offset at which to continue reading, and log how many offsets are skipped.

        Args:
            label: The name of the partition in messages.
            start: The first requested offset, which no longer exists.
            begin: The first offset that exists.
            end: The end of the requested range, exclusive.

        Raises:
            OffsetOutOfRangeError: the policy is `error`.
        """
        requested = f"{label}: offsets {start} to {end} were requested, but the log starts at {begin}"
        if self._policy is None:
            raise OffsetOutOfRangeError(
                f"{requested}: retention has deleted {min(begin, end) - start} of them; "
                "reset the flow, or set auto.offset.reset=earliest to continue without them"
            )
        new_start = end if self._policy == _LATEST else min(begin, end)
        LOGGER.warning("%s: skipping %d offsets (auto.offset.reset=%s)", requested, new_start - start, self._policy)
        return new_start
