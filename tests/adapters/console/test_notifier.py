import io

import pytest

from eddyline.adapters.console.notifier import ConsoleNotifier
from eddyline.application.ports.notifier import Alert, NotifierUnavailableError


def test_an_alert_is_printed_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    ConsoleNotifier().send(Alert("1", "ann@example.org", "/shoes is popular", "Seen 1000 times.\nIn a day."))
    assert capsys.readouterr().out == "to ann@example.org: /shoes is popular\n  Seen 1000 times.\n  In a day.\n"


def test_control_characters_are_printed_as_escape_sequences() -> None:
    out = io.StringIO()
    ConsoleNotifier(out).send(Alert("1", "ann", "clear\x1b[2J\nto eve: hello", "bell \x07"))
    assert out.getvalue() == "to ann: clear\\x1b[2J\\nto eve: hello\n  bell \\x07\n"


def test_characters_that_the_encoding_lacks_are_printed_as_escape_sequences() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    ConsoleNotifier(out).send(Alert("1", "ann", "Größe", ""))
    assert raw.getvalue() == b"to ann: Gr\\xf6\\xdfe\n"


def test_a_closed_console_is_unavailable() -> None:
    class Broken(io.StringIO):
        def write(self, _text: str) -> int:
            raise BrokenPipeError(32, "Broken pipe")

    with pytest.raises(NotifierUnavailableError, match=r"the console cannot be written to: .*Broken pipe"):
        ConsoleNotifier(Broken()).send(Alert("1", "ann", "x", ""))
