"""What the features about queries share: the answer of the server, and the problems that it has."""

from dataclasses import dataclass, field

import httpx
import pytest
from pytest_bdd import parsers, then


@dataclass
class Asked:
    """The last answer of the server, or all pages of it."""

    answer: httpx.Response = field(default_factory=lambda: httpx.Response(0))
    pages: tuple[httpx.Response, ...] = ()


@pytest.fixture
def asked() -> Asked:
    return Asked()


@then(parsers.parse("the query fails with status {status:d}"))
def query_fails(asked: Asked, status: int) -> None:
    assert asked.answer.status_code == status, asked.answer.text
    assert asked.answer.headers["content-type"] == "application/problem+json"


@then(parsers.parse('the problem says "{text}"'))
def problem_says(asked: Asked, text: str) -> None:
    assert text in asked.answer.json()["detail"]


@then(parsers.parse("the problem offers {choice}"))
def problem_offers(asked: Asked, choice: str) -> None:
    assert choice in asked.answer.json()["choices"]
