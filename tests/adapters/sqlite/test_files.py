from pathlib import Path

import pytest

from eddyline.adapters.sqlite.files import file_of, files_of
from eddyline.adapters.sqlite.sent_alerts import SqliteSentAlerts


def test_a_file_is_named_after_the_topic_and_the_recipient(tmp_path: Path) -> None:
    assert file_of(tmp_path, "alerts", "bob/../x@y").name == "alerts to bob%2F..%2Fx@y.sqlite"


@pytest.mark.parametrize(("length", "is_hashed"), [(225, False), (226, True), (249, True)])
def test_names_that_are_too_long_for_a_file_are_hashed(tmp_path: Path, length: int, is_hashed: bool) -> None:
    topic, recipient = "t" * length, "ann@example"
    path = file_of(tmp_path, topic, recipient)
    assert (topic not in path.name) == is_hashed
    alerts = SqliteSentAlerts(path)
    alerts.mark_sent("id", topic, 0, 3)
    alerts.close()
    assert alerts.position(topic, 0) == 3
    assert files_of(tmp_path, topic) == [path]
    assert files_of(tmp_path, f"{topic[:-1]}u") == []


def test_long_recipients_have_files_of_their_own(tmp_path: Path) -> None:
    recipients = ["x" * 300, "x" * 301, "\U0001f600" * 100, "half \ud83d"]
    paths = {file_of(tmp_path, "alerts", recipient) for recipient in recipients}
    assert len(paths) == len(recipients)
    assert all(len(path.name) <= 247 for path in paths)
    for path in paths:
        path.touch()
    assert files_of(tmp_path, "alerts") == sorted(paths)
