"""What a flow and the settings choose about types, in whole runs."""

import json
from dataclasses import dataclass, field

import pandas as pd
import pytest

from eddyline import Flow, StoreRow, TopologyBuilder, run
from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.page.parts import formats
from eddyline.adapters.web.keys import KeyParser
from eddyline.adapters.web.models import StoreModels
from eddyline.application.lineage.documents import Documents
from eddyline.application.lineage.explanation import ResultRecord, StateChange
from eddyline.application.queries.answers import Answer, StoreInfo
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.types import Names
from eddyline.testing import MemoryEngine
from tests.adapters.memory.running import fill, run_of, values
from tests.fixtures.state_queries import FRESH


@dataclass(frozen=True)
class Payment:
    payment_id: int
    from_: str = field(metadata={"alias": "from"})
    total_price: float = 0.0


def keep(builder: TopologyBuilder) -> None:
    builder.table("payments", key=str, value=Payment, store="latest").to_stream().to("copies")


def copy(builder: TopologyBuilder) -> None:
    builder.stream("payments", key=str, value=Payment).to("copies")


AS_DECLARED = b'{"payment_id":1,"from":"a","total_price":2.5}'
CAMEL_CASE = b'{"paymentId":1,"from":"a","totalPrice":2.5}'


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize("read", [AS_DECLARED, CAMEL_CASE])
@pytest.mark.parametrize(
    ("flow", "written"),
    [
        (Flow("copy", "Copies.", copy), AS_DECLARED),
        (Flow("copy", "Copies.", copy, names="camelCase"), CAMEL_CASE),
        (Flow("copy", "Copies.", copy, names={"payments": "camelCase"}), AS_DECLARED),
        (Flow("copy", "Copies.", copy, names={"copies": "camelCase"}), CAMEL_CASE),
    ],
)
def test_names_are_written_as_the_flow_says_and_read_in_both_spellings(
    flow: Flow, read: bytes, written: bytes, count: int
) -> None:
    log = MemoryEventLog()
    fill(log, "payments", *((read, 1, number) for number in range(count)))
    run_of(flow.topology(), log).run_available_now()
    assert values(log, "copies") == [written] * count


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize("wrong", [b'{"payment_id":true,"from":"a"}', b'{"payment_id":1,"from":"a","total_price":"2.5"}'])
def test_values_of_another_type_are_converted_only_if_the_flow_says_so(wrong: bytes, count: int) -> None:
    for flow, copies, letters in (
        (Flow("copy", "Copies.", copy), 0, count),
        (Flow("copy", "Copies.", copy, types="lax"), count, 0),
        (Flow("copy", "Copies.", copy, types={"payments": "lax"}), count, 0),
    ):
        log = MemoryEventLog()
        fill(log, "payments", *((wrong, 1, number) for number in range(count)))
        report = run_of(flow.topology(), log).run_available_now()
        assert (len(values(log, "copies")) if copies else 0, report.dead_letters) == (copies, letters)


def test_settings_take_precedence_over_the_flow() -> None:
    codecs = JsonCodecs(choices=TypeChoices({"names": "as-declared"}))
    of_flow = Flow("copy", "Copies.", copy, names="camelCase").topology()
    written = codecs.configured(of_flow.type_choices).for_value("copies", Payment)
    assert written.encode(Payment(1, "a", 2.5)) == AS_DECLARED


def test_the_memory_engine_writes_what_a_run_writes() -> None:
    engine = MemoryEngine(Flow("copy", "Copies.", copy, names="camelCase").topology())
    engine.pipe("payments", "k", Payment(1, "a", 2.5), timestamp=1)
    assert [record.value for record in engine.outputs("copies")] == [Payment(1, "a", 2.5)]


@pytest.mark.parametrize(("names", "shown"), [("as-declared", "payment_id"), ("camelCase", "paymentId")])
def test_fields_have_one_name_wherever_a_user_looks(names: Names, shown: str) -> None:
    flow = Flow("keep", "Keeps the latest payments.", keep, names=names)
    result = run(flow, source=pd.DataFrame([{"key": "k", "paymentId": 1, "from": "a"}]), engine="memory")
    columns = [f"value.{shown}", "value.from"]
    assert [column for column in result.frame() if column in columns] == columns
    assert [column for column in result.store("latest").to_pandas() if column in columns] == columns
    topology, stored = flow.topology(), Payment(1, "a")
    documents = Documents(topology, JsonCodecs())
    change = documents.change(StateChange("latest", "k", None, None, stored, internal=False))
    buffered = documents.change(StateChange("latest", "k", None, None, [stored], internal=True))
    record = documents.result(ResultRecord("copies", None, 1, "k", stored, ()))
    info = StoreInfo("latest", StoreKind.KEY_VALUE, str, Payment, 1, 1, 1, FRESH, JsonCodecs().for_display, names=names)
    by_payment = StoreInfo("by", StoreKind.KEY_VALUE, Payment, int, 1, 1, 1, FRESH, JsonCodecs().for_display, names=names)
    assert {KeyParser(by_payment).key(f'{{"{name}":1,"from":"a"}}') for name in ("payment_id", "paymentId")} == {stored}
    row = json.loads(StoreModels(info).to_json(Answer([StoreRow("k", stored, None, None)], None, FRESH)))["rows"][0]
    for value in (change["after"], buffered["after"][0], record["value"], row["value"], formats.columns_of(stored, names)):
        assert list(value)[:2] == [shown, "from"]
