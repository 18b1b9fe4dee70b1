"""Settings from a table or the command line, held against what a class or function takes.

What may be set is the signature; of what type is its annotations. An annotation that cannot be
checked, such as one of an array, lets every value pass.
"""

from __future__ import annotations

import inspect
import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from accuracy_assay.errors import InputError, UnknownNameError

__all__ = ["check_settings", "setting_names", "toml_value"]


def setting_names(made_by: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the settings that ``made_by`` takes.

    Examples
    --------
    >>> setting_names(lambda level, widths=(): None)
    ('level', 'widths')
    """
    return tuple(p.name for p in _parameters(made_by) if p.kind is not p.VAR_KEYWORD)


def check_settings(
    owner: str, made_by: Callable[..., Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the settings as ``made_by`` takes them: lists become tuples where it wants those.

    Raises
    ------
    InputError
        If a setting is unknown, has a wrong type or is missing.
    """
    parameters = {p.name: p for p in _parameters(made_by)}
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    known = setting_names(made_by)
    for name in settings:
        if name not in known and not takes_any:
            raise UnknownNameError(f"setting of {owner}", name, known)
    for name in known:
        if parameters[name].default is inspect.Parameter.empty and name not in settings:
            raise InputError(f"{owner} must have the setting {name!r}; got none.")
    hints = _annotations(made_by) if settings else {}
    return {
        name: _check_type(f"setting {name!r} of {owner}", value, hints.get(name, Any))
        for name, value in settings.items()
    }


def _parameters(made_by: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        found = inspect.signature(made_by).parameters.values()
    except (TypeError, ValueError):  # written in another language: it cannot say
        return [inspect.Parameter("settings", inspect.Parameter.VAR_KEYWORD)]
    return [p for p in found if p.kind not in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL)]


def _annotations(made_by: Callable[..., Any]) -> dict[str, Any]:
    is_plain_class = isinstance(made_by, type) and not is_dataclass(made_by)
    try:
        return get_type_hints(made_by.__init__ if is_plain_class else made_by)
    except (NameError, TypeError, AttributeError):  # a type that exists for type checkers only
        return {}


def _check_type(name: str, value: Any, hint: Any) -> Any:
    if get_origin(hint) is Literal and value not in get_args(hint):
        raise UnknownNameError(name, value, get_args(hint))
    from pydantic import PydanticUserError, TypeAdapter, ValidationError

    try:
        adapter = TypeAdapter(hint)
    except PydanticUserError:  # a type that has no schema
        return value
    try:
        return adapter.validate_python(value, strict=True)
    except ValidationError:
        pass
    try:  # A list for a tuple, texts for the numbers that are keys: all that a file can write.
        return adapter.validate_json(json.dumps(value), strict=True)
    except (ValidationError, TypeError, ValueError) as error:
        raise InputError(f"{name} must {_rule(error)}; got {value!r}.") from None


def _rule(error: Exception) -> str:
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return "have its own type"
    return error.errors(include_url=False)[0]["msg"].removeprefix("Input should ")


def toml_value(text: str) -> Any:
    """Return what a text means in TOML, or the text itself where it means nothing.

    Examples
    --------
    >>> toml_value("0.5"), toml_value("gamma")
    (0.5, 'gamma')
    """
    try:
        found = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return found["value"] if len(found) == 1 else text
