"""From a file, a mapping or a ``Spec`` to a checked ``Spec``; where mistakes get their words."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.runtime.secrets import hide_secrets
from accuracy_assay.spec.model import Spec

__all__ = ["SpecSource", "load_toml", "read_spec", "validated"]

_Model = TypeVar("_Model", bound=BaseModel)

_KINDS = frozenset({"constrained-str", "str", "int", "float", "bool", "list", "dict", "[key]"})
"""How pydantic calls what it tried where several kinds of value are taken."""

SpecSource = Spec | Mapping[str, Any] | str | Path
"""A spec, the same as nested dictionaries, or the path of an ``assay.toml``."""


def read_spec(source: SpecSource) -> Spec:
    """Return the spec; paths in it that are relative to its file become absolute.

    Raises
    ------
    InputError
        If the file cannot be read or a value breaks a rule. A misspelt key is named with the
        nearest one that exists.

    Examples
    --------
    >>> service = {"name": "google", "column": "google_pred"}
    >>> spec = read_spec({"attribute": [{"name": "sex"}], "service": [service]})
    >>> spec.assay.batch, spec.pool.id
    (12, 'id')
    """
    if isinstance(source, Spec):
        return source
    if isinstance(source, Mapping):
        return validated(Spec, source, "spec")
    if not isinstance(source, str | Path):
        raise InputError(
            "spec must be the path of a TOML file, a mapping or a Spec; got "
            f"{type(source).__name__}."
        )
    path = Path(source)
    content = load_toml(path, "spec", "Write one with: assay init --from POOL")
    return _beside(validated(Spec, content, path.name), path.absolute().parent)


def load_toml(path: Path, what: str, hint: str = "") -> dict[str, Any]:
    """Return the content of a TOML file; messages call it ``what``."""
    if not path.is_file():
        raise InputError(f"{what} must be an existing file; got {str(path)!r}. {hint}".rstrip())
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{what} must be a TOML file; got {str(path)!r}: {error}.") from None


def validated(model: type[_Model], given: Mapping[str, Any], where: str) -> _Model:
    """Return what a file says as ``model``; messages call the file ``where``.

    Only the first mistake is reported. Unknown keys come first, since they explain the others; a
    misspelt key is named with the nearest one that exists.
    """
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        raise _without_secrets(_first_mistake(error, where, model)) from None
    except InputError as error:
        raise _without_secrets(error) from None
    except RecursionError:
        raise InputError(f"{where} must have tables of a few levels; got endless ones.") from None


def _without_secrets(error: InputError) -> InputError:
    """Return an error in which a name that holds a secret is struck out."""
    error.args = (hide_secrets(str(error)),)
    return error


def _beside(spec: Spec, folder: Path) -> Spec:
    """Return the spec with the paths of its tables made absolute."""
    found = {
        key: str(folder / path)
        for key in ("path", "seed_set", "media")
        if (path := getattr(spec.pool, key)) is not None
    }
    changed: dict[str, Any] = {"pool": spec.pool.model_copy(update=found)}
    if spec.assay.mix is not None:
        mix = {"mix": str(folder / spec.assay.mix)}
        changed["assay"] = spec.assay.model_copy(update=mix)
    return spec.model_copy(update=changed)


def _first_mistake(error: ValidationError, where: str, model: type[BaseModel]) -> InputError:
    mistakes = error.errors(include_url=False)
    mistake = next((m for m in mistakes if m["type"] == "extra_forbidden"), mistakes[0])
    place = _without_kinds(mistake["loc"])
    if mistake["type"] == "extra_forbidden":
        known = _keys(model, place[:-1])
        return UnknownNameError(f"key of {_name(place[:-1], where)}", place[-1], known)
    if mistake["type"] == "missing":
        return InputError(f"{_name(place[:-1], where)} must have the key {place[-1]!r}; got none.")
    if mistake["type"] == "value_error":
        return InputError(f"{mistake['ctx']['error']} ({where}).")
    name = f"{_place(place)} of {_name(place[:-1], where)}" if place else where
    return InputError(f"{name} must {_rule(mistake)}; got {_shown(mistake['input'], place)}.")


def _without_kinds(place: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return a place without the kinds of value that were tried at its end."""
    while len(place) > 1 and place[-1] in _KINDS:
        place = place[:-1]
    return place


def _rule(mistake: ErrorDetails) -> str:
    if mistake["type"] == "too_short":
        return f"have at least {mistake['ctx']['min_length']} entry"
    if mistake["type"] == "model_type":
        return "be a section with keys"
    return mistake["msg"].removeprefix("Input should ").replace("String should", "be text that")


def _place(place: tuple[int | str, ...]) -> str:
    """Return the key that is at fault, with its number where it is one of several."""
    last = place[-1]
    return f"entry {last + 1} of {place[-2]!r}" if isinstance(last, int) else repr(last)


def _name(place: tuple[int | str, ...], where: str) -> str:
    """Return how the file writes a section: ``[assay]``, ``[[attribute]] number 2``."""
    if not place:
        return where
    if len(place) > 1 and isinstance(place[1], int):
        return f"[[{place[0]}]] number {place[1] + 1} in {where}"
    return f"[{place[0]}] in {where}"


def _keys(model: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """Return the keys that the section at ``place`` may have."""
    names = [part for part in place if isinstance(part, str)]  # which of several is no matter
    if not names:
        return [field.alias or name for name, field in model.model_fields.items()]
    sections = {
        name: section
        for name, field in model.model_fields.items()
        for section in (field.annotation, *getattr(field.annotation, "__args__", ()))
        if isinstance(section, type) and issubclass(section, BaseModel)
    }
    section = sections.get(names[0])
    return _keys(section, tuple(names[1:])) if section is not None else []


def _shown(value: object, place: tuple[int | str, ...]) -> str:
    if {"headers", "request", "settings", "url"}.intersection(place):
        return "a value that is not shown, since it may hold a secret"
    text = hide_secrets(repr(value))
    return text if len(text) <= 80 else f"{text[:77]}..."
