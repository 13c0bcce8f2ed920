"""Settings of single topics that cannot have an effect, or cannot work, are found when a run starts."""

from pathlib import Path

import pytest

from tests.adapters.cli.conftest import Eddyline
from tests.adapters.cli.test_run_command import LINES, write_lines

ENGINES = pytest.mark.parametrize("engine", ["memory", "spark"])
CHOSEN = """
from eddyline import Flow

def chosen(builder):
    builder.stream("text-lines", key=str, value=str).to(lambda key, value: value)

FLOWS = (Flow("chosen", "Writes lines to topics of their names.", chosen),)
"""


@pytest.fixture(autouse=True)
def no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write input, and let every attempt to find or start Java fail."""
    write_lines(tmp_path / "data", *LINES)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))
    monkeypatch.setattr("eddyline.adapters.services.java.importlib.util.find_spec", lambda _name: None)


@ENGINES
@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            "value.codecs.text-lines=int",
            "the values of topic 'text-lines' (setting value.codecs.text-lines) are of type 'str', but codec 'int' encodes 'int'",
        ),
        (
            "key.codecs.word-counts=uuid",
            "the keys of topic 'word-counts' (setting key.codecs.word-counts) are of type 'str', but codec 'uuid' encodes 'UUID'",
        ),
    ],
)
def test_a_codec_that_cannot_write_the_type_of_a_topic(eddyline: Eddyline, engine: str, setting: str, message: str) -> None:
    if engine == "spark":
        pytest.importorskip("pyspark")
    outcome = eddyline("run", "word-count", "--engine", engine, "--available-now", "--set", setting)
    assert (outcome.code, outcome.err) == (2, f"error: {message}; choose one of: string\n")


@ENGINES
@pytest.mark.parametrize(
    ("setting", "topic", "hint"),
    [
        ("value.codecs.text-line=string", "text-line", "did you mean 'text-lines'?"),
        ("key.codecs.word-cuonts=string", "word-cuonts", "did you mean 'word-counts'?"),
        ("window.size.ms.weather=10", "weather", "choose one of: text-lines, word-counts"),
        ("value.codecs.trades=json", "trades", "choose one of: text-lines, word-counts"),
        ("schema.registry.value.subject.name.strategy.word-count=record", "word-count", "did you mean 'word-counts'?"),
        ("names.word-count=camelCase", "word-count", "did you mean 'word-counts'?"),
    ],
)
def test_an_unknown_topic_on_the_command_line(eddyline: Eddyline, engine: str, setting: str, topic: str, hint: str) -> None:
    outcome = eddyline("run", "word-count", "--engine", engine, "--available-now", "--set", setting)
    name = setting.partition("=")[0]
    assert outcome.code == 2
    assert outcome.err == f"error: setting '{name}' is for topic '{topic}', which flow 'word-count' does not have; {hint}\n"


def test_an_unknown_topic_in_the_settings_file_is_a_warning_unless_another_flow_has_it(
    eddyline: Eddyline, tmp_path: Path
) -> None:
    (tmp_path / "eddyline.toml").write_text('"value.codecs.trades" = "json"\n"value.codecs.text-line" = "string"\n')
    outcome = eddyline("run", "word-count", "--engine", "memory", "--available-now")
    assert outcome.code == 0
    (warning,) = [line for line in outcome.err.splitlines() if line.startswith("warning: ")]
    problem = "setting 'value.codecs.text-line' is for topic 'text-line', which flow 'word-count' does not have"
    assert warning == f"warning: {problem}; did you mean 'text-lines'?"


def test_the_topics_of_a_version(eddyline: Eddyline) -> None:
    words = ("run", "word-count", "--engine", "memory", "--available-now", "--version", "v2")
    assert eddyline(*words, "--set", "key.codecs.word-counts-v2=string").code == 0
    assert eddyline(*words, "--set", "key.codecs.word-counts=string").code == 2


def test_a_flow_whose_records_choose_their_topics_may_have_any(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "chosen.py").write_text(CHOSEN)
    words = ("run", "chosen", "--flows", "chosen", "--engine", "memory", "--available-now")
    outcome = eddyline(*words, "--set", "value.codecs.anything=string")
    assert "is for topic" not in outcome.err


def test_a_master_that_spark_does_not_know(eddyline: Eddyline) -> None:
    outcome = eddyline("run", "word-count", "--available-now", "--set", "spark.master=foo")
    choices = "local, local[N], local[*], spark://HOST:PORT, yarn, k8s://HOST:PORT"
    assert outcome.code == 2
    assert outcome.err == f"error: invalid value 'foo' for setting 'spark.master'; choose one of: {choices}\n"
