"""The settings choose the adapters; settings that contradict each other are errors."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.avro.errors import AvroOptionError
from eddyline.adapters.container import Container
from eddyline.adapters.kafka.errors import KafkaSettingsError
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.registry.codec import RegistryCodec
from eddyline.adapters.registry.errors import RegistrySettingError
from eddyline.adapters.settings import Settings, SettingsError
from eddyline.application.ports.codec import Codecs
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology.windows import Window, Windowed
from eddyline.domain.trading import Trade

HIDDEN = "hunter2"


def codecs(settings: dict[str, Any]) -> Codecs:
    return Container(settings=Settings.load(settings)).codecs()


def test_log_and_sink_on_kafka_get_the_settings_of_the_clients_and_never_show_secrets() -> None:
    made = Container(settings=Settings.load({"log": "kafka", "bootstrap.servers": "a:1,b:2", "sasl.password": HIDDEN}))
    log, sink = made.log(), made.sink()
    assert isinstance(log, KafkaEventLog)
    assert isinstance(sink, KafkaEventSink)
    assert repr(log) == "KafkaEventLog(a:1,b:2)"
    assert repr(sink) == "KafkaEventSink(a:1,b:2, exactly-once)"
    assert HIDDEN not in repr((log, sink, made.kafka_settings(), made.settings()))
    assert repr(pickle.loads(pickle.dumps(log))) == repr(log)


def test_without_bootstrap_servers_the_local_broker_is_used() -> None:
    assert repr(Container(settings=Settings.load({"log": "kafka"})).log()) == "KafkaEventLog(127.0.0.1:9092)"


def test_the_guarantee_and_the_partitioner_are_settings() -> None:
    given = {"log": "kafka", "processing.guarantee": "at_least_once", "partitioner": "round-robin"}
    assert "at-least-once" in repr(Container(settings=Settings.load(given)).sink())
    with pytest.raises(
        KafkaSettingsError, match=r"unknown partitioner 'by-luck'; choose one of: by-key, round-robin, .*MODULE:FUNC"
    ):
        Container(settings=Settings.load({"log": "kafka", "partitioner": "by-luck"})).sink()


@pytest.mark.parametrize(
    ("given", "of_run", "of_consumers"),
    [
        ({}, "none", None),
        ({"auto.offset.reset": "none"}, "none", None),
        ({"auto.offset.reset": "earliest"}, "earliest", "earliest"),
        ({"auto.offset.reset": "latest", "kafka.auto.offset.reset": "error"}, "latest", "error"),
    ],
)
def test_the_reset_of_offsets_is_an_option_of_runs_and_a_setting_of_consumers(
    given: dict[str, str], of_run: str, of_consumers: str | None
) -> None:
    made = Container(settings=Settings.load(given))
    assert made.options(application_id="app").auto_offset_reset == of_run
    assert made.kafka_settings().consumer().get("auto.offset.reset") == of_consumers
    assert "auto.offset.reset" not in made.kafka_settings().producer()


def test_an_unknown_reset_of_offsets_is_an_error_with_the_choices() -> None:
    with pytest.raises(SettingsError, match=r"auto\.offset\.reset.*choose one of: 'none', 'earliest', 'latest'"):
        Settings.load({"auto.offset.reset": "newest"})


def test_an_unknown_kafka_setting_is_an_error_with_the_nearest_names() -> None:
    with pytest.raises(KafkaSettingsError, match=r"unknown Kafka setting 'producer\.linger\.mss'; did you mean 'linger\.ms'"):
        Container(settings=Settings.load({"log": "kafka", "producer.linger.mss": 5})).log()


def test_the_keys_and_values_of_each_topic_have_their_own_codecs() -> None:
    chosen = codecs(
        {
            "default.key.codec": "string",
            "key.codecs.counts": "long",
            "value.codecs.counts": "double",
            "window.size.ms.windows": 256,
        }
    )
    assert chosen.for_key("counts", int).encode(1) == b"\0" * 7 + b"\1"
    assert len(chosen.for_value("counts", float).encode(1.5) or b"") == 8
    assert chosen.for_value("others", Trade).encode(Trade("ASK", "A", 1.0, 2)) is not None
    windowed = chosen.for_key("windows", Windowed[str])
    assert windowed.encode(Windowed("A", Window(256, 512))) == b"A" + (256).to_bytes(8, "big")
    assert windowed.decode(b"A" + (256).to_bytes(8, "big")) == Windowed("A", Window(256, 512))
    assert chosen.for_state(int).encode(1) == b"1"


def test_formats_with_schemas_use_the_registry() -> None:
    chosen = codecs(
        {
            "value.codecs.a": "avro",
            "value.codecs.b": "json-schema",
            "value.codecs.c": "protobuf",
            "schema.registry.url": "http://x/v7",
            "avro.namespace": "acme",
        }
    )
    for topic, record, kind in (("a", "acme.Trade", "AVRO"), ("b", "Trade", "JSON"), ("c", "Trade", "PROTOBUF")):
        codec = chosen.for_value(topic, Trade)
        assert isinstance(codec, RegistryCodec)
        assert codec.subject == f"{topic}-value"
        form = codec._format  # noqa: SLF001 - what would be registered
        assert (form.schema_type, form.record_name) == (kind, record)


def test_avro_needs_the_url_of_the_registry_and_valid_options() -> None:
    with pytest.raises(RegistrySettingError, match=r"'schema\.registry\.url' is missing"):
        codecs({"default.value.codec": "avro"})
    with pytest.raises(AvroOptionError, match=r"unknown option 'avro\.namespaces'; choose one of: .*namespace"):
        codecs({"default.value.codec": "avro", "schema.registry.url": "http://x", "avro.namespaces": "acme"})
    with pytest.raises(AvroOptionError, match=r"decimal_scale: 'few' is not an integer"):
        codecs({"default.value.codec": "avro", "schema.registry.url": "http://x", "avro.decimal.scale": "few"})


def test_the_state_stores_are_in_memory_or_in_a_directory_on_the_local_disk(tmp_path: Path) -> None:
    stored = tmp_path / "stores"
    chosen = Settings(state_store="rocksdb", rocksdb_dir=stored, statestore_cache_max_bytes=1 << 20)
    assert isinstance(Container(settings=Settings()).stores(), MemoryStateStores)
    Container(settings=chosen).stores().of_task("flow-0_0")
    assert [folder.name for folder in stored.iterdir()] == ["flow-0_0"]


def test_the_spark_engine_gets_the_settings_of_spark(tmp_path: Path) -> None:
    container = Container(settings=Settings.load({"spark.driver.memory": "4g"}))
    flow, options = find_flow("word-count"), container.options(application_id="a")
    engine = container.spark_engine(flow.topology(), options=options, checkpoint_dir=tmp_path)
    assert engine._session.settings == {"spark.driver.memory": "4g"}  # noqa: SLF001 - what Spark would be started with


@pytest.mark.parametrize(("setting", "expected"), [({}, None), ({"source.idle.timeout.ms": "5000"}, 5_000)])
def test_runs_and_queries_have_the_idle_timeout_of_the_settings(setting: dict[str, str], expected: int | None) -> None:
    container = Container(settings=Settings.load({"log": "memory", **setting}))
    assert container.options(application_id="a").idle_timeout_ms == expected
    followed = container.changelog_follower(find_flow("word-count").topology(), "a").topology
    assert followed.nodes[0].idle_timeout_ms == expected  # type: ignore[attr-defined] # it is the source
