"""The engine for tests passes records and state through codecs: what fails in a run fails in the test."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from eddyline import Stream, TopologyBuilder
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.transfer import TopicTransfer
from eddyline.adapters.settings import Settings
from eddyline.adapters.wiring.codecs import topic_codecs
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.processor import Processor, Record
from eddyline.application.topology.stores import key_value_store
from eddyline.testing import MemoryEngine


@dataclass(frozen=True)
class Payment:
    shop: str
    amount: float


def engine(define: Callable[[Stream[str, Payment]], Any], **options: Any) -> MemoryEngine:
    builder = TopologyBuilder()
    define(builder.stream("payments", key=str, value=Payment))
    return MemoryEngine(builder.build(), **options)


def pipe(engine: MemoryEngine, amount: float = 5.0) -> None:
    engine.pipe("payments", "till", Payment("north", amount), 1)


def add(_total: int, payment: Payment) -> int:
    return {payment}  # type: ignore[return-value] # the mistake that is tested


class Opaque:
    def __repr__(self) -> str:
        return "<opaque>"


@pytest.mark.parametrize(
    ("returned", "reason"),
    [(Opaque(), "Opaque"), (lambda: None, "function"), (float("nan"), "JSON compliant")],
    ids=["object", "function", "not-a-number"],
)
def test_a_value_that_no_codec_can_write_is_an_error_with_the_operator_and_the_topic(returned: object, reason: str) -> None:
    running = engine(lambda payments: payments.map_values(lambda _: returned).to("out", name="write"))
    with pytest.raises(CodecError, match=rf"operator 'write' cannot write the record with key 'till' to topic 'out': .*{reason}"):
        pipe(running)


def test_a_value_that_is_not_of_the_declared_type_is_an_error() -> None:
    def amount(_payment: Payment) -> int:
        return {"n": 1}  # type: ignore[return-value] # the mistake that is tested

    running = engine(lambda payments: payments.map_values(amount).to("out"))
    with pytest.raises(CodecError, match="to topic 'out': int: expected int, found dict"):
        pipe(running)


def test_a_record_that_is_not_one_of_the_topic_is_an_error() -> None:
    running = engine(lambda payments: payments.to("out"))
    with pytest.raises(CodecError, match=r"the value \{'shop': 'north'\} is not one of topic 'payments': Payment"):
        running.pipe("payments", "till", {"shop": "north"}, 1)


def test_state_that_cannot_be_kept_is_an_error_with_the_store() -> None:
    running = engine(lambda payments: payments.group_by_key().aggregate(int, add, store="sum").to_stream())
    with pytest.raises(CodecError, match=r"store 'sum' cannot keep the value of key 'till': .*expected int, found set"):
        pipe(running)


def test_state_is_checked_once_for_many_records() -> None:
    running = engine(lambda payments: payments.group_by_key().aggregate(int, add, store="sum").to_stream())
    with pytest.raises(CodecError, match="store 'sum'"):
        running.pipe_all([("payments", "till", Payment("north", 5.0), 1)])


def test_a_value_that_a_repartition_topic_cannot_carry_is_an_error() -> None:
    def amount(_payment: Payment) -> int:
        return (1, 2)  # type: ignore[return-value] # the mistake that is tested

    def shop(key: str, _amount: int) -> str:
        return key

    running = engine(lambda payments: payments.map_values(amount).group_by(shop, name="by-shop").count().to_stream())
    with pytest.raises(CodecError, match="to topic 'by-shop-repartition': int: expected int, found tuple"):
        pipe(running)


def test_what_is_written_stays_as_the_function_returned_it() -> None:
    running = engine(lambda payments: payments.filter(lambda _, payment: payment.amount > 1).to("out"))
    pipe(running)
    assert [output.value for output in running.outputs("out")] == [Payment("north", 5.0)]


def test_the_codecs_of_a_run_can_be_used() -> None:
    running = engine(
        lambda payments: payments.map_values(lambda payment: payment.amount).to("out"),
        codecs=topic_codecs(Settings.load({"value.codecs.out": "string"})),
    )
    with pytest.raises(CodecError, match="to topic 'out'"):
        pipe(running)


def test_outputs_of_a_topic_that_is_not_written_are_an_error() -> None:
    running = engine(lambda payments: payments.to("out"))
    with pytest.raises(LookupError, match="does not write to topic 'uot'; it writes to: out"):
        running.outputs("uot")


def test_outputs_of_any_topic_can_be_asked_for_if_a_function_chooses_them() -> None:
    running = engine(lambda payments: payments.to(lambda _key, payment: payment.shop))
    pipe(running)
    assert len(running.outputs("north")) == 1
    assert running.outputs("south") == []


def test_a_key_that_is_not_one_of_the_topic_is_an_error() -> None:
    running = engine(lambda payments: payments.to("out"))
    with pytest.raises(CodecError, match="the key 7 is not one of topic 'payments'"):
        running.pipe("payments", 7, Payment("north", 5.0), 1)


def test_a_key_that_a_store_cannot_keep_is_an_error() -> None:
    def of_amount(_key: str, payment: Payment) -> int:
        return payment.amount  # type: ignore[return-value] # the mistake that is tested

    with pytest.raises(CodecError, match="expected int, found float"):
        pipe(engine(lambda payments: payments.group_by(of_amount, name="by-amount").count(store="counts").to_stream()), 5.5)


def not_a_number_if_large(payment: Payment) -> object:
    return float("nan") if payment.amount > 10 else payment.amount


def by_amount(_key: str, payment: Payment, partitions: int) -> int:
    return 0 if payment.amount < 10 else partitions + 1


@pytest.mark.parametrize("response", ["continue", "dead-letter"])
def test_the_production_exception_handler_skips_records_that_no_codec_can_write(response: Any) -> None:
    running = engine(
        lambda payments: payments.map_values(not_a_number_if_large).to("out", name="write"),
        production_exception_handler=response,
        codecs=topic_codecs(Settings()),
    )
    for amount in (5.0, 50.0, 6.0):
        pipe(running, amount)
    assert [output.value for output in running.outputs("out")] == [5.0, 6.0]
    (failure,) = running.failures
    assert (failure.context.operator, failure.context.offset, failure.response) == ("write", 1, response)
    assert dict(running.drops) == {("write", "production-error"): 1}


def test_the_production_exception_handler_undoes_the_record_with_its_state() -> None:
    def counted(payments: Stream[str, Payment]) -> None:
        counts = payments.group_by_key().count(store="counts").to_stream()
        counts.map_values(lambda count: object() if count == 2 else count).to("out")

    running = engine(counted, production_exception_handler="continue", codecs=topic_codecs(Settings()))
    for _ in range(4):
        pipe(running)
    assert [output.value for output in running.outputs("out")] == [1]
    assert [row.value for row in running.store("counts")] == [1]
    assert len(running.failures) == 3


def test_partitioners_are_in_the_care_of_the_production_exception_handler() -> None:
    running = engine(
        lambda payments: payments.to("out", partitioner=by_amount, name="write"),
        production_exception_handler=lambda context, _error: "continue" if context.operator == "write" else "fail",
    )
    pipe(running, 5.0)
    pipe(running, 50.0)
    assert [output.value.amount for output in running.outputs()] == [5.0]
    assert "chose partition '2'" in str(running.failures[0].error)


def test_by_default_the_error_names_the_setting_if_a_handler_is_set() -> None:
    running = engine(
        lambda payments: payments.map_values(not_a_number_if_large).to("out", name="write"),
        processing_exception_handler="continue",
        codecs=topic_codecs(Settings()),
    )
    with pytest.raises(CodecError) as raised:
        pipe(running, 50.0)
    assert "production.exception.handler" in raised.value.__notes__[0]


def test_the_processing_exception_handler_skips_values_that_a_store_cannot_keep() -> None:
    def summed(payments: Stream[str, Payment]) -> None:
        payments.group_by_key().aggregate(int, add, store="sums").to_stream().to("out")

    running = engine(summed, processing_exception_handler="continue", codecs=topic_codecs(Settings()))
    pipe(running)
    assert (running.outputs(), running.store("sums"), len(running.failures)) == ([], [], 1)


def test_records_of_a_topic_that_matches_a_pattern_pass_through_its_codecs() -> None:
    builder = TopologyBuilder()
    builder.stream(re.compile("payments-.*"), key=str, value=Payment).to("out")
    running = MemoryEngine(builder.build())
    running.pipe("payments-1", "till", Payment("north", 5.0), 1)
    assert [output.value for output in running.outputs("out")] == [Payment("north", 5.0)]
    with pytest.raises(CodecError, match="the key 7 is not one of topic 'payments-2'"):
        running.pipe("payments-2", 7, Payment("north", 5.0), 1)


class _Numbers(Processor[str, Payment, str, Payment]):
    """Keeps the amount of the last payment under the key that it is."""

    def process(self, record: Record[str, Payment]) -> None:
        self.context.state_store("numbers").put(record.value.amount, 1)


def test_a_key_that_only_a_store_has_is_checked() -> None:
    builder = TopologyBuilder()
    builder.add_state_store(key_value_store("numbers", key=int, value=int))
    builder.stream("payments", key=str, value=Payment).process(_Numbers, stores=["numbers"]).to("out")
    with pytest.raises(CodecError, match=r"store 'numbers' cannot keep the value of key 5\.5: .*expected int, found float"):
        pipe(MemoryEngine(builder.build()), 5.5)


class _HeaderCodecs(JsonCodecs):
    """Keys and values that are the first header."""

    class _Header(Codec):
        def encode(self, value: Any) -> bytes | None:
            return str(value).encode()

        def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
            return f"{data!r} {headers[0]}"

    def for_key(self, *_: Any) -> Codec:
        return self._Header()

    def for_value(self, *_: Any) -> Codec:
        return self._Header()


def test_codecs_read_the_headers_of_a_record() -> None:
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=str).to("out")
    transfer = TopicTransfer(builder.build(), _HeaderCodecs())
    assert transfer.piped("in", "k", "v", (("h", b"1"),)) == ("b'k' ('h', b'1')", "b'v' ('h', b'1')")
