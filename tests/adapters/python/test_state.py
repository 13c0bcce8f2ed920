"""`eddyline.state` on the changelogs of a flow on files."""

import stat
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

import eddyline
from eddyline import Flow, QueryError, TopologyBuilder, Window, key_value_store, versioned_key_value_store, window_store
from eddyline.adapters.container import Container
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.broker import Broker
from eddyline.adapters.settings import Settings
from eddyline.adapters.wiring.extras import MissingExtraError
from eddyline.application.runtime.plan.changelogs import BatchProgress, changelog_topic, entry_record, progress_records
from eddyline.application.runtime.plan.topic_types import store_types
from eddyline.application.topology.processor import Processor
from tests.adapters.kafka.conftest import wait_until_settled
from tests.queries.changelogs import Shelf


class _Nothing(Processor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        """Ignore the record."""


def define(builder: TopologyBuilder, *, prefix: str = "") -> None:
    stores = [
        key_value_store(f"{prefix}stock", key=Shelf, value=int),
        window_store("sales", key=str, value=int, retention=1_000, window_size=10),
        versioned_key_value_store("prices", key=str, value=int, history_retention=1_000),
    ]
    builder.add_source("order-source", "orders", key=str, value=int)
    for store in stores:
        builder.add_state_store(store)
    builder.add_processor("work", _Nothing, parents=["order-source"], stores=[store.name for store in stores])


FLOW = Flow("shop", "Sells.", define)
FLOWS = (FLOW,)


def write(
    folder: Path, store: str, *changes: tuple[Any, Any], batch: int = 0, prefix: str = "", settings: Settings | None = None
) -> None:
    container = Container(settings=settings or Settings(data_dir=folder))
    sink, topic = container.sink(), changelog_topic("shop", store)
    sink.create_topic("orders", 1)
    sink.create_topic(topic, 1)
    key, value = map(JsonCodecs().for_state, store_types(FLOW.topology(prefix=prefix).stores[store]))
    records = [entry_record(topic, 0, key.encode(changed), value.encode(new), 0) for changed, new in changes]
    sink.write(f"test-{store}", 0, batch, records + progress_records([topic], 0, 5, BatchProgress(batch, 1, {"orders": [0]})))


def test_the_only_store_is_queried_without_its_name(tmp_path: Path) -> None:
    write(tmp_path, "stock", (Shelf("north", 1), 5), (Shelf("south", 2), 6))
    with eddyline.state(FLOW, data_dir=tmp_path) as state:
        assert state.stores() == ["stock"]
        assert [state.get(Shelf("north", 1)), state.get(Shelf("north", 9))] == [5, None]
        assert [row.value for row in state.range(Shelf("p", 0))] == [6]
        assert [row.value for row in state.store().prefix(("north",))] == [5]
        assert state.store("stock").freshness.batch == 0


def test_every_call_sees_what_the_flow_has_written_and_the_next_program_continues(tmp_path: Path) -> None:
    write(tmp_path, "stock", (Shelf("north", 1), 5))
    with eddyline.state(FLOW, data_dir=tmp_path) as state:
        assert state.get(Shelf("north", 1)) == 5
        write(tmp_path, "stock", (Shelf("north", 1), None), (Shelf("north", 2), 7), batch=1)
        assert [state.get(Shelf("north", 1)), state.get(Shelf("north", 2))] == [None, 7]
    with eddyline.state(FLOW, data_dir=tmp_path) as state:
        assert state.get(Shelf("north", 2)) == 7
    file = tmp_path / "state" / "queries" / "shop.sqlite"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_stores_with_windows_and_versions_have_their_own_queries(tmp_path: Path) -> None:
    write(tmp_path, "sales", (("tea", 0), 1), (("tea", 10), 2))
    write(tmp_path, "prices", (("tea", 5), (1,)), (("tea", 9), (2,)), (("fig", 1), (3,)), (("fig", 2), (None,)))
    with eddyline.state(FLOW, data_dir=tmp_path) as state:
        sales, prices = state.store("sales"), state.store("prices")
        assert sales.get("tea") == 2
        assert [row.window for row in sales.rows("tea")] == [Window(0, 10), Window(10, 20)]
        assert [row.value for row in sales.windows("tea", 0, 9)] == [1]
        assert [row.value for row in sales.latest()] == [2]
        assert [prices.get("tea"), prices.get("fig")] == [2, None]
        version = prices.version("tea", 8)
        assert version is not None
        assert [version.value, prices.version("tea", 4)] == [1, None]
        with pytest.raises(QueryError, match=r"name a store, such as .*; choose one of: prices, sales"):
            state.get("tea")


def test_more_rows_than_a_page_are_returned(tmp_path: Path) -> None:
    write(tmp_path, "stock", *((Shelf("north", number), number) for number in range(2_500)))
    with eddyline.state(FLOW, data_dir=tmp_path) as state:
        assert [row.value for row in state.range()] == list(range(2_500))


def test_a_data_frame_has_a_column_for_each_field_and_times_in_utc(tmp_path: Path) -> None:
    write(tmp_path, "stock", (Shelf("north", 1), 5), (Shelf("south", 2), 6))
    write(tmp_path, "sales", (("tea", 0), 1), (("tea", 10), 2))
    write(tmp_path, "prices", (("tea", 5), (1,)), (("tea", 9), (2,)))
    with eddyline.state(FLOW, data_dir=tmp_path) as state:
        stock = state.store("stock").to_pandas()
        assert stock.to_dict("list") == {"key.shop": ["north", "south"], "key.number": [1, 2], "value": [5, 6]}
        sales = state.store("sales").to_pandas()
        assert list(sales.columns) == ["key", "window_start", "window_end", "value"]
        assert sales["window_start"][1] == datetime(1970, 1, 1, 0, 0, 0, 10_000, tzinfo=UTC)
        prices = state.store("prices").to_pandas()
        assert prices["valid_to"].isna().tolist() == [False, True]


def test_pandas_is_needed_for_data_frames_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "stock", (Shelf("north", 1), 5))
    monkeypatch.setitem(sys.modules, "pandas", None)
    with eddyline.state(FLOW, data_dir=tmp_path) as state:
        assert state.get(Shelf("north", 1)) == 5
        with pytest.raises(
            MissingExtraError, match=r"pandas is not installed; install it with: pip install 'eddyline\[notebook\]'"
        ):
            state.to_pandas()


