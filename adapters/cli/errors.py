"""Errors of commands: one line on standard error and an exit code."""

import re
import sysconfig
import traceback as tracebacks
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import typer

import eddyline
from eddyline.adapters.cli.log_context import errors_are_logged
from eddyline.adapters.cli.printable import echo

FAILURE = 1
"""The exit code of a command that failed."""
USAGE = 2
"""The exit code of a command with invalid arguments, options or settings."""
BEGIN_AGAIN = 75
"""The exit code with which a command asks `main` to begin again with its arguments: EX_TEMPFAIL of sysexits.h."""
LEFT = "_EDDYLINE_LEFT_BY_RELOAD"
"""The environment variable with what a command leaves to itself when it begins again."""


class CommandError(Exception):
    """A command failed; the message is one line with what is wrong, the valid choices and the fix."""

    exit_code = FAILURE


class UsageError(CommandError):
    """The arguments or options of a command are invalid."""

    exit_code = USAGE


_POSSIBLE_OPTIONS = re.compile(r" \(Possible options: ([^,]+)(?:, .+)?\)$")
_FIRST_OF_SEVERAL = re.compile(r"(did you mean '[^']+')(?:, '[^']+')+")
_LIBRARIES = tuple(
    str(Path(folder).resolve())
    for folder in (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
)
_OURS = tuple(str(path.resolve()) for path in Path(eddyline.__file__).parent.iterdir() if path.is_dir() or path.suffix == ".py")


def one_line(error: BaseException) -> str:
    """Return the message of an error on one line, with the help to read; an unexpected error is shown with its type and line."""
    if isinstance(error, typer.TyperException):
        return _of_typer(error)
    if _exit_code(error) is None:
        description = _joined(f"{type(error).__name__}: {error}").removesuffix(":")
        return f"{description}{origin_of(error)}{_notes(error)}; run 'eddyline --traceback …' for the traceback"
    if isinstance(error, OSError) and error.strerror and not _is_ours(error):
        what = f"access '{error.filename}'" if error.filename else _unnamed(error)
        return _joined(f"cannot {what}: {error.strerror.lower()}")
    from eddyline.application.ports.event_log import UnknownTopicError  # noqa: PLC0415 - help is shown without the ports

    hint = "; the setting log (--log) chooses another event log" if isinstance(error, UnknownTopicError) else ""
    return f"{_joined(str(error))}{hint}{_notes(error)}"


def guarded(command: Callable[[], object], *, traceback: bool = False) -> int:
    """Run a command and return its exit code.

    An error is printed to standard error on one line, which is a line of the log of a run. With `traceback`, the
    traceback precedes it, or is a field of the line.
    """
    try:
        code = command()
    except typer.Abort:
        code = FAILURE
    except Exception as error:  # noqa: BLE001 - every error is reported
        _report(one_line(error), "".join(tracebacks.format_exception(error)) if traceback else None)
        code = _exit_code(error) or FAILURE
    return code if isinstance(code, int) else 0


def _report(text: str, traceback: str | None) -> None:
    with suppress(OSError):  # the exit code says that there was an error, even if standard error cannot be written
        _print_or_log(text, traceback)


def _unnamed(error: OSError) -> str:
    """Return what could not be done, for an error that names no file: libraries print, and do nothing else."""
    frames = tracebacks.extract_tb(error.__traceback__)
    printed = bool(frames) and not {"typer", "rich"}.isdisjoint(Path(frames[-1].filename).parts)
    return "write to standard output" if printed else "read or write"


def _print_or_log(text: str, traceback: str | None) -> None:
    if errors_are_logged():
        from eddyline.adapters.cli.logs import logger  # noqa: PLC0415 - structlog is imported only for runs that write a log

        logger().error(text, **({} if traceback is None else {"exception": traceback}))
    else:
        if traceback is not None:
            echo(traceback, err=True, nl=False)
        echo(f"error: {text}", err=True)


def origin_of(error: BaseException) -> str:
    """Return ` (file, line N)` for the innermost line of the user's code that raised the error, else nothing."""
    if isinstance(error, SyntaxError):
        return ""  # its message names file and line already
    for frame in reversed(tracebacks.extract_tb(error.__traceback__)):
        if is_of_user(frame.filename):
            return f" ({Path(frame.filename).resolve().name}, line {frame.lineno})"
    return ""


def is_of_user(file: str) -> bool:
    """Return whether a Python file is one of the user, rather than of Eddyline, Python or an installed package."""
    return not (file.startswith("<") or str(Path(file).resolve()).startswith((*_LIBRARIES, *_OURS)))


def _notes(error: BaseException) -> str:
    return "".join(f"; {_joined(note)}" for note in getattr(error, "__notes__", ()))


def _of_typer(error: typer.TyperException) -> str:
    message = _joined(error.format_message()).removesuffix(".").replace(". Did you mean", "; did you mean")
    message = _POSSIBLE_OPTIONS.sub(r"; did you mean \1?", message)
    message = _FIRST_OF_SEVERAL.sub(r"\1", message)
    from eddyline.adapters.settings import invalid_input  # noqa: PLC0415 - help is shown without the settings

    refused = invalid_input(error.__cause__)
    if refused is not None:
        value, reason = refused
        message = f"invalid value '{value}' for {message.partition(' for ')[2].partition(': ')[0]}: {reason}"
    message = f"{message[:1].lower()}{message[1:]}"
    context = getattr(error, "ctx", None)
    if context is None:
        return message
    run = f"run '{context.command_path} --help' for usage"
    return f"{message} {run.capitalize()}" if message.endswith("?") else f"{message}; {run}"


def _joined(text: str) -> str:
    return " ".join(text.split())


def _exit_code(error: BaseException) -> int | None:
    """Return the exit code of an error whose message is meant for users, None for any other."""
    if isinstance(error, CommandError | typer.TyperException):
        return error.exit_code
    if isinstance(error, _usage_errors()):
        return USAGE
    return FAILURE if _is_ours(error) or isinstance(error, OSError) else None


def _is_ours(error: BaseException) -> bool:
    return type(error).__module__.partition(".")[0] == eddyline.__name__


def _usage_errors() -> tuple[type[Exception], ...]:
    """Return the errors of other layers that invalid arguments cause; imported here, so that help is shown without them."""
    from eddyline.adapters.settings import SETTINGS_ERRORS  # noqa: PLC0415 - likewise
    from eddyline.application.flows.flow import FlowSettingError  # noqa: PLC0415 - likewise
    from eddyline.application.ports.codec import UnsupportedTypeError  # noqa: PLC0415 - likewise
    from eddyline.application.runtime.plan.application_ids import ApplicationIdError  # noqa: PLC0415 - likewise
    from eddyline.application.runtime.plan.changelogs import StoreChoiceError  # noqa: PLC0415 - likewise
    from eddyline.application.samples.simulation import SimulationError  # noqa: PLC0415 - likewise

    return (*SETTINGS_ERRORS, ApplicationIdError, FlowSettingError, SimulationError, StoreChoiceError, UnsupportedTypeError)
