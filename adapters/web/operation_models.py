"""The requests and answers of operations as pydantic models."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

from eddyline.adapters.web.models import JSON
from eddyline.application.monitoring.run_status import RunState
from eddyline.application.operations.dead_letter_service import LetterPage, ListedLetter, RedriveSummary
from eddyline.application.operations.redrive import Outcome
from eddyline.application.runtime.plan.dead_letters import original_headers

Position = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}:[0-9]{1,18}$")]
"""The position of a dead letter, as `partition:offset`."""

_REQUEST = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)


class LettersParameters(BaseModel):
    """A page of dead letters."""

    model_config = ConfigDict(extra="forbid")

    application: str | None = Field(None, max_length=200, description="The application id. Default: that of the only flow.")
    limit: int = Field(50, ge=1, le=500, description="The greatest number of dead letters.")
    cursor: str | None = Field(None, max_length=4_096, description="The cursor of the page to continue.")
    topic: str | None = Field(None, max_length=249, description="Only records of this topic.")
    exception: str | None = Field(None, max_length=200, description="Only records that failed with this exception.")


class LetterParameters(BaseModel):
    """One dead letter."""

    model_config = ConfigDict(extra="forbid")

    application: str | None = Field(None, max_length=200, description="The application id. Default: that of the only flow.")


class StopRequest(BaseModel):
    """Nothing; the run stops after the current batch."""

    model_config = _REQUEST


class StopModel(BaseModel):
    """The state of the run."""

    state: RunState


class RedriveRequest(BaseModel):
    """The dead letters to redrive: their positions, or all."""

    model_config = _REQUEST

    application: str | None = Field(None, max_length=200, description="The application id. Default: that of the only flow.")
    positions: list[Position] = Field([], max_length=1_000, description="The dead letters, as `partition:offset`.")
    all: bool = Field(default=False, description="Redrive all dead letters.")
    topic: str | None = Field(None, max_length=249, description="With `all`, only records of this topic.")
    dry_run: bool = Field(default=False, description="Only answer what would be written.")

    @model_validator(mode="after")
    def _chosen(self) -> "RedriveRequest":
        if self.all == bool(self.positions):
            raise ValueError("give either the positions of dead letters or all")
        if self.topic is not None and not self.all:
            raise ValueError("topic selects from all dead letters; give it together with all")
        return self


class LetterModel(BaseModel):
    """A dead letter: where its record came from, and why it could not be processed."""

    model_config = JSON

    position: str = Field(description="Its position in the dead-letter topic, as `partition:offset`.")
    topic: str
    partition: int | None
    offset: int | None
    operator: str
    exception: str
    message: str
    timestamp: int
    redriven: bool = Field(description="Whether the record was written back.")


class HeaderModel(BaseModel):
    """A header of a record; the value is base64."""

    model_config = JSON

    name: str
    value: bytes | None


class LetterDetailModel(LetterModel):
    """A dead letter with its record; bytes are base64."""

    stacktrace: str
    key: bytes | None
    value: bytes | None
    headers: list[HeaderModel] = Field(description="The headers of the record, without those of the dead letter.")


class LettersModel(BaseModel):
    """Dead letters, the latest first."""

    model_config = JSON

    application: str
    dead_letter_topic: str
    total: int = Field(description="The dead letters in the topic, those that do not match included.")
    dead_letters: list[LetterModel]
    cursor: str | None = Field(description="Continues after the last one; null if there are no more.")


class RedrivenModel(BaseModel):
    """What became of a dead letter."""

    model_config = JSON

    position: str
    outcome: Outcome
    obstacle: str | None = Field(description="Why it cannot be redriven.")


class RedriveModel(BaseModel):
    """What became of dead letters; for a dry run, what would become of them."""

    model_config = JSON

    written: int
    already_redriven: int
    not_redrivable: int
    results: list[RedrivenModel] = Field(description="The first 1,000.")


def letters_model(application_id: str, topic: str, page: LetterPage) -> LettersModel:
    """Return the model of a page."""
    letters = [LetterModel(**_fields(listed)) for listed in page.letters]
    return LettersModel(
        application=application_id, dead_letter_topic=topic, total=page.total, dead_letters=letters, cursor=page.cursor
    )


def letter_model(listed: ListedLetter) -> LetterDetailModel:
    """Return the model of one dead letter."""
    record = listed.letter.record
    headers = [HeaderModel(name=name, value=value) for name, value in original_headers(record.headers)]
    return LetterDetailModel(
        **_fields(listed), stacktrace=listed.letter.reason.stacktrace, key=record.key, value=record.value, headers=headers
    )


def redrive_model(summary: RedriveSummary) -> RedriveModel:
    """Return the model of what became of dead letters."""
    return RedriveModel(
        written=summary.counts.get(Outcome.WRITTEN, 0),
        already_redriven=summary.counts.get(Outcome.ALREADY_REDRIVEN, 0),
        not_redrivable=summary.counts.get(Outcome.NOT_REDRIVABLE, 0),
        results=[
            RedrivenModel(position=str(letter.position), outcome=outcome, obstacle=obstacle or None)
            for letter, outcome, obstacle in summary.results
        ],
    )


def _fields(listed: ListedLetter) -> dict[str, Any]:
    position, record, reason = listed.letter
    return {
        "position": str(position),
        "topic": reason.topic,
        "partition": reason.partition,
        "offset": reason.offset,
        "operator": reason.operator,
        "exception": reason.exception,
        "message": reason.message,
        "timestamp": record.timestamp,
        "redriven": listed.redriven,
    }
