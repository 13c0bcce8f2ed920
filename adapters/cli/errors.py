"""What a command says when it cannot do what it was asked: one line, and an exit code."""

import sysconfig
import traceback as tracebacks
from collections.abc import Callable
from pathlib import Path

import typer

import eddyline
from eddyline.adapters.market.daily_prices import UnknownTickerError
from eddyline.adapters.settings import SettingsError
from eddyline.application.flows.flow import FlowSettingError
from eddyline.application.samples.simulation import SimulationError
from eddyline.domain.trading import NoSuchDayError

FAILURE = 1
"""The exit code of a command that could not be carried out."""
USAGE = 2
"""The exit code of a command that was asked for wrongly."""


class CommandError(Exception):
    """The command failed; the message is one line with the thing, the choices and the cure."""

    exit_code = FAILURE


class UsageError(CommandError):
    """The command was asked for in a way that it does not understand."""

    exit_code = USAGE


_WRONG_REQUESTS = (SettingsError, FlowSettingError, UnknownTickerError, NoSuchDayError, SimulationError)
_LIBRARIES = tuple(
    str(Path(folder).resolve())
    for folder in (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
)
_OURS = tuple(str(path.resolve()) for path in Path(eddyline.__file__).parent.iterdir() if path.is_dir())


def one_line(error: BaseException) -> str:
    """The error's message without line breaks, and where to look further; the kind first where nobody expected the error."""
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        where = f"; see `{context.command_path} --help`" if context else ""
        return f"{_joined(error.format_message()).removesuffix('.')}{where}"
    if _exit_code(error) is None:
        return f"{_joined(f'{type(error).__name__}: {error}').removesuffix(':')}{origin_of(error)} (--traceback shows where)"
    return _joined(str(error))


def guarded(command: Callable[[], object], *, traceback: bool = False) -> int:
    """Runs a command and gives its exit code; an error becomes one line on standard error, or is raised with `traceback`."""
    try:
        code = command()
    except typer.Abort:
        code = FAILURE
    except Exception as error:
        if traceback:
            raise
        typer.echo(f"error: {one_line(error)}", err=True)
        code = _exit_code(error) or FAILURE
    return code if isinstance(code, int) else 0


def origin_of(error: BaseException) -> str:
    """Return ` (file, line N)` for the innermost line of the user's own code that the error came through, else nothing."""
    if isinstance(error, SyntaxError):
        return ""  # its message names file and line already
    for frame in reversed(tracebacks.extract_tb(error.__traceback__)):
        path = str(Path(frame.filename).resolve())
        if not (frame.filename.startswith("<") or path.startswith((*_LIBRARIES, *_OURS))):
            return f" ({Path(path).name}, line {frame.lineno})"
    return ""


def _joined(text: str) -> str:
    return " ".join(text.split())


def _exit_code(error: BaseException) -> int | None:
    """The exit code of an error that is known to tell what went wrong, None for any other."""
    if isinstance(error, CommandError | typer.TyperException):
        return error.exit_code
    if isinstance(error, _WRONG_REQUESTS):
        return USAGE
    ours = type(error).__module__.partition(".")[0] == eddyline.__name__
    return FAILURE if ours or isinstance(error, OSError) else None
