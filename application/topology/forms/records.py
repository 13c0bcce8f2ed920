"""The forms of classes with fields: dataclasses, named tuples, typed dicts and pydantic models."""

import dataclasses
import dis
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

from eddyline.application.topology.forms.form import Form, FormError, Names, expected_found, tagged, untagged, within
from eddyline.application.topology.types import required_keys, type_name

_MISSING: Final = object()


class ObjectForm(Form):
    """Dataclasses and pydantic models, as objects with the declared names of their fields; subclasses have a tag.

    Args:
        declared: The class; if it has no form itself, such as an abstract one, only its subclasses have values.
        form_of: Returns the form of a subclass.
    """

    def __init__(self, declared: type, form_of: Callable[[Any], Form], *, has_values: bool = True) -> None:
        self._class, self._form_of, self._has_values = declared, form_of, has_values
        self._fields: dict[str, Form] = {}
        self._is_model = hasattr(declared, "model_fields")
        self._is_of_pydantic = _is_created_by_pydantic(declared)
        self._runs_code = self._is_model or not _only_checks(declared) or not _has_own_init(declared)
        self.kinds = (declared,)

    def set_fields(self, forms: Mapping[str, Form]) -> None:
        """Set the forms of the fields, which may contain this form."""
        self._fields = dict(forms)
        self._defaults = defaults_of(self._class)
        self._columns = [(attrgetter(name), form) for name, form in forms.items()]
        of_class = [form for form in forms.values() if form is not self]
        self.plain = (
            self._has_values
            and bool(forms)
            and not self._runs_code
            and len(of_class) == len(forms)
            and all(f.plain for f in of_class)
        )
        self._has_dict = hasattr(self._class, "__dict__") and getattr(self._class, "__dictoffset__", 0) != 0

    def condition(self, value: str, names: Names) -> str:
        conditions = [f"type({value}) is {names.of(self._class)}"]
        if self._has_dict:
            conditions.append(f"len({value}.__dict__) == {len(self._fields)}")
        return " and ".join((*conditions, *(names.part(f"{value}.{name}", form) for name, form in self._fields.items())))

    def exact_all(self, values: Sequence[Any]) -> bool:
        if not values:
            return True  # also of a class that contains itself
        if not {self._class}.issuperset(map(type, values)):
            return False
        if self._has_dict and not {len(self._fields)}.issuperset(map(len, map(vars, values))):
            return False
        try:
            return all(form.exact_all(list(map(getter, values))) for getter, form in self._columns)
        except AttributeError:
            return False

    def dump(self, value: Any) -> Any:
        kind = type(value)
        if kind is not self._class or not self._has_values:
            return self._dump_subclass(value)
        self._check_extra(value)
        found: dict[str, Any] = {}
        for name, form in self._fields.items():
            part = getattr(value, name, _MISSING)
            if part is _MISSING:
                raise FormError(f"{name}: the field has no value")
            try:
                found[name] = form.dump(part)
            except FormError as error:
                raise within(error, f".{name}") from None
        return found

    def load(self, data: Any) -> Any:
        if type(data) is not dict:
            raise FormError(expected_found(type_name(self._class), data))
        tag = untagged(data)
        if tag is not None:
            return self._form_of(class_of(tag[0], (self._class,))).load(tag[1])
        if not self._has_values:
            raise FormError(
                f"a value of {type_name(self._class)} without the name of its class; it was written by another version"
            )
        if not data.keys() <= self._fields.keys():
            lost = min(data.keys() - self._fields.keys())
            raise FormError(
                f"{type_name(self._class)} has no field '{lost}' any more, so its value would be lost; keep the field"
            )
        found = {}
        for name, form in self._fields.items():
            if name in data:
                try:
                    found[name] = form.load(data[name])
                except FormError as error:
                    raise within(error, f".{name}") from None
            elif name in self._defaults:
                found[name] = self._defaults[name]()
            else:
                raise FormError(f"{name}: the field is missing in {type_name(self._class)}")
        return self._created(found)

    def _created(self, values: dict[str, Any]) -> Any:
        declared: Any = self._class
        if self._is_model:
            return declared.model_construct(**values)
        if self._is_of_pydantic and not hasattr(declared, "__post_init__"):
            created = object.__new__(declared)
        elif self._runs_code:
            given = {field.name: values[field.name] for field in dataclasses.fields(declared) if field.init}
            try:
                created = _validated(declared, given) if self._is_of_pydantic else declared(**given)
            except Exception as error:
                raise FormError(f"{type_name(declared)} cannot be created from its fields: {error!r}") from error
        else:
            created = object.__new__(declared)
        for name, value in values.items():
            object.__setattr__(created, name, value)
        return created

    def _check_extra(self, value: Any) -> None:
        """Make sure that nothing but fields, and what is computed from them, is in an object."""
        if self._runs_code or not self._has_dict or len(vars(value)) == len(self._fields):
            return
        for name in vars(value).keys() - self._fields.keys():
            if not isinstance(getattr(self._class, name, None), cached_property):
                raise FormError(
                    f"{type_name(self._class)} has the attribute '{name}', which is no field of it; declare it as one"
                )

    def _dump_subclass(self, value: Any) -> Any:
        kind = type(value)
        if not isinstance(value, self._class) or kind is self._class:
            raise FormError(expected_found(type_name(self._class), value))
        return tagged(tag_of(kind, (self._class,)), self._form_of(kind).dump(value))


