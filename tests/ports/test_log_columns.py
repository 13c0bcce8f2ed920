"""Records of the log by column are the same records."""

from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.log_columns import LogColumns

COLUMNS = LogColumns("lines", 2, [4, 5, 7], [10, 11, 12], [b"a", None, b"c"], [b"x", b"y", None], [(), (("h", b"1"),), ()])
RECORDS = [
    LogRecord("lines", 2, 4, 10, b"a", b"x"),
    LogRecord("lines", 2, 5, 11, None, b"y", (("h", b"1"),)),
    LogRecord("lines", 2, 7, 12, b"c", None),
]


def test_the_records_are_created_when_they_are_iterated() -> None:
    assert list(COLUMNS) == RECORDS
    assert all(isinstance(record, LogRecord) for record in COLUMNS)
    assert len(COLUMNS) == len(RECORDS)


def test_one_of_them_is_a_record_and_some_are_columns() -> None:
    assert [COLUMNS[0], COLUMNS[-1]] == [RECORDS[0], RECORDS[-1]]
    some = COLUMNS[1:]
    assert isinstance(some, LogColumns)
    assert list(some) == RECORDS[1:]
