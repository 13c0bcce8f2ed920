"""Functions that return no result, such as coroutine functions, and results that are not what an operator takes.

Operators call functions and use what they return at once. What can be seen of a function is refused while the topology is built;
a lambda that calls a coroutine function is found when it returns the coroutine.
"""

import functools
import inspect
from collections.abc import Mapping, Sequence
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any, Final, NoReturn

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.forms.form import shortened

NO_RESULTS: Final = frozenset[type]({CoroutineType, AsyncGeneratorType, GeneratorType})
"""The classes of what a function returns that has not run."""
_PAIR: Final = 2
_BOOL: Final = frozenset({bool})
_Cached: Final = type(functools.cache(len))


def check_result(what: str, function: Any, *, iterable: bool = False) -> None:
    """Check that calling a function returns a result.

    Args:
        what: What the function is, for the error message, such as "the predicate of operator 'large'".
        function: The function, or anything else that can be called.
        iterable: Whether the result is iterated over, so that the function may be a generator function.

    Raises:
        TopologyError: If it returns a coroutine or an asynchronous generator, or a generator in place of a value.
    """
    code = _called(function)
    if inspect.iscoroutinefunction(code) or inspect.isasyncgenfunction(code):
        kind, fix = "a coroutine function (async def), which is never awaited", "pass a function that returns its result: def"
    elif inspect.isgeneratorfunction(code) and not iterable:
        kind = "a generator function (yield), of which nothing would run"
        fix = "pass a function that returns one value; flat_map(…) and flat_map_values(…) take generator functions"
    else:
        return
    name = getattr(function, "__qualname__", None) or getattr(code, "__qualname__", type(function).__qualname__)
    msg = f"{what} is '{name}', {kind}; {fix}"
    raise TopologyError(msg)


def _called(function: Any) -> Any:
    """Return the function that runs when something is called."""
    while isinstance(function, functools.partial | _Cached):
        function = function.func if isinstance(function, functools.partial) else function.__wrapped__
    if inspect.isroutine(function) or inspect.isclass(function):
        return function
    return getattr(type(function), "__call__", function)  # noqa: B004 - the method itself


def is_true(result: object) -> bool:
    """Return whether what a predicate returned is true.

    Raises:
        TypeError: If it is a coroutine, a generator or a future, which would be true whatever its result is.
    """
    if _has_not_run(result):
        refuse(result, "a predicate")
    return bool(result)


def are_true(results: list[Any]) -> list[Any]:
    """Return what a predicate returned for many records; each is true or false.

    Raises:
        TypeError: As `is_true`.
    """
    return results if _BOOL.issuperset(map(type, results)) else list(map(is_true, results))


def check_done(result: object) -> None:
    """Check what an action returned, which is ignored.

    Raises:
        TypeError: If it is a coroutine, a generator or a future, so that nothing was done.
    """
    if _has_not_run(result):
        refuse(result, "an action")


def _has_not_run(result: object) -> bool:
    """Return whether a result is a coroutine, a generator, or something else that has to be awaited, such as a future."""
    return type(result) in NO_RESULTS or hasattr(type(result), "__await__")


def check_values(results: Sequence[object], what: str) -> None:
    """Check the values that a function returned, one for each call.

    Raises:
        TypeError: If one of them is a coroutine or a generator.
    """
    if not NO_RESULTS.isdisjoint(map(type, results)):
        refuse(next(result for result in results if type(result) in NO_RESULTS), what)


def pair_of(result: Any) -> tuple[Any, Any]:
    """Return the key and the value that a mapper returned: a tuple or a list of two.

    Raises:
        TypeError: If it is anything else, also what happens to have two parts, such as a text of two characters.
    """
    if isinstance(result, tuple | list) and len(result) == _PAIR:
        return result[0], result[1]
    if type(result) in NO_RESULTS:
        refuse(result, "a mapper")
    msg = f"a mapper returned {shortened(result)} in place of a key and a value; return (key, value)"
    raise TypeError(msg)


def check_several(result: Any) -> None:
    """Check what a mapper returned that may return any number of results.

    Raises:
        TypeError: If it is not iterable, or its parts are no results: the characters of a text, or the keys of a dict.
    """
    if type(result) is AsyncGeneratorType or hasattr(type(result), "__await__"):
        refuse(result, "a mapper")
    if isinstance(result, str | bytes | bytearray | Mapping) or not hasattr(type(result), "__iter__"):
        fix = "return a list of results, which is empty for none"
        msg = f"a mapper returned {shortened(result)} in place of several results; {fix}"
        raise TypeError(msg)


def refuse(result: Any, what: str) -> NoReturn:
    """Refuse a result that has not run; `what` is the function that returned it, such as "a predicate".

    Raises:
        TypeError: Always.
    """
    kinds = {GeneratorType: "generator", CoroutineType: "coroutine", AsyncGeneratorType: "coroutine"}
    kind = kinds.get(type(result), "future")
    if isinstance(result, CoroutineType | GeneratorType):
        result.close()
    name = getattr(result, "__qualname__", type(result).__qualname__)
    msg = f"{what} returned a {kind}, of which nothing has run: '{name}'; call a function that returns its result"
    raise TypeError(msg)
