"""`eddyline.run` in the kernel of a notebook, over a flow whose functions and dataclasses are defined in its cells."""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FLOW = """
from dataclasses import dataclass, field

import pandas as pd

import eddyline
from eddyline import TopologyBuilder, tumbling


@dataclass(frozen=True)
class Payment:
    shop: str
    amount: float
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Takings:
    payments: int = 0
    total: float = 0.0

    def add(self, payment: Payment) -> "Takings":
        return Takings(self.payments + 1, rounded(self.total + payment.amount))


def rounded(amount: float) -> float:
    return round(amount, 2)


def takings(builder: TopologyBuilder, *, size_ms: int = 1_000) -> None:
    (
        builder.stream("payments", key=str, value=Payment)
        .group_by(lambda _till, payment: payment.shop, key=str, name="by-shop")
        .windowed_by(tumbling(size_ms, grace=0))
        .aggregate(Takings, Takings.add, store="takings")
        .to_stream()
        .to("takings")
    )


shops = [f"shop {number % 3}" for number in range(300)]
payments = pd.DataFrame({"key": "till", "shop": shops, "amount": 0.1, "timestamp": range(0, 30_000, 100)})
"""
ON_BOTH = """
in_process = eddyline.run(takings, payments, emit="every-update")
on_spark = eddyline.run(takings, payments, engine="spark", emit="every-update")
again = eddyline.run(takings, payments, engine="spark", emit="every-update", size_ms=30_000)
assert on_spark.frame().equals(in_process.frame()), on_spark.frame().compare(in_process.frame())
assert on_spark.store().to_pandas().equals(in_process.store().to_pandas())
print(len(in_process.frame()), in_process.frame()["value.total"].sum().round(2), again.frame()["value.total"].max())
"""
PLOT = """
in_process.plot(y="value.total");
"""


@pytest.mark.spark
@pytest.mark.slow
def test_a_flow_of_a_notebook_has_the_same_results_in_the_process_and_on_spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH", "")]))
    cells = [nbformat.v4.new_code_cell(source) for source in (FLOW, ON_BOTH, PLOT)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    done = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    texts = [output.text for output in done.cells[1].outputs if output.output_type == "stream" and output.name == "stdout"]
    assert texts == ["300 66.0 10.0\n"]
    assert ["image/png" in output.data for output in done.cells[2].outputs] == [True]
