"""From what a user passes to ``tell`` to an event, or to an error that names the instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from accuracy_assay.assay.rows import AssayRows
from accuracy_assay.domain.events import Told
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.texts import as_text, as_texts
from accuracy_assay.spec.model import Spec

__all__ = ["Confirmed", "check_annotator", "check_ids", "told_event"]

Confirmed = Mapping[str, Any] | Sequence[Mapping[str, Any] | None] | None
"""Attributes that annotators confirmed: a mapping for each answer, or a list for each name."""


def told_event(
    spec: Spec,
    rows: AssayRows,
    ids: Iterable[Any] | str,
    labels: Iterable[Any] | str,
    annotator: str,
    confirmed: Confirmed = None,
    seconds: Sequence[float | None] = (),
    *,
    is_replacing: bool = False,
) -> Told:
    """Return the event of some answers, checked against the spec and the pool."""
    names = check_ids(rows, ids)
    answers = as_texts([labels] if isinstance(labels, str) else labels)
    if len(answers) != len(names):
        raise InputError(
            f"labels must be one for each id; got {len(answers)} for {len(names)} ids."
        )
    if seconds and len(seconds) != len(names):
        raise InputError(
            f"seconds must be one for each id; got {len(seconds)} for {len(names)} ids."
        )
    for name, label in zip(names, answers, strict=True):
        _check_label(spec, rows, name, label)
    return Told(
        names,
        answers,
        check_annotator(annotator),
        _confirmed(rows, names, confirmed),
        tuple(seconds),
        is_replacing,
    )


def check_ids(rows: AssayRows, ids: Iterable[Any] | str) -> tuple[str, ...]:
    """Return the ids as texts; each must be in the pool, and none twice."""
    names = as_texts([ids] if isinstance(ids, str) else ids)
    for name in names:
        if name not in rows.row_of or rows.row_of[name] >= rows.n_pool:
            raise InputError(f"instance must have an id of the pool; got {name!r}.")
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InputError(f"ids must differ; got {twice!r} twice in one call.")
    return names


def check_annotator(annotator: str) -> str:
    """Return the name of an annotator; it must have one."""
    if not isinstance(annotator, str) or not annotator.strip():
        raise InputError(f"annotator must have a name; got {annotator!r}.")
    return annotator


def _check_label(spec: Spec, rows: AssayRows, name: str, label: str) -> None:
    choices = spec.label.choices
    if choices and label not in choices:
        raise UnknownNameError(f"label for instance {name!r}", label, choices)
    if not label.strip():
        raise InputError(
            f"label for instance {name!r} must not be empty; got {label!r}. "
            "Skip the instance if it cannot be labelled."
        )
    for section in spec.attribute:
        if section.from_label:
            rows.space.attribute(section.name).code(label)


def _confirmed(
    rows: AssayRows, names: tuple[str, ...], confirmed: Confirmed
) -> tuple[Mapping[str, str], ...]:
    if not confirmed:
        return ()
    each = (
        _by_instance(confirmed, len(names))
        if isinstance(confirmed, Mapping)
        else [known or {} for known in confirmed]
    )
    if len(each) != len(names):
        raise InputError(
            f"confirmed_attributes must be one mapping for each id; got {len(each)} for "
            f"{len(names)} ids."
        )
    return tuple(_checked(rows, known) for known in each)


def _by_instance(confirmed: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """Turn lists by attribute into one mapping for each instance."""
    lists = {
        name: [values] * count if isinstance(values, str | int | float) else list(values)
        for name, values in confirmed.items()
    }
    for name, values in lists.items():
        if len(values) != count:
            raise InputError(
                f"confirmed values of {name!r} must be one for each id; got {len(values)} for "
                f"{count} ids."
            )
    return [{name: values[i] for name, values in lists.items()} for i in range(count)]


def _checked(rows: AssayRows, known: Mapping[str, Any]) -> Mapping[str, str]:
    """Return confirmed values by their text; the value of a number is the name of its bin."""
    checked = {}
    for name, value in known.items():
        if value is None or as_text(value) == "":
            continue
        attribute = rows.space.attribute(name)
        checked[name] = as_text(attribute.values[attribute.code(value)])
    return checked
