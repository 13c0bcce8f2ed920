"""What the stores in files have that others have not: they outlive the process."""

from pathlib import Path

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.adapters.sqlite.state_stores import SqliteStateStores
from eddyline.application.flows.registry import find_flow


def test_a_store_that_is_made_again_has_what_was_drained(tmp_path: Path) -> None:
    for round_ in range(2):
        store = SqliteStateStores(tmp_path, JsonCodecs()).window(
            "s", key_type=tuple[str, int], value_type=tuple[int, int], retention_ms=100
        )
        assert (store.fetch("a", 50), store.newest) == ((None, -1) if round_ == 0 else ((7, 55), 50))
        store.put("a", (7, 55), 50)
        store.drain_changes()
        store.close()


def test_the_memory_engine_runs_on_them(tmp_path: Path) -> None:
    engine = MemoryEngine(find_flow("word-count").topology(), stores=SqliteStateStores(tmp_path, JsonCodecs()))
    engine.pipe("text-lines", None, "a b a", 1)
    assert {row.key: row.value for row in engine.store("word-count-store")} == {"a": 2, "b": 1}
