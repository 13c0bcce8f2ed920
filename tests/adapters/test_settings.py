from pathlib import Path

import pytest

from eddyline.adapters.settings import Settings, SettingsError

_CODECS = "'json', 'avro', 'json-schema', 'string', 'int', 'long', 'double', 'bytes' or 'uuid'"


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_anything_given_the_defaults_hold() -> None:
    settings = Settings.load()
    assert settings == Settings()
    assert (settings.engine, settings.log, settings.emit, settings.order) == ("spark", "files", "latest", "timestamp")


def test_the_command_line_beats_the_environment_which_beats_the_file(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty_folder / "eddyline.toml").write_text('"application.id" = "file"\n"num.partitions" = 2\nemit = "every-update"\n')
    monkeypatch.setenv("EDDYLINE_APPLICATION_ID", "environment")
    monkeypatch.setenv("EDDYLINE_NUM_PARTITIONS", "3")
    settings = Settings.load({"application.id": "command"})
    assert (settings.application_id, settings.num_partitions, settings.emit) == ("command", 3, "every-update")


@pytest.mark.parametrize("content", ['"application.id" = "trades"', 'application.id = "trades"', '[application]\nid = "trades"'])
def test_a_dotted_name_in_the_file_may_be_quoted_or_nested(empty_folder: Path, content: str) -> None:
    (empty_folder / "eddyline.toml").write_text(content)
    assert Settings.load().application_id == "trades"


def test_names_of_kafka_clients_are_taken_verbatim_from_every_source(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty_folder / "eddyline.toml").write_text('"bootstrap.servers" = "file:1"')
    assert Settings.load().of_clients() == {"bootstrap.servers": "file:1"}
    monkeypatch.setenv("EDDYLINE_BOOTSTRAP_SERVERS", "environment:1")
    assert Settings.load().of_clients() == {"bootstrap.servers": "environment:1"}
    given = {"bootstrap.servers": "command:1", "linger.ms": 5, "producer.enable.idempotence": True, "kafka.acks": "all"}
    assert Settings.load(given).of_clients() == {
        "bootstrap.servers": "command:1",
        "linger.ms": "5",
        "producer.enable.idempotence": "true",
        "acks": "all",
    }


def test_names_of_the_registrys_client_are_taken_verbatim_and_kept_apart() -> None:
    settings = Settings.load({"schema.registry.url": "http://user:hunter2@x", "schema.registry.basic.auth.user.info": "a:b"})
    assert settings.of_registry() == {"url": "http://user:hunter2@x", "basic.auth.user.info": "a:b"}
    assert "hunter2" not in repr(settings)
    assert settings.of_clients() == {}


def test_the_file_can_be_named_by_an_argument_or_by_the_environment(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty_folder / "a.toml").write_text('"application.id" = "a"')
    (empty_folder / "b.toml").write_text('"application.id" = "b"')
    monkeypatch.setenv("EDDYLINE_CONFIG", "a.toml")
    assert Settings.load().application_id == "a"
    assert Settings.load(config=Path("b.toml")).application_id == "b"


def test_state_lies_with_the_data_unless_it_is_placed_elsewhere() -> None:
    assert Settings.load({"data.dir": "x"}).state_dir == Path("x/state")
    assert Settings.load({"data.dir": "x", "state.dir": "y"}).state_dir == Path("y")