class NamedTupleForm(Form):
    """Named tuples, as lists; fields at the end that have defaults may be missing."""

    def __init__(self, declared: Any, forms: Mapping[str, Form]) -> None:
        self._class, self._fields = declared, dict(forms)
        self._least = len(forms) - len(declared._field_defaults)
        self.kinds = (declared,)

    def exact_all(self, values: Sequence[Any]) -> bool:
        return {self._class}.issuperset(map(type, values)) and all(
            form.exact_all(column) for form, column in zip(self._fields.values(), zip(*values, strict=True), strict=bool(values))
        )

    def dump(self, value: Any) -> Any:
        if type(value) is not self._class:
            raise FormError(expected_found(type_name(self._class), value))
        found = []
        for (name, form), part in zip(self._fields.items(), value, strict=True):
            try:
                found.append(form.dump(part))
            except FormError as error:
                raise within(error, f".{name}") from None
        return found

    def load(self, data: Any) -> Any:
        if type(data) is not list or not self._least <= len(data) <= len(self._fields):
            raise FormError(expected_found(type_name(self._class), data))
        return self._class(*(form.load(part) for form, part in zip(self._fields.values(), data, strict=False)))


class TypedDictForm(Form):
    """Typed dicts, as objects; a dict with other keys is refused."""

    kinds = (dict,)

    def __init__(self, declared: Any, forms: Mapping[str, Form]) -> None:
        self._class, self._fields, self._required = declared, dict(forms), sorted(required_keys(declared))

    def dump(self, value: Any) -> Any:
        if type(value) is not dict:
            raise FormError(expected_found(type_name(self._class), value))
        return self._converted(value, "dump")

    def load(self, data: Any) -> Any:
        if type(data) is not dict:
            raise FormError(expected_found(type_name(self._class), data))
        return self._converted(data, "load")

    def _converted(self, parts: Mapping[Any, Any], way: str) -> dict[str, Any]:
        unknown = [name for name in parts if name not in self._fields]
        missing = [name for name in self._required if name not in parts]
        if unknown or missing:
            what = f"the key {unknown[0]!r}, which is none of it" if unknown else f"no key '{missing[0]}'"
            raise FormError(f"{type_name(self._class)} has {what}")
        found = {}
        for name, part in parts.items():
            try:
                found[name] = getattr(self._fields[name], way)(part)
            except FormError as error:
                raise within(error, f".{name}") from None
        return found


def tag_of(kind: type, roots: Sequence[type]) -> str:
    """Return the name by which a class is found among the subclasses of some classes.

    Raises:
        FormError: another class has the same name.
    """
    for tag in (kind.__qualname__, f"{kind.__module__}.{kind.__qualname__}"):
        if _named(tag, roots) == [kind]:
            return tag
    raise FormError(
        f"two classes have the name '{kind.__module__}.{kind.__qualname__}', and state knows classes by name; rename one"
    )


def class_of(tag: str, roots: Sequence[type]) -> type:
    """Return the class with a tag among some classes and their subclasses.

    Raises:
        FormError: there is none, or more than one.
    """
    found = _named(tag, roots)
    if len(found) == 1:
        return found[0]
    names = " | ".join(map(type_name, roots))
    if found:
        raise FormError(f"several classes of {names} have the name '{tag}'; rename all but one")
    raise FormError(f"'{tag}' is no class of {names}; import the module that has it where the flow is defined")


def _named(tag: str, roots: Sequence[type]) -> list[type]:
    return [kind for kind in _known(roots) if tag in (kind.__qualname__, f"{kind.__module__}.{kind.__qualname__}")]


def _known(roots: Sequence[type]) -> Iterator[type]:
    """Yield classes and their subclasses; of those of one name in one module, such as one that got slots, the one in use."""
    found: dict[tuple[str, str], type] = {}
    waiting = list(roots)
    while waiting:
        kind = waiting.pop(0)
        waiting += type.__subclasses__(kind)
        name = (kind.__module__, kind.__qualname__)
        if name not in found or getattr(sys.modules.get(kind.__module__), kind.__qualname__, kind) is kind:
            found[name] = kind
    yield from found.values()


