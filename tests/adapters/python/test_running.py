"""`eddyline.run` over data frames, files and topics."""

import json
import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import eddyline
from eddyline import Flow, Record, TopologyBuilder
from eddyline.adapters.container import Container
from eddyline.adapters.settings import Settings
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.python.payments import EXPECTED, PAYMENTS, at, of, shop_takings
from tests.fixtures.payments import Payment, Takings


@pytest.mark.parametrize("engine", ["local", "memory"])
def test_a_flow_runs_over_a_data_frame(engine: Any) -> None:
    result = eddyline.run(shop_takings, at(PAYMENTS, 5, 900, 1_500), engine=engine)
    assert (result.records(), result.records_in, result.topics) == (EXPECTED, 3, ("takings",))
    assert repr(result) == "<FlowResult: 3 records read; written: 3 in 'takings'>"


@pytest.mark.parametrize(
    "times",
    [
        [5.0, 900.0, 1_500.0],
        pd.to_datetime([5, 900, 1_500], unit="ms"),
        pd.to_datetime([5, 900, 1_500], unit="ms", utc=True).tz_convert("Europe/Berlin"),
        ["1970-01-01T00:00:00.005", "1970-01-01T00:00:00.900Z", "1970-01-01T02:00:01.500+02:00"],
    ],
    ids=["numbers", "times", "times of a zone", "text"],
)
def test_timestamps_are_times_or_milliseconds(times: Any) -> None:
    assert eddyline.run(shop_takings, at(PAYMENTS, *times)).records() == EXPECTED


def test_an_index_of_times_is_the_timestamp() -> None:
    frame = PAYMENTS.set_index(pd.to_datetime([5, 900, 1_500], unit="ms"))
    assert eddyline.run(shop_takings, frame).records() == EXPECTED


def test_records_without_a_timestamp_have_the_time_of_the_call() -> None:
    before = datetime.now(UTC).timestamp() * 1_000
    (record, *_) = eddyline.run(shop_takings, PAYMENTS).records()
    assert before - 1 <= record.timestamp <= datetime.now(UTC).timestamp() * 1_000


def test_a_timestamp_that_is_no_time_is_an_error() -> None:
    with pytest.raises(ValueError, match="'soon' in the column timestamp is no time; use ISO 8601 or ms since the epoch"):
        eddyline.run(shop_takings, at(PAYMENTS, "soon", 1, 2))
    with pytest.raises(ValueError, match=r"\[1\] in the column timestamp is no time"):
        eddyline.run(shop_takings, at(PAYMENTS, [1], [2], [3]))


def test_tables_that_convert_to_pandas_are_sources() -> None:
    assert eddyline.run(shop_takings, pa.Table.from_pandas(at(PAYMENTS, 5, 900, 1_500))).records() == EXPECTED


def test_files_are_sources(tmp_path: Path) -> None:
    frame = at(PAYMENTS, 5, 900, 1_500)
    frame.to_csv(tmp_path / "payments.csv", index=False)
    frame.to_parquet(tmp_path / "payments.parquet")
    lines = [json.dumps(row) for row in frame.to_dict("records")]
    (tmp_path / "payments.jsonl").write_text("\n".join([lines[0], "", *lines[1:]]), encoding="utf-8")
    for name in ("payments.csv", "payments.parquet", "payments.jsonl"):
        assert eddyline.run(shop_takings, tmp_path / name).records() == EXPECTED
        assert eddyline.run(shop_takings, str(tmp_path / name)).records() == EXPECTED


