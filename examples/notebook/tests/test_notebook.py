"""The notebook runs from its first cell to its last, and computes what it says.

It is stored without outputs: figures differ between versions of matplotlib and would hide a change in its diff, and stored values
say nothing about the code of today. So this test runs the cells and compares the values that they compute.
"""

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

PROJECT = Path(__file__).parents[1]
NOTEBOOK = PROJECT / "grace_period.ipynb"
FIGURES = 3
VALUES = """
import json

print(json.dumps({
    "readings": len(received),
    "median_delay_s": round(delays[0.5], 3),
    "windows": len(loads),
    "first_load": loads["watt_hours"].iloc[0].round(3),
    "missing": missing.mean().round(4),
    "complete_windows": grace_periods["complete_windows"].round(4).to_dict(),
    "chosen": chosen,
}))
"""


@pytest.fixture(scope="module")
def executed() -> Any:
    """The notebook with its outputs, and with one more cell that prints values of its variables."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(VALUES))
    return NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(PROJECT)}}).execute()


def test_it_is_stored_without_outputs() -> None:
    cells = [cell for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]
    assert [(cell.outputs, cell.execution_count) for cell in cells] == [([], None)] * len(cells)


def test_its_cells_compute_these_values(executed: Any) -> None:
    (printed,) = executed.cells[-1].outputs
    assert json.loads(printed.text) == {
        "readings": 28_800,
        "median_delay_s": 2.149,
        "windows": 190,
        "first_load": 611.341,
        "missing": 0.0162,
        "complete_windows": {
            "0": 0.0105,
            "1": 0.0632,
            "2": 0.2105,
            "5": 0.7211,
            "10": 0.9789,
            "20": 1.0,
            "30": 1.0,
        },
        "chosen": 20,
    }


def test_it_prints_the_setting_to_choose(executed: Any) -> None:
    (printed,) = executed.cells[-2].outputs
    assert printed.text == "--set grace_ms=1200000\n"


def test_it_draws_its_figures(executed: Any) -> None:
    outputs = [output for cell in executed.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == FIGURES