def test_tables_are_merged_name_by_name_over_the_sources(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty_folder / "eddyline.toml").write_text(
        '[value.codecs]\ntrades = "json"\n"orders.v1" = "avro"\n[flows.stock-stats]\nsize_ms = 1\ngrace_ms = 2'
    )
    monkeypatch.setenv("EDDYLINE_FLOWS", '{"stock-stats": {"grace_ms": 3, "advance_ms": 4}}')
    settings = Settings.load({"flows.stock-stats.advance_ms": 5})
    assert settings.value_codecs == {"trades": "json", "orders.v1": "avro"}
    assert settings.of_flow("stock-stats") == {"size_ms": 1, "grace_ms": 3, "advance_ms": 5}
    assert settings.of_flow("stock") == {}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"aplication.id": "x"}, "setting 'aplication.id' (the command line) is unknown; nearest: application.id"),
        ({"application_id": "x"}, "setting 'application_id' (the command line) is unknown; nearest: application.id"),
        ({"emit": "all"}, "setting 'emit' (the command line) cannot be 'all': input should be 'latest' or 'every-update'"),
        (
            {"key.codecs.trades": "xml"},
            f"setting 'key.codecs.trades' (the command line) cannot be 'xml': input should be {_CODECS}",
        ),
        (
            {"value.codecs": "json"},
            "setting 'value.codecs' (the command line) is a table: give value.codecs.<name>=<value>, or a JSON object",
        ),
        (
            {"application.id": "a b"},
            "setting 'application.id' (the command line) cannot be 'a b': string should match pattern '^[a-zA-Z0-9._-]{1,200}$'",
        ),
    ],
)
def test_what_is_wrong_on_the_command_line_is_told_in_one_line(given: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError) as refused:
        Settings.load(given)
    assert str(refused.value) == message


def test_a_name_that_is_near_to_none_lists_all_and_those_of_the_caller() -> None:
    with pytest.raises(SettingsError, match=r"nearest: application\.id, avro\.….*window\.size\.ms\.…, size_ms$"):
        Settings.load({"xyzzy": 1}, choices=["size_ms"])


def test_a_wrong_name_of_a_flow_setting_is_led_to_the_right_one() -> None:
    with pytest.raises(SettingsError, match=r"'sise_ms' \(the command line\) is unknown; nearest: size_ms$"):
        Settings.load({"sise_ms": 1}, choices=["size_ms"])


def test_what_is_wrong_in_the_environment_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDDYLINE_NUM_PARTITIONS", "0")
    with pytest.raises(SettingsError, match=r"'num\.partitions' \(EDDYLINE_NUM_PARTITIONS\) cannot be '0'"):
        Settings.load()
    monkeypatch.delenv("EDDYLINE_NUM_PARTITIONS")
    monkeypatch.setenv("EDDYLINE_NUM_PARTITION", "1")
    with pytest.raises(SettingsError, match=r"\(EDDYLINE_NUM_PARTITION\) is unknown; nearest: num\.partitions"):
        Settings.load()


def test_what_is_wrong_in_a_file_names_the_file(empty_folder: Path) -> None:
    (empty_folder / "eddyline.toml").write_text('engine = "sparc"')
    with pytest.raises(
        SettingsError, match=r"'engine' \(eddyline\.toml\) cannot be 'sparc': input should be 'spark' or 'memory'"
    ):
        Settings.load()
    (empty_folder / "eddyline.toml").write_text("engine = ")
    with pytest.raises(SettingsError, match=r"settings file 'eddyline\.toml' cannot be read as TOML"):
        Settings.load()


def test_a_named_file_must_exist() -> None:
    with pytest.raises(SettingsError, match=r"settings file 'no\.toml' does not exist; name another with --config"):
        Settings.load(config=Path("no.toml"))


def test_a_secret_is_never_shown_neither_whole_nor_when_it_is_refused() -> None:
    settings = Settings.load({"sasl.password": "hunter2", "smtp.password": "hunter2"})
    assert settings.of_clients()["sasl.password"] == "hunter2"
    assert "hunter2" not in repr(settings)
    for name in ("sasl.password", "smtp.password"):
        with pytest.raises(SettingsError) as refused:
            Settings.load({name: ["hunter2"]})
        assert "hunter2" not in str(refused.value)
    with pytest.raises(SettingsError) as unknown:
        Settings.load({"sasl.pasword": "hunter2"})
    assert "hunter2" not in str(unknown.value)


def test_settings_do_not_change_after_they_are_read() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().emit = "every-update"  # type: ignore[misc]