def test_files_that_cannot_be_read_are_errors(tmp_path: Path) -> None:
    file = tmp_path / "payments.jsonl"
    file.write_text('{"key": 1}\n[1]\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 2 of '.*payments\.jsonl' is not a JSON object"):
        eddyline.run(shop_takings, file)
    file.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 1 of '.*payments\.jsonl' is not JSON"):
        eddyline.run(shop_takings, file)
    with pytest.raises(ValueError, match=r"'.*payments\.xlsx' has none of the suffixes \.csv, \.parquet, \.jsonl"):
        eddyline.run(shop_takings, tmp_path / "payments.xlsx")
    with pytest.raises(FileNotFoundError):
        eddyline.run(shop_takings, tmp_path / "missing.jsonl")


def test_a_topic_of_the_event_log_is_read_to_its_end_and_stays_as_it_is(tmp_path: Path) -> None:
    sink = Container(settings=Settings(data_dir=tmp_path)).sink()
    sink.create_topic("payments", 2)
    values = [Payment("north", 1.0), Payment("south", 2.0), Payment("north", 4.0)]
    payments = [json.dumps(vars(value)).encode() for value in values]
    times = (5, 900, 1_500)
    sink.write("test", 0, 0, [SinkRecord("payments", b"k", data, time) for data, time in zip(payments, times, strict=True)])
    before = sorted(tmp_path.rglob("*"))
    result = eddyline.run(shop_takings, "payments", data_dir=tmp_path)
    assert sorted(result.records(), key=lambda record: record.timestamp) == EXPECTED
    assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(LookupError, match="topic 'payment' is unknown"):
        eddyline.run(shop_takings, "payment", data_dir=tmp_path)


def test_a_topic_is_decoded_as_its_settings_say(tmp_path: Path) -> None:
    def doubled(builder: TopologyBuilder) -> None:
        builder.stream("numbers", key=int, value=int).map_values(lambda number: number * 2).to("doubled")

    sink = Container(settings=Settings(data_dir=tmp_path)).sink()
    sink.create_topic("measured", 1)
    sink.write("test", 0, 0, [SinkRecord("measured", (1).to_bytes(8), (21).to_bytes(8), 7)])
    given: dict[str, Any] = {"data_dir": tmp_path, "default_key_codec": "long", "value_codecs_measured": "long"}
    assert eddyline.run(doubled, {"numbers": "measured"}, **given).records() == [Record(1, 42, 7)]


def test_a_topic_has_the_types_that_its_settings_say(tmp_path: Path) -> None:
    sink = Container(settings=Settings(data_dir=tmp_path)).sink()
    sink.create_topic("paid", 1)
    sink.write("test", 0, 0, [SinkRecord("paid", b"k", b'{"shop":"north","amount":"1.5"}', 5)])
    given: dict[str, Any] = {"data_dir": tmp_path, "types_paid": "lax"}
    assert eddyline.run(shop_takings, {"payments": "paid"}, **given).records() == [of("north", 0, 1, 1.5, 5)]
    with pytest.warns(UserWarning, match="1 record became a dead letter"):
        assert eddyline.run(shop_takings, {"payments": "paid"}, data_dir=tmp_path).records() == []


def test_each_of_several_topics_has_a_source() -> None:
    def named(builder: TopologyBuilder) -> None:
        names = builder.global_table("names", key=int, value=str, store="names")
        orders = builder.stream("orders", key=str, value=int)
        orders.join(names, lambda _shop, name: name, key_selector=lambda _key, shop: shop, value=str).to("named")

    names = pd.DataFrame({"key": [1, 2], "value": ["north", "south"]})
    orders = pd.DataFrame({"key": ["x", "y"], "value": [2, 1], "timestamp": [3, 4]})
    result = eddyline.run(Flow("named", "Names shops.", named), {"names": names, "orders": orders})
    assert [record.value for record in result.records("named")] == ["south", "north"]
    with pytest.raises(ValueError, match=r"the flow reads several topics: names, orders; pass a source for each"):
        eddyline.run(named, orders)
    with pytest.raises(ValueError, match="topic 'names' has no source"):
        eddyline.run(named, {"orders": orders})
    with pytest.raises(ValueError, match="the flow does not read topic 'order'; it reads: names, orders"):
        eddyline.run(named, {"order": orders, "names": names})


def test_topics_that_a_pattern_matches_have_sources() -> None:
    def merged(builder: TopologyBuilder) -> None:
        builder.stream(re.compile("logs-.*"), key=str, value=str).to("all-logs")

    frame = pd.DataFrame({"key": ["k"], "value": ["v"], "timestamp": [1]})
    assert eddyline.run(merged, {"logs-a": frame}).records() == [Record("k", "v", 1)]
    with pytest.raises(ValueError, match=r"the flow reads several topics: .*logs"):
        eddyline.run(merged, frame)


@dataclass(frozen=True)
class Shelf:
    shop: str
    number: int


def test_the_frame_of_a_result_is_the_source_of_another_run() -> None:
    def shelves(builder: TopologyBuilder) -> None:
        builder.stream("stock", key=Shelf, value=Payment).filter(lambda shelf, _payment: shelf.number > 1).to("shelves")

    frame = pd.DataFrame(
        {"key.shop": ["n", "n"], "key.number": [1, 2], "value.shop": ["a", "b"], "value.amount": [1.0, 2.0], "timestamp": [1, 2]}
    )
    for _ in range(2):
        result = eddyline.run(shelves, frame)
        assert result.records() == [Record(Shelf("n", 2), Payment("b", 2.0), 2)]
        frame = result.frame()


@dataclass(frozen=True)
class Everything:
    number: int | None
    price: Decimal
    when: datetime
    tags: list[str]
    parts: dict[str, float]


def test_values_of_pandas_become_those_of_the_type() -> None:
    def copied(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=Everything).to("out")

    when = pd.to_datetime(["2026-07-01T10:00", "2026-07-01T11:00"], utc=True)
    frame = pd.DataFrame(
        {
            "number": pd.Series([1, None], dtype="Int64"),
            "price": [Decimal("1.50"), Decimal(2)],
            "when": when,
            "tags": [["a"], pd.Series(["b", "c"]).to_numpy()],
            "parts": [{"x": 0.5}, {}],
        }
    )
    first, second = (record.value for record in eddyline.run(copied, frame).records())
    assert first == Everything(1, Decimal("1.50"), datetime(2026, 7, 1, 10, tzinfo=UTC), ["a"], {"x": 0.5})
    assert (second.number, second.tags) == (None, ["b", "c"])


def test_missing_keys_and_values_are_null() -> None:
    def latest(builder: TopologyBuilder) -> None:
        builder.table("in", key=str, value=str, store="latest").to_stream().to("out")

    columns: dict[str, Any] = {"key": ["a", "a", None], "value": ["x", None, "y"], "timestamp": [1, 2, 3]}
    frame = pd.DataFrame(columns)
    result = eddyline.run(latest, frame)
    assert [(record.key, record.value) for record in result.records()] == [("a", "x"), ("a", None)]
    assert sum(result.drops.values()) == 1


def test_records_that_cannot_be_decoded_are_warned_of_and_shown() -> None:
    frame = at(PAYMENTS, 1, 2, 3).assign(amount=[1.0, math.nan, 2.0])
    with pytest.warns(UserWarning, match="1 record became a dead letter; see dead_letters"):
        result = eddyline.run(shop_takings, frame)
    letters = result.dead_letters()
    assert letters[["topic", "partition", "offset"]].to_numpy().tolist() == [["payments", 0, 1]]
    assert "amount" in letters["message"][0]


def test_settings_are_those_of_the_flow_and_of_eddyline() -> None:
    result = eddyline.run(shop_takings, at(PAYMENTS, 5, 900, 1_500), size_ms=2_000, emit="latest")
    assert [record.value for record in result.records()] == [Takings(2, 5.0), Takings(1, 2.0)]
    with pytest.raises(ValueError, match="unknown setting 'emitt'"):
        eddyline.run(shop_takings, PAYMENTS, emitt="latest")
    with pytest.raises(ValueError, match="unknown engine 'flink'; choose one of: local, spark, memory"):
        eddyline.run(shop_takings, PAYMENTS, engine="flink")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="int is no source; pass a data frame, a path or the name of a topic"):
        eddyline.run(shop_takings, 5)  # type: ignore[arg-type]
    with pytest.raises(LookupError, match="unknown flow 'stok-stats'; did you mean 'stock-stats'"):
        eddyline.run("stok-stats", PAYMENTS)


def test_an_exception_of_the_flow_is_raised() -> None:
    def failing(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=int).map_values(lambda number: 1 // number).to("out")

    with pytest.raises(ZeroDivisionError):
        eddyline.run(failing, pd.DataFrame({"key": ["a"], "value": [0]}))


def test_a_flow_may_be_a_lambda() -> None:
    frame = pd.DataFrame({"key": ["a"], "value": [1], "timestamp": [1]})
    assert len(eddyline.run(lambda builder: builder.stream("in", key=str, value=int).to("out"), frame).records()) == 1
