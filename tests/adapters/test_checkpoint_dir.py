"""Checkpoints are in the state directory, in another one, or at a URI."""

from pathlib import Path

import pytest

from eddyline.adapters.settings import Settings, SettingsError


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, Path("data/state/app")),
        ({"state.dir": "s"}, Path("s/app")),
        ({"state.dir": "s", "checkpoint.dir": "c"}, Path("c/app")),
        ({"checkpoint.dir": "s3a://bucket/c/"}, "s3a://bucket/c/app"),
        ({"checkpoint.dir": "file:///x"}, "file:///x/app"),
    ],
)
def test_a_checkpoint_has_the_name_of_the_application(given: dict[str, str], expected: Path | str) -> None:
    assert Settings.load(given).checkpoint_of("app") == expected


@pytest.mark.parametrize("name", ["state.dir", "data.dir"])
@pytest.mark.parametrize("uri", ["file:///x/ck", "s3a://bucket/x"])
def test_a_uri_is_no_local_directory(name: str, uri: str) -> None:
    with pytest.raises(SettingsError, match="is a URI; give the path of a local directory, and the URI of checkpoints as check"):
        Settings.load({name: uri})
