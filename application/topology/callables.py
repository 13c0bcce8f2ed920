"""Functions that return no result, such as coroutine functions, and results that are not what an operator takes.

Operators call functions and use what they return at once. What can be seen of a function is refused while the topology is built;
a lambda that calls a coroutine function is found when it returns the coroutine.
"""

import dis
import functools
import inspect
from collections import Counter, OrderedDict, deque
from collections.abc import Mapping, Sequence
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any, Final, NoReturn, get_origin

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.forms.form import shortened

NO_RESULTS: Final = frozenset[type]({CoroutineType, AsyncGeneratorType, GeneratorType})
"""The classes of what a function returns that has not run."""
_IDLE: Final = frozenset({"RESUME", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "NOP"})
"""The instructions of a function that only returns a constant."""
_CHANGING: Final = frozenset(
    {"append", "extend", "insert", "remove", "sort", "reverse", "clear", "add", "discard", "update", "appendleft"}
)
"""Methods of Python's containers that change them and return None."""
_CONTAINERS: Final = frozenset({list, set, dict, bytearray, deque, Counter, OrderedDict})
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


def returns_nothing(function: Any, *, constant: bool) -> bool:
    """Return whether a function returns None whatever it is called with.

    Args:
        function: The function, or anything else that can be called.
        constant: What to return for one that does nothing else, as `lambda value: None` does on purpose.
    """
    steps = _instructions(function)
    ends = [number for number, step in enumerate(steps) if step.opname == "RETURN_VALUE"]
    if any(steps[end].is_jump_target for end in ends):  # of `value if value else None`
        return False
    returned = [steps[end - 1] for end in ends]
    returned += [step for step in steps if step.opname == "RETURN_CONST"]
    if not returned or not all(step.opname in {"LOAD_CONST", "RETURN_CONST"} and step.argval is None for step in returned):
        return False
    return constant or not _IDLE.issuperset(step.opname for step in steps)


def changing_method(function: Any, initial: Any) -> str | None:
    """Return the method of a container whose result, None, an adder returns: append for `lambda items, item: items.append(item)`.

    Args:
        function: The adder.
        initial: What creates an aggregate. Of a class of Python's containers it is known what the methods return.
    """
    container = get_origin(initial) or initial
    if not (isinstance(container, type) and container in _CONTAINERS):
        return None
    steps = [step for step in _instructions(function) if step.opname not in {"RESUME", "PRECALL", "CACHE", "PUSH_NULL"}]
    calls = [step.opname.startswith("CALL") for step in steps]
    if sum(calls) != 1 or not calls[-2] or any("JUMP" in step.opname for step in steps):
        return None
    method = steps[1]
    called = steps[0].opname.startswith("LOAD_FAST") and method.opname in {"LOAD_METHOD", "LOAD_ATTR"}
    return method.argval if called and method.argval in _CHANGING else None


def _instructions(function: Any) -> list[dis.Instruction]:
    """Return the instructions of the function that runs when something is called; none if it is not in Python, or yields."""
    code = getattr(inspect.unwrap(_called(function)), "__code__", None)
    if code is None or code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return []
    return list(dis.get_instructions(code))


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
