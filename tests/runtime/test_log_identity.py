"""Positions belong to one log."""

import pytest

from eddyline.application.ports.event_log import LogIdentity
from eddyline.application.runtime.progress.log_identity import LogMismatchError, check_log, with_topics_of

STORED = LogIdentity("kafka", "c1", {"trades": "1", "quotes": "2"})


@pytest.mark.parametrize(
    "found",
    [
        STORED,
        LogIdentity("kafka", "", {"trades": "1", "quotes": "2"}),
        LogIdentity("kafka", "c1", {"trades": "", "quotes": "2"}),
        LogIdentity("kafka", "c1", {"quotes": "2", "orders": "3"}),
    ],
    ids=["equal", "cluster unknown", "id unknown", "another topic"],
)
def test_the_same_log_is_accepted(found: LogIdentity) -> None:
    check_log(STORED, found, "app")
    check_log(found, STORED, "app")


@pytest.mark.parametrize(
    ("found", "difference", "way_back"),
    [
        (
            LogIdentity("files", "", {"trades": "1"}),
            "'kafka', cluster 'c1', but the event log is now 'files'; ",
            "go back to that event log",
        ),
        (
            LogIdentity("kafka", "c2", {"trades": "1"}),
            "'kafka', cluster 'c1', but the event log is now 'kafka', cluster 'c2'; ",
            "go back to that event log",
        ),
        (
            LogIdentity("kafka", "c1", {"trades": "9", "quotes": "2"}),
            r"since then \(topic 'trades' with id '1', now '9'\); ",
            "restore the topics",
        ),
    ],
)
def test_another_log_is_an_error_that_says_what_differs_and_what_to_do(
    found: LogIdentity, difference: str, way_back: str
) -> None:
    cures = f"{way_back}, or run 'eddyline reset' for the flow .* or choose another application.id, version or state.dir"
    with pytest.raises(LogMismatchError, match=rf"^the positions of application 'app' belong to .*{difference}.*{cures}$"):
        check_log(STORED, found, "app")


def test_ids_that_become_known_are_added() -> None:
    stored = LogIdentity("kafka", "", {"trades": "1", "quotes": ""})
    found = LogIdentity("kafka", "c1", {"trades": "1", "quotes": "2", "orders": ""})
    assert with_topics_of(stored, found) == LogIdentity("kafka", "c1", {"trades": "1", "quotes": "2", "orders": ""})
