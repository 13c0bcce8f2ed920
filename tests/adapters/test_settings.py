import os
import re
from pathlib import Path

import pytest

from eddyline.adapters.settings import Settings, SettingsError
from eddyline.adapters.settings.model import setting_names

_CODECS = "'json', 'avro', 'json-schema', 'protobuf', 'string', 'int', 'long', 'double', 'bytes', 'uuid'"


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_settings_that_are_not_given_have_their_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("EDDYLINE_")]:
        monkeypatch.delenv(name)
    settings = Settings.load()
    assert settings == Settings()
    assert (settings.engine, settings.log, settings.emit, settings.order) == ("spark", "files", None, "timestamp")


def test_the_command_line_overrides_the_environment_which_overrides_the_file(
    empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty_folder / "eddyline.toml").write_text('"application.id" = "file"\n"num.partitions" = 2\nemit = "every-update"\n')
    monkeypatch.setenv("EDDYLINE_APPLICATION_ID", "environment")
    monkeypatch.setenv("EDDYLINE_NUM_PARTITIONS", "3")
    settings = Settings.load({"application.id": "command"})
    assert (settings.application_id, settings.num_partitions, settings.emit) == ("command", 3, "every-update")


@pytest.mark.parametrize("content", ['"application.id" = "trades"', 'application.id = "trades"', '[application]\nid = "trades"'])
def test_a_dotted_name_in_the_file_may_be_quoted_or_nested(empty_folder: Path, content: str) -> None:
    (empty_folder / "eddyline.toml").write_text(content)
    assert Settings.load().application_id == "trades"


def test_settings_of_kafka_clients_keep_their_names_in_every_source(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty_folder / "eddyline.toml").write_text('"bootstrap.servers" = "file:1"')
    assert Settings.load().kafka_properties() == {"bootstrap.servers": "file:1"}
    monkeypatch.setenv("EDDYLINE_BOOTSTRAP_SERVERS", "environment:1")
    assert Settings.load().kafka_properties() == {"bootstrap.servers": "environment:1"}
    given = {"bootstrap.servers": "command:1", "linger.ms": 5, "producer.enable.idempotence": True, "kafka.acks": "all"}
    assert Settings.load(given).kafka_properties() == {
        "bootstrap.servers": "command:1",
        "linger.ms": "5",
        "producer.enable.idempotence": "true",
        "acks": "all",
    }


def test_settings_of_the_registry_client_keep_their_names_apart_from_those_of_kafka() -> None:
    settings = Settings.load({"schema.registry.url": "http://user:hunter2@x", "schema.registry.basic.auth.user.info": "a:b"})
    assert settings.registry_properties() == {"url": "http://user:hunter2@x", "basic.auth.user.info": "a:b"}
    assert "hunter2" not in repr(settings)
    assert settings.kafka_properties() == {}


def test_settings_of_spark_keep_their_names(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty_folder / "eddyline.toml").write_text("[spark]\nmaster = 'local[2]'\nsql.streaming.numRecentProgressUpdates = 10")
    monkeypatch.setenv("EDDYLINE_SPARK_DRIVER_MEMORY", "4g")
    assert Settings.load().spark_properties() == {
        "spark.master": "local[2]",
        "spark.sql.streaming.numRecentProgressUpdates": "10",
        "spark.driver.memory": "4g",
    }


def test_the_file_can_be_given_as_an_argument_or_in_the_environment(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty_folder / "a.toml").write_text('"application.id" = "a"')
    (empty_folder / "b.toml").write_text('"application.id" = "b"')
    monkeypatch.setenv("EDDYLINE_CONFIG", "a.toml")
    assert Settings.load().application_id == "a"
    assert Settings.load(config=Path("b.toml")).application_id == "b"


def test_state_is_in_the_data_directory_by_default() -> None:
    assert Settings.load({"data.dir": "x"}).state_dir == Path("x/state")
    assert Settings.load({"data.dir": "x", "state.dir": "y"}).state_dir == Path("y")


