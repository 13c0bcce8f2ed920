"""Charts over time, drawn by ECharts, which NiceGUI contains.

The colors are names that the style sheet replaces, so a chart follows the light and the dark look without being drawn again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from nicegui import ui

from eddyline.adapters.page.parts.elements import box, set_attributes, text

GRID, LABEL = "#0f0f01", "#0f0f02"
SERIES = ("#0f0f11", "#0f0f12", "#0f0f13", "#0f0f14")
"""Placeholders for colors of the style sheet."""

_FONT = "system-ui, sans-serif"
_CLOCK, _DATE = "{HH}:{mm}:{ss}", "{yyyy}-{MM}-{dd}"
_LABELS = dict.fromkeys(("hour", "minute", "second", "millisecond"), _CLOCK) | dict.fromkeys(("year", "month", "day"), _DATE)
"""The labels of a time axis: midnights are dates."""
_LEAST_SPAN_MS = 60_000
_HOUR_MS = 3_600_000

Points = Sequence[tuple[float, float | None]]
"""Pairs of a time in milliseconds and a value; None leaves a gap."""


class LineChart:
    """A line chart over time with a text for people who do not see it.

    Args:
        title: The title of the chart.
        unit: The unit of the values.
        times: Whether the values are times in milliseconds, too.
        tall: Whether the chart is a tall one.
        from_zero: Whether the values are counts, whose axis begins at 0.
        reference: The name of a line with which others are compared.
        describe: Returns a value as text.
        local: Whether times are in the time zone of the browser rather than in UTC.
    """

    def __init__(
        self,
        title: str,
        unit: str = "",
        *,
        times: bool = False,
        tall: bool = False,
        from_zero: bool = False,
        reference: str = "",
        describe: Callable[[float], str] = "{:,.4g}".format,
        local: bool = False,
    ) -> None:
        self._title, self._times, self._reference, self._describe = title, times, reference, describe
        with box("figure", "card chart"):
            with box("figcaption", "chart-title"):
                text("h3", title)
                if unit:
                    text("span", unit, "muted")
            self._image = box(
                "div", "chart-image tall" if tall else "chart-image", role="img", aria_label=f"{title}: no data yet"
            )
            with self._image:
                self._chart = ui.echart(_options(times=times, from_zero=from_zero) | {"useUTC": not local}, renderer="svg")
            self._empty = text("p", "No data yet.", "empty chart-empty")

    def show(self, series: Mapping[str, Points]) -> None:
        """Show lines by name."""
        known = {name: points for name, points in series.items() if any(value is not None for _, value in points)}
        self._empty.set_visibility(not known)
        self._image.set_visibility(bool(known))
        lines = [
            {
                "name": name,
                "type": "line",
                "showSymbol": len(points) == 1,
                "symbolSize": 6,
                "lineStyle": {"width": 2, "color": color, "type": "dashed" if name == self._reference else "solid"},
                "itemStyle": {"color": color},
                "data": [list(point) for point in points],
            }
            for color, (name, points) in zip(SERIES, known.items(), strict=False)
        ]
        options = self._chart.options
        if options.get("series") != lines:
            options["series"] = lines
            options["legend"]["show"] = len(lines) > 1
            options["grid"]["top"] = 36 if len(lines) > 1 else 12
            options["xAxis"] |= time_span(at for points in known.values() for at, _ in points)
            if self._times:
                options["yAxis"] |= time_span(value for points in known.values() for _, value in points if value is not None)
            self._chart.update()
        set_attributes(self._image, aria_label=self._summary(known))

    def _summary(self, series: Mapping[str, Points]) -> str:
        parts = []
        for name, points in series.items():
            values = [value for _, value in points if value is not None]
            last, low, high = (self._describe(value) for value in (values[-1], min(values), max(values)))
            parts.append(f"{name} now {last}, between {low} and {high}")
        return f"{self._title}: {'; '.join(parts) or 'no data yet'}"


def time_span(times: Iterable[float]) -> dict[str, float]:
    """Return the ends of an axis that shows times in milliseconds: at least a minute, or a day for whole hours.

    A single time is in the middle.
    """
    known = list(times)
    if not known:
        return {}
    first, last = min(known), max(known)
    least = _LEAST_SPAN_MS if any(at % _HOUR_MS for at in known) else 24 * _HOUR_MS
    return {"min": min(first, last - least), "max": last + least if first == last else last}


def _options(*, times: bool, from_zero: bool) -> dict[str, Any]:
    label = {"color": LABEL, "fontSize": 11, "fontFamily": _FONT, "hideOverlap": True}
    line = {"lineStyle": {"color": GRID}}
    time_axis = {"type": "time", "axisLabel": label | {"formatter": _LABELS, "alignMaxLabel": "right"}, "splitNumber": 4}
    value_axis = {"type": "value", "scale": not from_zero, "axisLabel": label, "splitNumber": 3}
    if from_zero:
        value_axis |= {"min": 0, "minInterval": 1}
    return {
        "animation": False,
        "textStyle": {"fontFamily": _FONT},
        "grid": {"left": 8, "right": 30, "top": 12, "bottom": 4, "containLabel": True},
        "legend": {
            "show": False,
            "top": 0,
            "left": 0,
            "icon": "roundRect",
            "itemWidth": 18,
            "itemHeight": 4,
            "itemGap": 18,
            "textStyle": {"color": LABEL, "fontFamily": _FONT, "fontSize": 12},
        },
        "tooltip": {
            "trigger": "axis",
            "confine": True,
            "className": "chart-tip",
            "backgroundColor": "var(--card)",
            "borderColor": "var(--line)",
            "textStyle": {"color": "var(--text)", "fontSize": 12},
            "axisPointer": {"lineStyle": {"color": GRID}, "animation": False},
        },
        "xAxis": time_axis | {"axisLine": line, "axisTick": {"show": False}, "splitLine": {"show": False}},
        "yAxis": (time_axis | {"splitNumber": 3} if times else value_axis)
        | {"splitLine": line | {"show": True}, "axisLine": {"show": False}},
        "series": [],
    }
