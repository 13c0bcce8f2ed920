import pytest

from eddyline.application.runtime.plan.application_ids import ApplicationIdError, check_application_id
from eddyline.application.runtime.plan.options import RunOptions


@pytest.mark.parametrize(
    "valid", ["a", "A-b_c.d", "x" * 160, "alerts2", "-", "_", "app-spark.log", "batches", "my-state", "a..b"]
)
def test_an_id_is_valid_if_topics_groups_and_files_can_have_its_name(valid: str) -> None:
    assert check_application_id(valid) == valid
    assert RunOptions(application_id=valid).application_id == valid


@pytest.mark.parametrize(
    ("invalid", "reason"),
    [
        ("", "use 1 to 160 letters, digits, dots, hyphens and underscores, with no dot at the beginning"),
        ("x" * 161, "use 1 to 160 letters"),
        (".", "with no dot at the beginning"),
        ("..", "with no dot at the beginning"),
        (".eddyline", "with no dot at the beginning"),
        ("a/b", "use 1 to 160"),
        ("a\n", "use 1 to 160"),
        ("\u00e4", "use 1 to 160"),
        ("alerts", "the names 'alerts', 'local', 'queries', 'state', 'topics' are reserved for folders of Eddyline"),
        ("Alerts", "reserved"),
        ("state", "reserved"),
        ("topics", "reserved"),
        ("app-0a1b2c3d-Batches", "names that end with '-batches' are reserved for topics of Eddyline"),
    ],
)
def test_an_invalid_id_is_refused_with_the_reason(invalid: str, reason: str) -> None:
    for check in (check_application_id, lambda given: RunOptions(application_id=given)):
        with pytest.raises(ApplicationIdError, match=r"set another application\.id$") as refused:
            check(invalid)
        assert f"invalid application id '{invalid}': " in str(refused.value)
        assert reason in str(refused.value)
