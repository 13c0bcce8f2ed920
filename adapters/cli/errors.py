"""What a command says when it cannot do what it was asked: one line, and an exit code."""

from collections.abc import Callable

import typer

from eddyline.adapters.market.daily_prices import UnknownTickerError
from eddyline.adapters.settings import SettingsError
from eddyline.application.flows.flow import FlowSettingError
from eddyline.domain.market import NoSuchDayError
from eddyline.domain.simulation import SimulationError

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
_OUR_PACKAGES = ("domain", "application", "adapters")


def one_line(error: BaseException) -> str:
    """The error's message without line breaks, and where to look further; the kind first where nobody expected the error."""
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        where = f"; see `{context.command_path} --help`" if context else ""
        return f"{_joined(error.format_message()).removesuffix('.')}{where}"
    if _exit_code(error) is None:
        return f"{_joined(f'{type(error).__name__}: {error}').removesuffix(':')} (--traceback shows where)"
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


def _joined(text: str) -> str:
    return " ".join(text.split())


def _exit_code(error: BaseException) -> int | None:
    """The exit code of an error that is known to tell what went wrong, None for any other."""
    if isinstance(error, CommandError | typer.TyperException):
        return error.exit_code
    if isinstance(error, _WRONG_REQUESTS):
        return USAGE
    ours = type(error).__module__.partition(".")[0] in _OUR_PACKAGES
    return FAILURE if ours or isinstance(error, OSError) else None
