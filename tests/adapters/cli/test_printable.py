"""Control characters in records, names and errors never reach a terminal."""

import json
import os
import pty
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from eddyline.adapters.cli.printable import echo, printable
from eddyline.adapters.cli.records.lines import json_line
from eddyline.adapters.cli.screen import message, stderr, stdout
from eddyline.application.ports.event_log import LogRecord
from tests.adapters.cli.conftest import Eddyline
from tests.fixtures.forks.forked import ForkedCommand

ESCAPE = "\x1b]0;title\x07\x1b[2J"
SHOWN = r"\u001b]0;title\u0007\u001b[2J"
HARMLESS = "tab\tline\nÄ 漢字 \u3000 👩\u200d💻 \xa0"


@pytest.mark.parametrize("text", [HARMLESS, "", "~", "\xa0"])
def test_text_without_control_characters_is_kept(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    "character",
    [
        "\x00",
        "\x08",
        "\x0b",
        "\r",
        "\x1b",
        "\x1f",
        "\x7f",
        "\x80",
        "\x9b",
        "\x9f",
        "\u2028",
        "\u202e",
        "\u2066",
        "\u2069",
        "\ud800",
    ],
)
def test_a_control_character_is_shown_as_its_code(character: str) -> None:
    assert printable(f"a{character}b") == f"a\\u{ord(character):04x}b"


@given(st.text())
def test_nothing_printable_has_a_control_character(text: str) -> None:
    shown = printable(text)
    assert not [character for character in shown if ord(character) < 0x20 and character not in "\t\n"]
    assert not [character for character in shown if 0x7F <= ord(character) < 0xA0]
    assert printable(shown) == shown


def test_tables_messages_and_errors_are_printable(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(ESCAPE, title=ESCAPE)
    table.add_row(ESCAPE)
    table.add_row(Text(ESCAPE))
    stdout().print(table)
    stdout().print(ESCAPE)
    stderr().print(ESCAPE)
    message(ESCAPE)
    echo(ESCAPE, err=True)
    out, err = capsys.readouterr()
    assert not {"\x1b", "\x07"} & set(out + err)
    assert (out.count(r"\u001b[2J"), err.count(r"\u001b[2J")) == (5, 3)


def test_results_are_changed_for_terminals_only(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    echo("a\rb\x07")
    assert capsys.readouterr().out == "a\rb\x07\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    echo("a\rb\x07")
    assert capsys.readouterr().out == r"a\u000db\u0007" + "\n"


@given(st.text(), st.text())
def test_a_record_as_json_is_printable_and_has_the_same_content(key: str, value: str) -> None:
    line = json_line(LogRecord("t", 0, 0, 0, b"", b""), key, value)
    assert printable(line) == line
    assert (json.loads(line)["key"], json.loads(line)["value"]) == (key, value)


def test_the_error_of_a_command_is_printable(eddyline: Eddyline) -> None:
    outcome = eddyline("topology", ESCAPE)
    assert outcome.err.startswith(rf"error: unknown flow '{SHOWN}'")
    assert "\x1b" not in outcome.err


@pytest.fixture
def on_terminal(tmp_path: Path) -> Callable[..., bytes]:
    """Return a function that runs a command on a terminal and returns what the terminal receives."""

    def run(*words: str) -> bytes:
        main_end, terminal = pty.openpty()
        environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb"}
        process = ForkedCommand(words, cwd=tmp_path, stdout=terminal, stderr=terminal, stdin=terminal, env=environment)
        os.close(terminal)
        received = b""
        while True:
            try:
                data = os.read(main_end, 65_536)
            except OSError:  # Linux reports the end of a terminal as an error
                break
            if not data:
                break
            received += data
        os.close(main_end)
        process.wait()
        return received

    return run


def test_dead_letters_and_tracebacks_do_not_reach_the_terminal_as_they_are(
    eddyline: Eddyline, on_terminal: Callable[..., bytes], tmp_path: Path
) -> None:
    record = {
        "timestamp": 1,
        "key": ESCAPE,
        "value": ESCAPE,
        "headers": {
            "__streams.errors.topic": ESCAPE,
            "__streams.errors.exception": ESCAPE,
            "__streams.errors.message": ESCAPE,
            "__streams.errors.partition": "0",
            "__streams.errors.offset": "0",
            f"name {ESCAPE}": "a\rb",
        },
    }
    topic = tmp_path / "data/topics/word-count-dead-letters"
    topic.mkdir(parents=True)
    (topic / "partition-0.jsonl").write_text(json.dumps(record) + "\n")
    assert eddyline("dead-letters", "list", "word-count").code == 0
    shown = [
        on_terminal("dead-letters", "list", "word-count"),
        on_terminal("dead-letters", "show", "word-count", "0:0"),
        on_terminal("--traceback", "topology", ESCAPE),
        on_terminal("topology", ESCAPE),
    ]
    for received in shown:
        assert rb"\u001b[2J" in received
        assert b"\x1b" not in received
        assert b"\x07" not in received
    assert b"a\\u000db" in shown[1]


def test_a_file_or_program_gets_text_as_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    echo(f"a{ESCAPE}b")
    assert capfd.readouterr().out == f"a{ESCAPE}b\n"