def field_types(declared: Any, hints: Mapping[str, Any]) -> dict[str, Any]:
    """Return the types of the fields of a class with fields, by name."""
    if hasattr(declared, "model_fields"):
        is_complete = declared.__pydantic_complete__  # its annotations have no names left, and no variables of generic classes
        return {
            name: field.annotation if is_complete else hints.get(name, field.annotation)
            for name, field in declared.model_fields.items()
        }
    if dataclasses.is_dataclass(declared):
        return {field.name: hints[field.name] for field in dataclasses.fields(declared)}
    if hasattr(declared, "_fields"):
        return {name: hints[name] for name in declared._fields}
    return dict(hints)


def is_named_tuple(declared: Any) -> bool:
    """Return whether a type is a named tuple with annotated fields."""
    return isinstance(declared, type) and issubclass(declared, tuple) and hasattr(declared, "_field_defaults")


def has_fields(declared: Any) -> bool:
    """Return whether a type is a dataclass or a pydantic model."""
    return isinstance(declared, type) and (dataclasses.is_dataclass(declared) or hasattr(declared, "model_construct"))


def _has_own_init(declared: type) -> bool:
    """Return whether objects of a class are created by nothing but setting the fields."""
    if not dataclasses.is_dataclass(declared):
        return True
    created = getattr(declared.__init__, "__code__", None)
    return created is not None and created.co_filename == "<string>"


def _is_created_by_pydantic(declared: Any) -> bool:
    """Return whether a class is a dataclass of pydantic, which takes the aliases of its fields and validates once more."""
    return hasattr(declared, "__pydantic_validator__") and getattr(declared.__init__, "__module__", "").startswith("pydantic")


def _validated(declared: Any, values: dict[str, Any]) -> Any:
    return declared.__pydantic_validator__.validate_python(values, strict=False, by_alias=False, by_name=True)


def _only_checks(declared: Any) -> bool:
    """Return whether `__post_init__` of a class, if there is one, does nothing with the object but read its attributes."""
    code = getattr(getattr(declared, "__post_init__", None), "__code__", None)
    if code is None:
        return not hasattr(declared, "__post_init__")
    instance = code.co_varnames[0]
    if code.co_argcount > 1 or instance in code.co_cellvars or not {"super", "locals", "vars"}.isdisjoint(code.co_names):
        return False
    instructions = list(dis.get_instructions(code))
    uses = [number for number, found in enumerate(instructions) if _names(found.argval, instance)]
    return all(_reads_attribute(instructions[number], instructions[number + 1]) for number in uses)


def _names(argument: object, name: str) -> bool:
    return argument == name or (isinstance(argument, tuple) and name in argument)


def _reads_attribute(loaded: dis.Instruction, following: dis.Instruction) -> bool:
    """Return whether an object that is loaded is used for nothing but the value of an attribute; a method may change it."""
    is_alone = loaded.opname.startswith("LOAD_FAST") and isinstance(loaded.argval, str)
    return is_alone and following.opname == "LOAD_ATTR" and "NULL|self" not in following.argrepr


def defaults_of(declared: Any) -> dict[str, Callable[[], Any]]:
    """Return functions that return the defaults of fields."""
    found: dict[str, Callable[[], Any]] = {}
    if hasattr(declared, "model_fields"):
        for name, field in declared.model_fields.items():
            if not field.is_required():
                found[name] = partial(field.get_default, call_default_factory=True)
        return found
    for each in dataclasses.fields(declared) if dataclasses.is_dataclass(declared) else ():
        if each.default_factory is not dataclasses.MISSING:
            found[each.name] = each.default_factory
        elif each.default is not dataclasses.MISSING:
            found[each.name] = partial(_same, each.default)
    return found


def type_arguments(declared: Any, arguments: Sequence[Any]) -> dict[Any, Any]:
    """Return what stands for the type variables of a generic class and of its generic bases."""
    found = dict(zip(getattr(declared, "__parameters__", ()), arguments, strict=False))
    for base in getattr(declared, "__orig_bases__", ()):
        origin = getattr(base, "__origin__", None)
        if origin is not None and origin is not Generic:
            inner = [found.get(argument, argument) for argument in base.__args__]
            found.update(type_arguments(origin, inner))
    return found


def substituted(hint: Any, variables: Mapping[Any, Any]) -> Any:
    """Return a type with types in place of its type variables."""
    if isinstance(hint, TypeVar):
        return variables.get(hint, hint)
    parameters = getattr(hint, "__parameters__", ())
    return hint[tuple(variables.get(parameter, parameter) for parameter in parameters)] if parameters and variables else hint


def _same(value: Any) -> Any:
    return value
