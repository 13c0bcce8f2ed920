"""Calls for maintenance of machines before they fail."""

from typing import Any, Literal, TypeAlias

from eddyline.application.flows.flow import FlowSettingError
from eddyline.application.ports.state_store import KeyValueStore
from eddyline.application.topology import Stream, TopologyBuilder
from eddyline.application.topology.processor import Processor, ProcessorContext, PunctuationType, Record
from eddyline.application.topology.stores import key_value_store
from eddyline.application.topology.windows import Windowed, on_window_close, tumbling
from eddyline.domain.maintenance import Device, MaintenanceRequest, MaintenanceRules, MeanReadings, Reading, ReadingSums, Service

_CLOCKS = {"stream": PunctuationType.STREAM_TIME, "wall": PunctuationType.WALL_CLOCK_TIME}
_LOOKS = 10

_Sign: TypeAlias = Reading | MeanReadings | Service


class WatchDevices(Processor[str, _Sign, str, MaintenanceRequest]):
    """Remembers each device in the store `devices`, and tells once when it begins to ask for maintenance."""

    def __init__(self, rules: MaintenanceRules, clock: PunctuationType) -> None:
        self._rules = rules
        self._clock = clock
        self._devices: KeyValueStore[str, Device]

    def init(self, context: ProcessorContext[str, MaintenanceRequest]) -> None:
        """Takes the store, and asks to look for silent devices ten times within the limit."""
        super().init(context)
        self._devices = context.state_store("devices")
        context.schedule(max(1, self._rules.silence_ms // _LOOKS), self._clock, self._look_for_silence)

    def process(self, record: Record[str, _Sign]) -> None:
        """Takes a reading, the means of a window that has closed, or a service."""
        name, sign, at, _ = record
        now = at if self._clock is PunctuationType.STREAM_TIME else self.context.current_system_time_ms()
        device = self._devices.get(name) or Device(at, now)
        if isinstance(sign, Reading):
            after = device.heard(at, now)
        elif isinstance(sign, MeanReadings):
            after = device.measured(name, sign, self._rules)
        else:
            after = device.served(at, now)
        self._keep(name, device, after, at)

    def _look_for_silence(self, now: int) -> None:
        for name, device in self._devices.range():
            self._keep(name, device, device.waited_for(name, now, self._rules), now)

    def _keep(self, name: str, before: Device, after: Device, at: int) -> None:
        if after is not before:
            self._devices.put(name, after)
        if after.request is not None and before.request is None:
            self.context.forward(Record(name, after.request, at))


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
    """Readings and services of devices in; out, a request for each device that needs maintenance, once until it is served.

    A device needs it when temperature and vibration rise over `rising_windows` windows of `window_ms`, which take late
    readings for `grace_ms`, in all by `temperature_rise` degrees and `vibration_rise` mm/s; or when nothing is heard of it
    for longer than `silence_ms`, by stream time or the wall clock. Readings that cannot be go to a topic of their own.
    """
    if rising_windows < 2:  # noqa: PLR2004 - one window shows no rise
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
    signs: Stream[str, Any] = builder.stream("services", key=str, value=Service)
    (
        signs.merge(readings["sound"], _windows(readings["sound"], window_ms, grace_ms))
        .process(lambda: WatchDevices(rules, clock), stores=["devices"], key=str, value=MaintenanceRequest)
        .to("maintenance-requests")
    )


def _windows(readings: Stream[str, Reading], window_ms: int, grace_ms: int) -> Stream[str, MeanReadings]:
    return (
        readings.group_by_key()
        .windowed_by(tumbling(window_ms, grace=grace_ms), emit_strategy=on_window_close())
        .aggregate(ReadingSums, ReadingSums.add, merge=ReadingSums.merge, store="sensor-windows")
        .to_stream()
        .map(_means)
    )


def _is_sound(_device: str, reading: Reading | None) -> bool:
    return reading is not None and reading.is_sound


def _means(windowed: Windowed[str], sums: ReadingSums) -> tuple[str, MeanReadings]:
    return windowed.key, sums.over(*windowed.window)
