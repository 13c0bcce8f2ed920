"""Codecs of installed packages, which name them in the entry-point group eddyline.codecs."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from eddyline.adapters.codecs import installed
from eddyline.adapters.codecs.installed import InstalledCodecError, codec_names, installed_codecs
from eddyline.adapters.settings import Settings, SettingsError
from eddyline.adapters.wiring.codecs import RecordCodecs, topic_codecs
from eddyline.application.topology.windows import Window, Windowed

MODULE = """
from eddyline.application.ports.codec import Codec, CodecError, Codecs


class UpperCodec(Codec):
    def encode(self, value):
        if value is not None and not isinstance(value, str):
            raise CodecError("expected str")
        return None if value is None else value.upper().encode()

    def decode(self, data, headers=()):
        return None if data is None else data.decode().lower()


class UpperCodecs(Codecs):
    def for_key(self, topic, key_type):
        return UpperCodec()

    for_value = for_key

    def for_state(self, value_type):
        return UpperCodec()


class NeedsArguments(UpperCodecs):
    def __init__(self, url):
        pass
"""
ENTRIES = """[eddyline.codecs]
upper = upper_codec:UpperCodecs
broken = upper_codec:Missing
other = upper_codec:UpperCodec
needy = upper_codec:NeedsArguments
json = upper_codec:UpperCodecs
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package with codecs."""
    (tmp_path / "upper_codec.py").write_text(MODULE)
    info = tmp_path / "upper_codec-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: upper-codec\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    monkeypatch.syspath_prepend(str(tmp_path))
    installed._entries.cache_clear()  # noqa: SLF001 - packages are not installed while a process runs
    yield
    installed._entries.cache_clear()  # noqa: SLF001 - likewise
    sys.modules.pop("upper_codec", None)


def test_settings_choose_the_codec_of_an_installed_package() -> None:
    settings = Settings.load({"value.codecs.t": "upper", "key.codecs.t": "upper", "window.size.ms.t": "10"})
    codecs = topic_codecs(settings)
    assert codecs.for_value("t", str).encode("a") == b"A"
    assert codecs.for_value("other", str).encode("a") == b"a"
    key = codecs.for_key("t", Windowed[str])
    assert key.decode(key.encode(Windowed("a", Window(5, 15)))) == Windowed("a", Window(5, 15))
    assert topic_codecs(Settings.load({"default.value.codec": "upper"})).for_value("other", str).encode("a") == b"A"


def test_single_records_are_read_and_written_with_it() -> None:
    codecs = RecordCodecs(Settings.load())
    assert codecs.codec("upper", "t", key=False).decode(b"A") == "a"
    assert codecs.text_encoder("upper", "t", None, key=False)("a b") == b"A B"


def test_an_unknown_name_lists_the_choices() -> None:
    assert codec_names()[:2] == ("json", "avro")
    assert {"upper", "broken"} < set(codec_names())
    message = r"invalid value 'lower' for setting 'value\.codecs\.t' .*choose one of: 'json', 'avro', .*'upper'"
    with pytest.raises(SettingsError, match=message):
        Settings.load({"value.codecs.t": "lower"})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", "codec 'broken' of entry point 'upper_codec:Missing' cannot be loaded: AttributeError"),
        ("other", "codec 'other' of entry point 'upper_codec:UpperCodec' is no subclass of Codecs"),
        ("needy", "codec 'needy' of entry point 'upper_codec:NeedsArguments' cannot be created without arguments: TypeError"),
    ],
)
def test_an_entry_point_that_cannot_be_used_is_an_error(name: str, message: str) -> None:
    with pytest.raises(InstalledCodecError, match=message):
        installed_codecs(name)
    with pytest.raises(InstalledCodecError, match=message):
        topic_codecs(Settings.load({"value.codecs.t": name}))
