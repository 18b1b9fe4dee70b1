"""Changes to the spec of an assay that has begun: what may change, and why the rest may not.

Labels and predictions were made under the old spec. What they mean must not change, so the
attributes, the agreement and the names by which things are found stay; sizes, methods, what is
shown, and how a service is reached may be changed at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from accuracy_assay.errors import InputError
from accuracy_assay.spec.model import Spec
from accuracy_assay.spec.read import read_spec

__all__ = ["edited_spec", "refuse_other_meaning", "spec_changes"]

_FIXED: Mapping[tuple[str, ...], str] = {
    ("assay", "name"): "the store finds the assay by it",
    ("assay", "seed"): "surfaces and choices so far were drawn with it",
    ("pool", "id"): "instances are known by it",
    ("attribute",): "arms, and what annotators confirmed, are made of them",
    ("label", "agreement"): "scores so far were made by it",
    ("label", "missing_prediction"): "scores so far, and the rows that count, were made by it",
    ("label", "column"): "the seed set's labels were read from it",
}


def edited_spec(spec: Spec, changes: Mapping[str, Any]) -> Spec:
    """Return the spec with some keys changed.

    Parameters
    ----------
    spec
        The spec as it is.
    changes
        Nested like the spec itself, with only what changes. Services and judges are known by
        their names: one with a new name is added, the keys of an old one are replaced.

    Examples
    --------
    >>> service = {"name": "google", "column": "google_pred"}
    >>> spec = read_spec({"attribute": [{"name": "sex"}], "service": [service]})
    >>> edited_spec(spec, {"assay": {"budget": 50}}).assay.budget
    50
    """
    content = spec.model_dump(mode="json", exclude_defaults=True)
    for key, value in changes.items():
        is_listed = isinstance(value, Sequence) and not isinstance(value, str)
        if key in ("service", "judge", "annotator") and is_listed:
            content[key] = _with_named(key, content.get(key, ()), value)
        elif isinstance(value, Mapping) and isinstance(content.get(key, {}), Mapping):
            content[key] = {**content.get(key, {}), **value}
        else:
            content[key] = value
    return read_spec(content)


def spec_changes(old: Spec, new: Spec) -> tuple[str, ...]:
    """Return the keys that differ, as ``section.key``, ``service.name.key`` or the like."""
    before, after = _flat(old), _flat(new)
    every = dict.fromkeys([*before, *after])
    return tuple(".".join(key) for key in every if before.get(key) != after.get(key))


def refuse_other_meaning(old: Spec, new: Spec, answered: Iterable[str] = ()) -> None:
    """Raise an error where a change would alter what was said and done so far.

    Parameters
    ----------
    old, new
        The spec before and after.
    answered
        Labels that were given, all of which must stay possible.
    """
    before, after = (spec.model_dump(mode="json") for spec in (old, new))
    for (section, *rest), reason in _FIXED.items():
        was, becomes = before[section], after[section]
        for key in rest:
            was, becomes = was[key], becomes[key]
        if was != becomes:
            name = ".".join((section, *rest))
            raise InputError(
                f"{name} must stay {was!r}, since {reason}; got {becomes!r}. "
                "Make a new assay, and take the labels along with assay export and import."
            )
    lost = [s.name for s in old.service if s.name not in {t.name for t in new.service}]
    if lost:
        raise InputError(
            f"services must stay, since labels scored them; got a spec without {lost}."
        )
    gone = [a for a in dict.fromkeys(answered) if new.label.choices and a not in new.label.choices]
    if gone:
        raise InputError(
            f"choices must hold every label that was given; got {list(new.label.choices)!r}, "
            f"which lack {gone!r}."
        )


def _with_named(
    what: str, sections: Sequence[Mapping[str, Any]], changes: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    found = {str(section["name"]): dict(section) for section in sections}
    for change in changes:
        if not isinstance(change, Mapping) or "name" not in change:
            raise InputError(f"a {what} must be named to be changed or added; got {change!r}.")
        found[str(change["name"])] = {**found.get(str(change["name"]), {}), **change}
    return list(found.values())


def _flat(spec: Spec) -> dict[tuple[str, ...], Any]:
    content = spec.model_dump(mode="json")
    flat: dict[tuple[str, ...], Any] = {("attribute",): content["attribute"]}
    for section in ("assay", "pool", "label"):
        flat |= {(section, key): value for key, value in content[section].items()}
    for what in ("service", "judge", "annotator"):
        for section in content[what]:
            flat |= {(what, section["name"], key): value for key, value in section.items()}
    return flat