def test_a_flow_is_found_by_its_name_and_takes_settings(tmp_path: Path) -> None:
    write(tmp_path, "big-stock", (Shelf("north", 1), 5), prefix="big-")
    with eddyline.state("shop", flows=__name__, data_dir=tmp_path, prefix="big-") as state:
        assert state.get(Shelf("north", 1)) == 5


def test_wrong_names_are_errors_with_the_choices(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match=r"unknown flow 'inventry'; did you mean 'inventory'\?"):
        eddyline.state("inventry")
    with pytest.raises(ValueError, match=r"data[.]dri"):
        eddyline.state(FLOW, data_dri=tmp_path)
    with eddyline.state(FLOW, data_dir=tmp_path) as state:
        with pytest.raises(QueryError, match=r"choose one of: none; run the flow with the setting changelog\.stores=all"):
            state.get("a")
        with pytest.raises(QueryError, match=r"store 'stock' has no changelog"):
            state.store("stock")


@pytest.mark.services
def test_state_is_read_from_changelogs_in_kafka_and_again_after_they_were_deleted(kafka_broker: Broker, tmp_path: Path) -> None:
    servers, topic = kafka_broker.bootstrap_servers, changelog_topic("shop", "stock")
    kafka = KafkaSettings({"bootstrap.servers": servers})
    settings = Settings(log="kafka", kafka={"bootstrap.servers": SecretStr(servers)}, data_dir=tmp_path)

    def write_and_wait(*changes: tuple[Any, Any], batch: int) -> None:
        write(tmp_path, "stock", *changes, batch=batch, settings=settings)
        wait_until_settled(kafka, topic)

    write_and_wait((Shelf("north", 1), 5), (Shelf("south", 2), 6), batch=0)
    with eddyline.state(FLOW, bootstrap_servers=servers, data_dir=tmp_path) as state:
        assert [row.value for row in state.range()] == [5, 6]
        write_and_wait((Shelf("north", 1), None), batch=1)
        assert [row.value for row in state.range()] == [6]
        assert state.store().freshness.batch == 1
        Topics(kafka).delete(topic)
    write_and_wait(*((Shelf("west", number), number) for number in range(9)), batch=2)
    with eddyline.state(FLOW, bootstrap_servers=servers, data_dir=tmp_path) as state:
        assert [row.value for row in state.range()] == list(range(9))


def test_eddyline_has_no_other_names_to_import_later() -> None:
    with pytest.raises(AttributeError, match="module 'eddyline' has no attribute 'stat'"):
        eddyline.stat  # noqa: B018 - it is looked up
