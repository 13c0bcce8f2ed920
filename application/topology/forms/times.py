"""The forms of dates and times: ISO 8601, with the name of the time zone behind it where there is one (RFC 9557)."""

from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo

from eddyline.application.topology.forms.form import Form, FormError, LeafForm, expected_found
from eddyline.application.topology.forms.scalars import TextForm

_MICROSECOND: Final = timedelta(microseconds=1)
_LATER: Final = "[fold=1]"


class DurationForm(LeafForm):
    """Lengths of time, in microseconds."""

    kinds = (timedelta,)

    def dump(self, value: Any) -> Any:
        if type(value) is timedelta:
            return value // _MICROSECOND
        raise FormError(expected_found("timedelta", value))

    def load(self, data: Any) -> Any:
        if type(data) is int:
            try:
                return timedelta(microseconds=data)
            except OverflowError:
                pass
        raise FormError(expected_found("timedelta", data))


def _text(value: datetime | time) -> str:
    zone = _zone_name(value.tzinfo)
    shown = value if zone is None or isinstance(value, datetime) else value.replace(tzinfo=None)
    return f"{shown.isoformat()}{'' if zone is None else f'[{zone}]'}{_LATER if value.fold else ''}"


def _zone_name(zone: tzinfo | None) -> str | None:
    """Return the name of a time zone, None if there is no zone or it is an offset.

    Raises:
        FormError: the zone has neither a name by which it is found again, nor a fixed offset.
    """
    if zone is None or _is_offset(zone):
        return None
    if type(zone) is ZoneInfo and zone.key is not None:
        return zone.key
    raise FormError(f"state does not keep the time zone {zone!r}; use zoneinfo.ZoneInfo or datetime.UTC")


def _is_offset(zone: tzinfo) -> bool:
    """Return whether a zone is an offset without a name, or equal to one, as those of decoders other than Python's are."""
    offset = zone.utcoffset(None)
    if offset is None or zone != timezone(offset):
        return False
    return type(zone) is not timezone or zone.tzname(None) == timezone(offset).tzname(None)


def _parts(text: str) -> tuple[str, tzinfo | None, int]:
    """Return the text without what is in brackets, the zone and the fold."""
    fold = text.endswith(_LATER)
    iso, bracket, zone = text.removesuffix(_LATER).partition("[")
    return iso, ZoneInfo(zone.removesuffix("]")) if bracket else None, int(fold)


def _datetime(text: str) -> datetime:
    iso, zone, fold = _parts(text)
    found = datetime.fromisoformat(iso)
    return found.replace(tzinfo=zone or _offset(found.tzinfo), fold=fold)


def _time(text: str) -> time:
    iso, zone, fold = _parts(text)
    found = time.fromisoformat(iso)
    return found.replace(tzinfo=zone or _offset(found.tzinfo), fold=fold)


def _offset(zone: tzinfo | None) -> tzinfo | None:
    return UTC if zone == UTC else zone


TIMES: Final[dict[Any, Form]] = {
    datetime: TextForm("datetime", (datetime,), _text, _datetime),
    date: TextForm("date", (date,), date.isoformat, date.fromisoformat),
    time: TextForm("time", (time,), _text, _time),
    timedelta: DurationForm(),
    ZoneInfo: TextForm("ZoneInfo", (ZoneInfo,), lambda zone: _zone_name(zone) or "", ZoneInfo),
}
"""The forms of dates and times."""
