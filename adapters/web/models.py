"""The answers as pydantic models; those with rows are made for each store from the types of its keys and values."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel
from pydantic.errors import PydanticUserError

from eddyline.application.queries.answers import Answer, Freshness, StoreInfo
from eddyline.application.queries.hosts import InstanceMetadata
from eddyline.application.queries.parts import AnswerPart, WholeAnswer
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.types import UNKNOWN, Names, type_name

JSON = ConfigDict(
    alias_generator=to_camel,
    populate_by_name=True,
    ser_json_bytes="base64",
    val_json_bytes="base64",
    ser_json_inf_nan="strings",
    arbitrary_types_allowed=False,
)
"""JSON of answers: names of fields in camel case, bytes in base64."""
_OF_ROWS: Final[Mapping[Names, ConfigDict]] = {"camelCase": JSON, "as-declared": {**JSON, "alias_generator": None}}
"""JSON of keys and values as in topics."""


class FreshnessModel(BaseModel):
    """How fresh an answer is; times are milliseconds since the epoch."""

    model_config = JSON

    batch: int | None = Field(description="The last batch that the answer includes; null before the first.")
    batch_time: int | None = Field(description="The wall-clock time of this batch.")
    stream_time: int | None = Field(description="The greatest timestamp that the tasks of the store have seen.")
    offsets: dict[str, list[int | None]] = Field(
        description="The next offset of each partition of the source topics: the answer includes the records before it."
    )
    lag: int = Field(description="The number of records in the source topics after these offsets.")
    restoring: bool = Field(description="Whether the state is still being read from the changelog.")


class StoreModel(BaseModel):
    """A state store."""

    model_config = JSON

    name: str
    kind: StoreKind
    key_type: str
    value_type: str
    partitions: int
    held: list[int] | None = Field(
        description="The partitions that this instance holds, of which sizes and freshness are; null for all."
    )
    entries: int
    size_bytes: int = Field(description="The size of the encoded keys and values.")
    freshness: FreshnessModel
    records_per_second: float | None = Field(
        description="The records per second that the flow reads from the source topics; null if that is not known yet."
    )


class StoresModel(BaseModel):
    """The state stores, sorted by name."""

    stores: list[StoreModel]


class WindowModel(BaseModel):
    """A window or session, in milliseconds since the epoch."""

    start: int
    end: int


class InstanceModel(BaseModel):
    """An instance and the partitions that it holds of each store."""

    host: str
    stores: dict[str, list[int]]


class InstancesModel(BaseModel):
    """All instances."""

    instances: list[InstanceModel]


class KeyModel(BaseModel):
    """The instance that holds a key."""

    host: str
    partition: int | None = Field(description="The partition of the key; null if it is not known, since it has no rows.")


HealthStatus: TypeAlias = Literal["live", "ready", "restoring", "failing"]


class HealthModel(BaseModel):
    """The health of the server, and of the flows that run beside it."""

    status: HealthStatus
    restoring: list[str] = Field(description="The stores whose state is still being read from the changelog.")
    failing: dict[str, str] = Field(
        default_factory=dict, description="Why flows do not work that have failed, or fail again and again, by application."
    )


class StoreModels:
    """The models of the answers of one store.

    Attributes:
        rows: Rows of the store with their freshness.
        event: What an event stream of keys sends.
    """

    def __init__(self, store: StoreInfo) -> None:
        self._kind, self._config = store.kind, _OF_ROWS[store.names]
        name = "".join(part.capitalize() for part in re.split(r"[^a-zA-Z0-9]+", store.name)) or "Store"
        try:
            self._row, self.rows = self._models(name, _shown(store.key_type), _shown(store.value_type))
            self.rows.model_json_schema(mode="serialization")
        except (PydanticUserError, NameError, TypeError):
            self._row, self.rows = self._models(name, Any, Any)

    def _models(self, name: str, key: Any, value: Any) -> tuple[type[BaseModel], type[BaseModel]]:
        fields: dict[str, Any] = {"key": (key, ...), "value": (value, ...)}
        if self._kind in {StoreKind.WINDOW, StoreKind.SESSION}:
            fields["window"] = (WindowModel, ...)
        fields["timestamp"] = (int | None, Field(description="The timestamp of the last update; null if the store has none."))
        if self._kind is StoreKind.VERSIONED:
            fields["valid_to"] = (
                int | None,
                Field(alias="validTo", description="When the next version begins; null for the latest."),
            )
        row = create_model(f"{name}Row", __config__=self._config, **fields)
        rows = create_model(
            f"{name}Rows",
            __config__=JSON,
            rows=(list[row], ...),
            cursor=(str | None, Field(description="Continues after the last row; null if there are no more.")),
            freshness=(FreshnessModel, ...),
        )
        return row, rows

    def to_json(self, answer: Answer) -> str:
        """Return an answer as JSON."""
        model = self.rows.model_construct(
            rows=[self._row_of(row) for row in answer.rows],
            cursor=answer.cursor,
            freshness=freshness_model(answer.freshness),
        )
        return model.model_dump_json(by_alias=True, warnings=False, fallback=str)

    def part(self, answer: Answer) -> AnswerPart:
        """Return an answer as the part of this instance, with its rows as JSON has them."""
        rows = json.loads(self.to_json(answer))["rows"]
        return AnswerPart(rows, answer.positions, answer.partitions, answer.cursor is not None, answer.freshness)

    def part_to_json(self, answer: Answer) -> str:
        """Return an answer as JSON for another instance."""
        positions = [
            [number, b64encode(sort_key).decode(), start, end, partition]
            for number, sort_key, start, end, partition in answer.positions
        ]
        content = json.loads(self.to_json(answer))
        return json.dumps({**content, "positions": positions, "partitions": list(answer.partitions)})

    def whole_to_json(self, answer: WholeAnswer) -> str:
        """Return the answer of several instances as JSON."""
        freshness = json.loads(freshness_model(answer.freshness).model_dump_json(by_alias=True))
        return json.dumps({"rows": answer.rows, "cursor": answer.cursor, "freshness": freshness}, ensure_ascii=False)

    def _row_of(self, row: StoreRow) -> BaseModel:
        fields: dict[str, Any] = {"key": row.key, "value": row.value, "timestamp": row.timestamp}
        if row.window is not None:
            fields["window"] = WindowModel.model_construct(start=row.window.start, end=row.window.end)
        if self._kind is StoreKind.VERSIONED:
            fields["valid_to"] = row.valid_to
        return self._row.model_construct(**fields)


def freshness_model(freshness: Freshness) -> FreshnessModel:
    """Return the model of how fresh an answer is."""
    fields = {**vars(freshness), "offsets": {topic: list(offsets) for topic, offsets in freshness.offsets.items()}}
    return FreshnessModel.model_construct(**fields)


def store_model(store: StoreInfo) -> StoreModel:
    """Return the model of a store."""
    types = {"key_type": _name(store.key_type), "value_type": _name(store.value_type)}
    return StoreModel.model_construct(**{**vars(store), **types, "freshness": freshness_model(store.freshness)})


def instances_model(instances: Sequence[InstanceMetadata]) -> InstancesModel:
    """Return the model of all instances."""
    return InstancesModel(instances=[InstanceModel.model_validate(asdict(instance)) for instance in instances])


def _shown(declared: Any) -> Any:
    return Any if declared in (UNKNOWN, object, None) else declared


def _name(declared: Any) -> str:
    return "unknown" if declared in (UNKNOWN, None) else type_name(declared)
