"""The flow device-maintenance: requests for maintenance of machines before they fail."""

from typing import Any, Literal

from eddyline import (
    FlowSettingError,
    KeyValueStore,
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    Stream,
    TopologyBuilder,
    Windowed,
    key_value_store,
    on_window_close,
    tumbling,
)
from eddyline.domain.operations import (
    Device,
    MaintenanceRequest,
    MaintenanceRules,
    MeanReadings,
    Observation,
    Reading,
    ReadingSums,
    Service,
)

_CLOCKS = {"stream": PunctuationType.STREAM_TIME, "wall": PunctuationType.WALL_CLOCK_TIME}
_CHECKS_PER_SILENCE = 10


class WatchDevices(Processor[str, Observation, str, MaintenanceRequest]):
    """Keeps the state of each machine in the store `devices` and forwards each new request for maintenance."""

    def __init__(self, rules: MaintenanceRules, clock: PunctuationType) -> None:
        self._rules = rules
        self._clock = clock
        self._devices: KeyValueStore[str, Device]

    def init(self, context: ProcessorContext[str, MaintenanceRequest]) -> None:
        """Open the store and schedule the check for silent machines."""
        super().init(context)
        self._devices = context.state_store("devices")
        context.schedule(max(1, self._rules.silence_ms // _CHECKS_PER_SILENCE), self._clock, self._check_for_silence)

    def process(self, record: Record[str, Observation]) -> None:
        """Update a machine by a reading, the means of a window that closed, or a service; drop what lacks either."""
        name, observation, at, _ = record
        if None in (name, observation):
            self.context.drop(record, "null-value" if name else "null-key")
            return
        now = at if self._clock is PunctuationType.STREAM_TIME else self.context.current_system_time_ms()
        device = self._devices.get(name) or Device(at, now)
        self._update(name, device, device.observe(name, observation, at, now, self._rules), at)

    def _check_for_silence(self, now: int) -> None:
        for name, device in self._devices.range():
            self._update(name, device, device.checked_for_silence(name, now, self._rules), now)

    def _update(self, name: str, before: Device, after: Device, at: int) -> None:
        if after is not before:
            self._devices.put(name, after)
        request = after.new_request(before)
        if request is not None:
            self.context.forward(Record(name, request, at))


def device_maintenance(
    builder: TopologyBuilder,
    *,
    window_ms: int = 300_000,
    grace_ms: int = 0,
    rising_windows: int = 3,
    temperature_rise: float = 3.0,
    vibration_rise: float = 0.5,
    silence_ms: int = 600_000,
    punctuation: Literal["stream", "wall"] = "stream",
) -> None:
    """Request maintenance of machines that run hot and rough or fall silent.

    Input: `sensor-readings` and `services`, keyed by machine. Output: `maintenance-requests`, one for each machine that needs
    maintenance until it is serviced, and `unsound-readings`, the values that working sensors cannot show.

    A machine needs maintenance if the mean temperature and vibration rise over `rising_windows` tumbling windows of `window_ms`,
    in total by at least `temperature_rise` degrees and `vibration_rise` mm/s, or if it sends nothing for longer than `silence_ms`
    of stream time or, with `punctuation` wall, of wall-clock time. Late readings count for `grace_ms`.
    """
    if rising_windows < 2:  # noqa: PLR2004 - one window cannot show a rise
        raise FlowSettingError(f"setting 'rising_windows' of flow 'device-maintenance' is {rising_windows}; choose 2 or more")
    rules = MaintenanceRules(rising_windows, temperature_rise, vibration_rise, silence_ms)
    clock = _CLOCKS[punctuation]
    readings = (
        builder.stream("sensor-readings", key=str, value=Reading)
        .split(name="readings")
        .branch(_is_sound, name="sound")
        .default_branch(name="unsound")
    )
    readings["unsound"].to("unsound-readings")
    builder.add_state_store(key_value_store("devices", key=str, value=Device))
    services: Stream[str, Any] = builder.stream("services", key=str, value=Service)
    (
        services.merge(readings["sound"], _means(readings["sound"], window_ms, grace_ms))
        .process(lambda: WatchDevices(rules, clock), stores=["devices"], key=str, value=MaintenanceRequest)
        .to("maintenance-requests")
    )


def _means(readings: Stream[str, Reading], window_ms: int, grace_ms: int) -> Stream[str, MeanReadings]:
    return (
        readings.group_by_key()
        .windowed_by(tumbling(window_ms, grace=grace_ms), emit_strategy=on_window_close())
        .aggregate(ReadingSums, ReadingSums.add, store="sensor-windows")
        .to_stream()
        .map(_mean)
    )


def _is_sound(_device: str, reading: Reading | None) -> bool:
    return reading is not None and reading.is_sound


def _mean(windowed: Windowed[str], sums: ReadingSums) -> tuple[str, MeanReadings]:
    return windowed.key, sums.over(*windowed.window)
