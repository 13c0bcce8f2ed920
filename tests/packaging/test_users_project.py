"""A project with packages named domain, application and adapters uses Eddyline as installed from the wheel."""

import json
import re
from pathlib import Path

import pytest

from tests.packaging.conftest import ROOT, Distributions, Environment, new_environment

pytestmark = pytest.mark.environments

REVEALED = {
    "FLOWS[0].topology()": "Topology",
    'TopologyBuilder().stream("p", key=str, value=Payment)': "Stream[str, domain.takings.Payment]",
    'TopologyBuilder().table("p", key=str, value=Payment).group_by(lambda k, v: (k, v)).count()': "Table[str, int]",
    "MemoryEngine(FLOWS[0].topology()).drops": "Mapping[tuple[str, str], int]",
}
"""Expressions and the types that the type checker finds for them, without the modules of ours."""


def busy_shops(project: Path) -> list[tuple[str, int, float]]:
    """Return what the flow has written."""
    lines = [line for file in (project / "data/topics/busy-shops").glob("*.jsonl") for line in file.read_text().splitlines()]
    values = [json.loads(line)["value"] for line in lines]
    return [(value["shop"], value["payments"], value["total"]) for value in values]


def test_its_tests_and_its_features_pass(takings: Environment) -> None:
    done = takings.python("-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d+ passed", done.stdout)


@pytest.mark.slow
def test_the_strict_type_checker_accepts_it_and_sees_our_types(takings: Environment) -> None:
    lines = [
        "from application.flows import FLOWS",
        "from domain.takings import Payment",
        "from eddyline import TopologyBuilder",
        "from eddyline.testing import MemoryEngine",
        *(f"reveal_type({expression})" for expression in REVEALED),
        'TopologyBuilder().stream("p", key=str, value=Payment).no_such_operator()',
    ]
    (takings.project / "revealed.py").write_text("\n".join(lines) + "\n")
    strict = takings.mypy(".", "--exclude", "revealed.py")
    assert strict.returncode == 0, strict.stdout
    revealed = takings.mypy("revealed.py").stdout
    found = re.findall(r'Revealed type is "(.*)"', revealed)
    assert [re.sub(r"\b(typing|builtins|eddyline)\.([a-z_]+\.)*", "", each) for each in found] == list(REVEALED.values())
    assert 'has no attribute "no_such_operator"' in revealed


def test_the_command_runs_its_flow_on_the_memory_engine(takings: Environment) -> None:
    written = takings.python("-m", "adapters.till_files", "payments.csv", "data")
    assert written.stdout == "5 payments written to topic 'payments'\n", written.stderr
    done = takings.eddyline("run", "busy-shops", "--flows", "application.flows", "--engine", "memory", "--available-now")
    assert done.returncode == 0, done.stderr
    assert busy_shops(takings.project) == [("north", 2, 1_100.0)]


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["run", "busy-shops", "--flows", "application.flows", "--engine", "spark", "--available-now"], "spark"),
        (["run", "word-count", "--engine", "memory", "--log", "kafka"], "kafka"),
        (["groups", "list"], "kafka"),
        (["produce", "trades", "--log", "kafka"], "kafka"),
        (["run", "word-count", "--engine", "memory", "--set", "default.value.codec=avro"], "avro"),
        (["simulate", "stock-stats"], "simulate"),
    ],
)
def test_what_is_missing_is_named_with_its_extra(takings: Environment, words: list[str], extra: str) -> None:
    done = takings.eddyline(*words)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"pip install 'eddyline[{extra}]'" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.spark
@pytest.mark.slow
def test_the_command_runs_its_flow_on_spark(distributions: Distributions, tmp_path: Path) -> None:
    env = new_environment(tmp_path, ROOT / "examples/takings", distributions.wheel, "[spark]")
    env.python("-m", "adapters.till_files", "payments.csv", "data")
    done = env.eddyline("run", "busy-shops", "--flows", "application.flows", "--available-now")
    assert done.returncode == 0, done.stderr
    assert busy_shops(env.project) == [("north", 2, 1_100.0)]
