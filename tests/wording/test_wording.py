from pathlib import Path

from tests.wording.__main__ import findings

HERE = Path("somewhere.md")


def test_a_refused_phrase_is_found_across_lines_and_in_identifiers() -> None:
    found = list(findings(HERE, "one\nHow far the flow\nhas come, def bury_record()"))
    assert [(finding.line, finding.phrase) for finding in found] == [(3, "bury"), (2, "How far the flow\nhas come")]


def test_words_that_contain_a_refused_one_are_not_refused() -> None:
    assert list(findings(HERE, "canewood, retold, forehand")) == []
