"""An exception that ends the run is noted once, by the innermost operator that raised it."""

from collections.abc import Callable
from typing import Any

from eddyline.application.operators.output import Output
from eddyline.application.runtime.plan.failures import OutputError, note_failure
from eddyline.application.runtime.task.failing_node import Failing, NodeFunctions
from eddyline.application.topology.exception_handlers import PROCESSING, PRODUCTION, ErrorContext


def test_only_the_first_note_is_added_to_an_exception() -> None:
    error = LookupError("no")
    note_failure(error, ErrorContext("inner", "0_1", key="k"), PROCESSING)
    note_failure(error, ErrorContext("outer", "0_1"), PRODUCTION)
    (note,) = error.__notes__
    assert note.startswith("operator 'inner' of task 0_1")
    assert note.endswith("to go on without such records, set processing.exception.handler to 'continue' or 'dead-letter'")


def test_an_output_error_has_the_message_of_its_cause() -> None:
    output = Output("out", "k", "v", 5, (), NO_SINK)
    cause = LookupError("no such thing")
    error = OutputError(output, cause)
    assert str(error) == str(cause)
    assert (error.output, error.error) == (output, cause)


NO_SINK: Any = None


def node(name: str, then: Callable[..., None] | None = None) -> Callable[..., None]:
    """Return the function of an operator, which fails unless there is a next one."""

    def process(key: str, timestamp: object) -> None:
        if then is None:
            raise LookupError(name)
        then(f"{key}, from {name}", timestamp)

    return process


class Method:
    """An operator whose function is a method."""

    def process(self, key: str) -> None:
        raise LookupError(key)


def raised_by(function: Callable[..., None], *record: object) -> Exception:
    try:
        function(*record)
    except LookupError as error:
        return error
    raise AssertionError("nothing was raised")


def test_the_innermost_operator_is_found_with_key_and_timestamp_of_what_it_processed() -> None:
    inner = node("inner")
    outer = node("outer", inner)
    functions = NodeFunctions([("outer", outer), ("inner", inner)])
    assert functions.failing(raised_by(outer, "k", 7)) == Failing("inner", "k, from outer", 7)
    assert NodeFunctions([("outer", outer)]).failing(raised_by(outer, "k", 7)) == Failing("outer", "k", 7)


def test_a_timestamp_that_is_no_number_is_unknown() -> None:
    function = node("single")
    assert NodeFunctions([("single", function)]).failing(raised_by(function, "k", "now")) == Failing("single", "k", None)


def test_a_method_is_found_by_its_object() -> None:
    one, other = Method(), Method()
    functions = NodeFunctions([("other", other.process), ("one", one.process)])
    assert functions.failing(raised_by(one.process, "k")) == Failing("one", "k", None)


def test_an_exception_of_another_function_has_no_operator() -> None:
    assert NodeFunctions([("one", node("one"))]).failing(raised_by(node("other"), "k", 7)) is None