def test_tables_are_merged_entry_by_entry_over_the_sources(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty_folder / "eddyline.toml").write_text(
        '[value.codecs]\ntrades = "json"\n"orders.v1" = "avro"\n[flows.stock-stats]\nsize_ms = 1\ngrace_ms = 2'
    )
    monkeypatch.setenv("EDDYLINE_FLOWS", '{"stock-stats": {"grace_ms": 3, "advance_ms": 4}}')
    settings = Settings.load({"flows.stock-stats.advance_ms": 5})
    assert settings.value_codecs == {"trades": "json", "orders.v1": "avro"}
    assert settings.of_flow("stock-stats") == {"size_ms": 1, "grace_ms": 3, "advance_ms": 5}
    assert settings.of_flow("stock") == {}


def test_names_and_types_have_a_default_and_entries_of_topics(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty_folder / "eddyline.toml").write_text('names = "camelCase"\n"types.trades" = "lax"\n')
    monkeypatch.setenv("EDDYLINE_TYPES", "strict")
    settings = Settings.load({"names.trades": "as-declared"})
    assert settings.type_choices() == {
        "names": "camelCase",
        "names.trades": "as-declared",
        "types": "strict",
        "types.trades": "lax",
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"names": "snake"},
            "invalid value 'snake' for setting 'names' (from the command line): choose one of: 'as-declared', 'camelCase'",
        ),
        ({"aplication.id": "x"}, "unknown setting 'aplication.id' (from the command line); did you mean 'application.id'?"),
        ({"application_id": "x"}, "unknown setting 'application_id' (from the command line); did you mean 'application.id'?"),
        (
            {"emit": "all"},
            "invalid value 'all' for setting 'emit' (from the command line): choose one of: 'latest', 'every-update'",
        ),
        (
            {"key.codecs.trades": "xml"},
            f"invalid value 'xml' for setting 'key.codecs.trades' (from the command line): choose one of: {_CODECS}",
        ),
        (
            {"value.codecs": "json"},
            (
                "setting 'value.codecs' (from the command line) is a table; set single entries as value.codecs.<name>=<value>, "
                "or give a JSON object"
            ),
        ),
        (
            {"application.id": "a b"},
            (
                "invalid value 'a b' for setting 'application.id' (from the command line): use 1 to 160 letters, digits, dots, "
                "hyphens and underscores, with no dot at the beginning"
            ),
        ),
    ],
)
def test_an_error_on_the_command_line_is_one_line(given: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError) as refused:
        Settings.load(given)
    assert str(refused.value) == message


def test_an_unknown_name_that_is_like_no_other_lists_the_settings_of_the_caller() -> None:
    with pytest.raises(
        SettingsError,
        match=r"; choose one of the flow: size_ms, or one of Eddyline or of the Kafka clients \(page 'Settings' ",
    ):
        Settings.load({"xyzzy": 1}, choices=["size_ms"])


def test_a_misspelt_setting_of_a_flow_is_corrected() -> None:
    with pytest.raises(SettingsError, match=r"unknown setting 'sise_ms' \(from the command line\); did you mean 'size_ms'\?$"):
        Settings.load({"sise_ms": 1}, choices=["size_ms"])


def test_an_error_in_the_environment_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDDYLINE_NUM_PARTITIONS", "0")
    with pytest.raises(SettingsError, match=r"invalid value '0' for setting 'num\.partitions' \(from EDDYLINE_NUM_PARTITIONS\)"):
        Settings.load()
    monkeypatch.delenv("EDDYLINE_NUM_PARTITIONS")
    monkeypatch.setenv("EDDYLINE_NUM_PARTITION", "1")
    with pytest.raises(SettingsError, match=r"\(from EDDYLINE_NUM_PARTITION\); did you mean 'num\.partitions'"):
        Settings.load()


def test_an_error_in_a_file_names_the_file(empty_folder: Path) -> None:
    (empty_folder / "eddyline.toml").write_text('engine = "sparc"')
    with pytest.raises(
        SettingsError,
        match=r"invalid value 'sparc' for setting 'engine' \(from eddyline\.toml\): choose one of: 'spark', 'local', 'memory'",
    ):
        Settings.load()
    (empty_folder / "eddyline.toml").write_text("engine = ")
    with pytest.raises(SettingsError, match=r"cannot read settings file 'eddyline\.toml' as TOML"):
        Settings.load()


