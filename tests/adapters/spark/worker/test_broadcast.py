"""What the driver sends to the workers arrives as it was."""

import subprocess
import sys
from pathlib import Path

import pytest

_DRIVER = """
import sys
from dataclasses import dataclass, field
from pathlib import Path
from eddyline.adapters.spark.worker.broadcast import Broadcast

@dataclass(frozen=True)
class Basket:
    owner: str
    items: list[str] = field(default_factory=list)
    open: bool = True

if "decode first" in sys.argv:
    import msgspec

    assert msgspec.json.decode(b'{"owner": "bob"}', type=Basket) == Basket("bob")
Path(sys.argv[1]).write_bytes(Broadcast(Basket, "app-1")._data)
"""

_WORKER = """
import pickle, sys
from pathlib import Path
from pydantic import TypeAdapter
import msgspec

basket = pickle.loads(Path(sys.argv[1]).read_bytes())
assert msgspec.json.decode(b'{"owner": "eve"}', type=basket) == basket("eve")
print(TypeAdapter(basket).validate_python({"owner": "ann"}))
"""


@pytest.mark.parametrize("before", ["", "decode first"])
def test_a_dataclass_of_the_main_module_can_be_encoded_by_the_workers(before: str, tmp_path: Path) -> None:
    file = tmp_path / "pickled"
    subprocess.run([sys.executable, "-c", _DRIVER, str(file), before], check=True)
    found = subprocess.run([sys.executable, "-c", _WORKER, str(file)], capture_output=True, text=True, check=True)
    assert found.stdout == "Basket(owner='ann', items=[], open=True)\n"
