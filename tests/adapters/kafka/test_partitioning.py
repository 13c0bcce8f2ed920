import pytest

from eddyline.adapters.kafka.errors import KafkaSettingsError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.partitioning import find_partitioner
from eddyline.application.ports.event_sink import SinkRecord

NOT_A_FUNCTION = "by-key"


def by_length(record: SinkRecord, partitions: int) -> int:
    return len(record.value or b"") % partitions


@pytest.fixture
def settings() -> KafkaSettings:
    return KafkaSettings({"bootstrap.servers": "127.0.0.1:1"})


def test_a_strategy_is_found_by_its_name(settings: KafkaSettings) -> None:
    assert find_partitioner("round-robin", settings) == ("round-robin", settings)


def test_a_partitioner_of_the_client_becomes_a_setting(settings: KafkaSettings) -> None:
    partitioner, changed = find_partitioner("fnv1a_random", settings)
    assert partitioner == "by-key"
    assert changed.producer()["partitioner"] == "fnv1a_random"


def test_a_function_is_imported(settings: KafkaSettings) -> None:
    partitioner, _ = find_partitioner(f"{__name__}:by_length", settings)
    assert callable(partitioner)
    assert partitioner(SinkRecord("t", None, b"12345", 0), 3) == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sticky", "unknown partitioner 'sticky'; choose one of: by-key, round-robin, murmur2_random, .*, or MODULE:FUNCTION"),
        ("no_such:function", "partitioner 'no_such:function' cannot be imported: No module named 'no_such'"),
        ("json:none", "partitioner 'json:none' cannot be imported: module 'json' has no attribute 'none'"),
        (f"{__name__}:NOT_A_FUNCTION", "partitioner '.*:NOT_A_FUNCTION' is not a function but 'by-key'; name one that takes"),
    ],
)
def test_a_partitioner_that_cannot_be_used_is_an_error_with_the_reason(settings: KafkaSettings, name: str, message: str) -> None:
    with pytest.raises(KafkaSettingsError, match=message):
        find_partitioner(name, settings)