def test_a_given_file_must_exist() -> None:
    with pytest.raises(
        SettingsError, match=r"settings file 'no\.toml' does not exist; give the path of a TOML file with --config"
    ):
        Settings.load(config=Path("no.toml"))


def test_a_secret_is_never_shown() -> None:
    settings = Settings.load({"sasl.password": "hunter2", "smtp.password": "hunter2"})
    assert settings.kafka_properties()["sasl.password"] == "hunter2"
    assert "hunter2" not in repr(settings)
    for name in ("sasl.password", "smtp.password"):
        with pytest.raises(SettingsError) as refused:
            Settings.load({name: ["hunter2"]})
        assert "hunter2" not in str(refused.value)
    with pytest.raises(SettingsError) as unknown:
        Settings.load({"sasl.pasword": "hunter2"})
    assert "hunter2" not in str(unknown.value)


def test_settings_are_immutable() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().emit = "every-update"  # type: ignore[misc]


def test_a_settings_file_that_is_nested_deeply_is_one_line(empty_folder: Path) -> None:
    (empty_folder / "eddyline.toml").write_text("a = " + "[" * 100_000)
    with pytest.raises(SettingsError, match=r"^cannot read settings file 'eddyline\.toml' as TOML: it is nested too deeply$"):
        Settings.load()


def test_a_table_that_is_nested_deeply_is_one_line(empty_folder: Path) -> None:
    with pytest.raises(SettingsError, match=r"^setting 'flows' \(from the command line\) is a table; set single entries"):
        Settings.load({"flows": '{"a":' * 100_000})
    dotted = ".".join("a" * 5_000)
    (empty_folder / "eddyline.toml").write_text(f"flows.{dotted} = 1")
    assert Settings.load().flows == {dotted: 1}


ABSURD = (
    "",
    " ",
    "-1",
    "0",
    "1" + "0" * 30,
    "1e400",
    "nan",
    "inf",
    "1.5",
    "text",
    "x" * 300,
    "a\0b",
    "\x1b[1m\r\n",
    "\u00e9",
    "/dev/null",
)


@pytest.mark.parametrize("name", [name.replace(".\u2026", ".trades") for name in setting_names(Settings)])
def test_an_absurd_value_is_taken_as_it_is_or_refused_on_one_line_that_names_it(name: str) -> None:
    for value in ABSURD:
        refused = _refusal({name: value})
        assert re.fullmatch(rf"(invalid value( '.*')? for )?setting '{re.escape(name)}' .*|", refused, re.DOTALL), (
            value,
            refused,
        )


def _refusal(given: dict[str, str]) -> str:
    try:
        Settings.load(given)
    except SettingsError as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("num.partitions", "99999999999", "must be less than or equal to 100000"),
        ("trigger.interval.ms", "1" + "0" * 30, "must be less than or equal to 1000000000000"),
        ("data.dir", "", "is empty; give it a value, or leave the setting out"),
        ("data.dir", "x" * 300, "cannot be accessed: file name too long; give the path of a directory"),
        ("checkpoint.dir", "/dev/null", "is a file; give the path of a directory"),
        ("server.host", "a\x1b[1m", "has the control character '\\x1b'; leave it out"),
        ("state.dir", "a\0b", "has the control character '\\x00'; leave it out"),
        ("application.id", "x" * 192, "use 1 to 160 letters"),
        *(
            ("server.url", url, "must begin with http:// or https:// and name a host")
            for url in ("http://[::1", "http://x:y", "http://x:99999", "http://a b", "http:///x", "ftp://x")
        ),
    ],
)
def test_a_value_that_could_only_fail_later_is_refused(name: str, value: str, reason: str) -> None:
    with pytest.raises(SettingsError, match=f"invalid value .* for setting '{name}'.*{re.escape(reason)}"):
        Settings.load({name: value})
