"""The final rows of a query, in a form that can be compared: as a bag of rows, with names and numbers of one form."""

import lzma
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from nexmark.flows import QUERIES
from nexmark.generator import Simulation
from pydantic_core import from_json

from eddyline import Topology
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import EventLog

ANSWERS = Path(__file__).with_name("answers")
"""The final rows of Flink SQL 2.3 (q6 and q9 in batch mode) for each data set: for each query its columns, then its rows."""

DATA_SETS = {
    "public-1": Simulation(seed=1, delay_us=32_000, base="2015-07-14T23:58:00Z"),
    "public-2": Simulation(seed=2, delay_us=400_000, base="2015-07-15T07:30:00Z", late_share=0.2, late_ms=3_000),
}
STREAMS = {"q0", "q1", "q2", "q13", "q14", "q20", "q21", "q22"}
"""The queries whose results are streams; those of the others are tables, whose last row of each key counts."""

Row: TypeAlias = frozenset[tuple[str, Any]]
Bag: TypeAlias = Counter[Row]


class Answer(NamedTuple):
    """The columns and the rows of a query."""

    columns: frozenset[str]
    rows: Bag


def bag(rows: Iterable[Mapping[str, Any]]) -> Bag:
    """Return rows as a bag."""
    return Counter(frozenset((_name(name), _number(value)) for name, value in row.items()) for row in rows)


def final_rows(query: str, outputs: Iterable[tuple[Any, Any]], columns: frozenset[str]) -> Bag:
    """Return the final rows for the keys and values of the results; a value may be a list of rows."""
    found = list(outputs)
    values = [value for _, value in found] if query in STREAMS else list(dict(found).values())
    lists = [value if isinstance(value, list) else [value] for value in values if value is not None]
    rows = (asdict(row) for each in lists for row in each)
    return bag({name: value for name, value in row.items() if _name(name) in columns} for row in rows)


def written_rows(log: EventLog, topology: Topology, codecs: Codecs) -> Mapping[str, Bag]:
    """Return the final rows by query that a topology of queries has written."""
    found = {}
    for query, key_type, value_type in ((spec.name, spec.key_type, spec.value_type) for spec in topology.sink_topics):
        decode_key, decode_value = codecs.for_key(query, key_type).decode, codecs.for_value(query, value_type).decode
        batches = (log.read(query, number, 0, log.end_offset(query, number)) for number in range(log.partitions(query)))
        records = [record for batch in chain.from_iterable(batches) for record in batch]
        outputs = [(decode_key(record.key), decode_value(record.value)) for record in records]
        found[query] = final_rows(query, outputs, answers("public-2")[query].columns)
    return found


@cache
def answers(data_set: str) -> Mapping[str, Answer]:
    """Return the recorded answers by query."""
    found: dict[str, Answer] = {}
    columns: list[str] = []
    rows: list[dict[str, Any]] = []
    query = ""
    for line in [*lzma.decompress((ANSWERS / f"{data_set}.jsonl.xz").read_bytes()).splitlines(), b'{"query":"","columns":[]}']:
        if line.startswith(b"{"):
            found[query] = Answer(frozenset(map(_name, columns)), bag(rows))
            header = from_json(line)
            query, columns, rows = header["query"], header["columns"], []
        else:
            rows.append(dict(zip(columns, from_json(line), strict=True)))
    assert set(found) - {""} == set(QUERIES)
    return found


def _name(name: str) -> str:
    return name.replace("_", "").lower()


def _number(value: Any) -> Any:
    return round(value, 3) if isinstance(value, float) else value
