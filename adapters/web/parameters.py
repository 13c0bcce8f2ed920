"""The query parameters of requests; unknown ones are errors, so that a misspelled one is not ignored."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

_MAX_TIME = 2**63 - 1
_MinOffset = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9._-]{1,249}:[0-9]{1,9}:[0-9]{1,18}$")]
_Time = Annotated[int, Field(ge=0, le=_MAX_TIME)]


class FreshParameters(BaseModel):
    """What the answer must include."""

    model_config = ConfigDict(extra="forbid")

    min_offset: list[_MinOffset] = Field(
        default=[],
        max_length=100,
        description="Wait until the state includes the record with this offset, as `topic:partition:offset`. Can be repeated.",
    )
    timeout: float = Field(5, ge=0, allow_inf_nan=False, description="How long to wait for `min_offset`, in seconds.")

    def offsets(self) -> dict[str, dict[int, int]]:
        """Return the next offsets to wait for, those after the records, by topic and partition."""
        offsets: dict[str, dict[int, int]] = {}
        for text in self.min_offset:
            topic, partition, offset = text.split(":")
            of_topic = offsets.setdefault(topic, {})
            of_topic[int(partition)] = max(int(offset) + 1, of_topic.get(int(partition), 0))
        return offsets


class PageParameters(FreshParameters):
    """A page of rows."""

    limit: int = Field(100, ge=1, le=1_000, description="The greatest number of rows.")
    cursor: str | None = Field(None, max_length=4_096, description="The cursor of the answer to continue.")

    def page(self) -> dict[str, Any]:
        """Return the arguments of a query."""
        return {"limit": self.limit, "cursor": self.cursor}


class KeyParameters(PageParameters):
    """The rows of a key."""

    limit: int = Field(1_000, ge=1, le=1_000, description="The greatest number of rows.")


class KeysParameters(KeyParameters):
    """Several keys."""

    key: list[str] = Field(min_length=1, max_length=100, description="A key. Can be repeated.")


class RangeParameters(PageParameters):
    """A range of keys."""

    first: str | None = Field(None, description="The first key.")
    last: str | None = Field(None, description="The last key, inclusive.")


class WindowsParameters(KeyParameters):
    """A range of times."""

    first: _Time = Field(0, alias="from", description="The first time in milliseconds since the epoch.")
    last: _Time = Field(_MAX_TIME, alias="to", description="The last time, inclusive.")


class VersionParameters(KeyParameters):
    """A time."""

    as_of: _Time | None = Field(None, description="The time of the version in milliseconds since the epoch. Default: all.")


class EventsParameters(BaseModel):
    """What an event stream follows."""

    model_config = ConfigDict(extra="forbid")

    key: list[str] = Field(default=[], max_length=100, description="Send the rows of this key. Can be repeated.")
