"""From what a user passes to ``tell`` to an event, or to an error that names the instance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from accuracy_assay.domain.events import Told
from accuracy_assay.domain.person_names import one_name
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.mistakes import Mistakes
from accuracy_assay.files.texts import (
    LIST_SIGN,
    as_text,
    as_texts,
    find_text,
    normal_text,
    require_whole,
    text_positions,
)

if TYPE_CHECKING:
    from accuracy_assay.session.rows import AssayRows
    from accuracy_assay.spec.model import Spec

__all__ = [
    "SEVERAL",
    "AnswerRules",
    "Confirmed",
    "check_annotator",
    "check_ids",
    "check_label",
    "several",
    "told_event",
]

SEVERAL = f" {LIST_SIGN} "
"""Stands between the labels of an instance that has several."""
Confirmed = Mapping[str, Any] | Sequence[Mapping[str, Any] | None] | None
"""Attributes that annotators confirmed: a mapping for each answer, or a list for each name."""


@dataclass(frozen=True)
class AnswerRules:
    """What answers are checked against.

    ``find_id`` returns an id as the pool writes it and ``attribute`` the `Attribute` of a name;
    both raise an error where there is none. Anything may be answered where there are no
    ``choices``; ``revealed`` are the attributes that are the label. An answer that is taken back
    leaves its instance held for ``lease_s``.
    """

    find_id: Callable[[Any], str]
    attribute: Callable[[str], Any]
    choices: Sequence[str]
    revealed: Sequence[str]
    lease_s: float
    answer: str = "one"

    @classmethod
    def of(cls, spec: Spec, rows: AssayRows) -> AnswerRules:
        """Return the rules of a spec and its tables."""
        return cls(
            rows.find_id,
            rows.space.attribute,
            spec.label.choices,
            [section.name for section in spec.attribute if section.from_label],
            60.0 * spec.assay.lease_minutes,
            spec.label.kind,
        )


def told_event(
    rules: AnswerRules,
    ids: Iterable[Any] | str,
    labels: Iterable[Any] | str,
    annotator: str,
    confirmed: Confirmed = None,
    seconds: Sequence[float | None] = (),
    *,
    is_replacing: bool = False,
) -> Told:
    """Return the event of some answers, all of them checked."""
    names = check_ids(rules, ids)
    given = as_texts(map(_one_value, several(labels)))
    if len(given) != len(names):
        raise InputError(f"labels must be one for each id; got {len(given)} for {len(names)} ids.")
    if seconds and len(seconds) != len(names):
        raise InputError(
            f"seconds must be one for each id; got {len(seconds)} for {len(names)} ids."
        )
    mistakes, answers = Mistakes("answers"), []
    for name, label in zip(names, given, strict=True):
        with mistakes.noting():
            answers.append(check_label(rules, name, label))
    mistakes.raise_any()
    return Told(
        names,
        tuple(answers),
        check_annotator(annotator),
        _confirmed(rules, names, confirmed),
        tuple(seconds),
        is_replacing,
    )


def _one_value(label: Any) -> Any:
    if isinstance(label, Mapping | list | tuple | set):
        raise InputError(
            f"label must be one text, number or boolean; got {label!r:.80}. Tell the field of it "
            "that is the label."
        )
    return label


def check_ids(rules: AnswerRules, ids: Iterable[Any] | str) -> tuple[str, ...]:
    """Return the ids as the pool writes them; each must be in it, and none twice."""
    mistakes, names = Mistakes("ids"), []
    for given in several(ids):
        with mistakes.noting():
            names.append(rules.find_id(given))
    mistakes.raise_any()
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InputError(f"ids must differ; got {twice!r} twice in one call.")
    return tuple(names)


def several(values: Any) -> tuple[Any, ...]:
    """Return values as a tuple, one value alone as a tuple of one."""
    is_one = isinstance(values, str) or not isinstance(values, Iterable)
    return (values,) if is_one else tuple(values)


def check_annotator(annotator: str) -> str:
    """Return the name of an annotator in its one form; it must have one."""
    if not isinstance(annotator, str) or not annotator.strip():
        raise InputError(f"annotator must have a name; got {annotator!r}.")
    return one_name(require_whole(annotator, "annotator"))


def check_label(rules: AnswerRules, name: str, given: str) -> str:
    """Return the label of an instance, as the choices write it where there are any."""
    if not given.strip():
        raise InputError(
            f"label for instance {name!r} must not be empty; got {given!r}. "
            "Skip the instance if it cannot be labelled."
        )
    label = require_whole(given, f"label for instance {name!r}")
    if rules.answer == "several":
        label = _several_of(rules.choices, label, name)
    elif rules.choices:
        label = _choice(rules.choices, label, name)
    elif rules.answer == "number":
        label = _number(label, name)
    for attribute in rules.revealed:
        rules.attribute(attribute).code(label)
    return label


def _choice(choices: Sequence[str], label: str, name: str) -> str:
    """Return the choice that a label means; capitals do not count if only one choice is left."""
    if label in choices:
        return label
    found = find_text(label, text_positions(choices))
    if found is not None:
        return choices[found]
    folded = normal_text(label).casefold()
    near = [choice for choice in choices if normal_text(choice).casefold() == folded]
    if len(near) != 1:
        raise UnknownNameError(f"label for instance {name!r}", label, choices)
    return near[0]


def _several_of(choices: Sequence[str], label: str, name: str) -> str:
    """Return some choices in the order of all, so that one set is one text; each counts once."""
    given = [part.strip() for part in label.split(LIST_SIGN) if part.strip()]
    if not choices:  # each instance has its own; the page checks them
        return SEVERAL.join(dict.fromkeys(given))
    found = {_choice(choices, part, name) for part in given}
    return SEVERAL.join(choice for choice in choices if choice in found)


def _number(label: str, name: str) -> str:
    try:
        is_number = math.isfinite(float(label))
    except ValueError:
        is_number = False
    if not is_number:
        raise InputError(f"label for instance {name!r} must be a number; got {label!r}.")
    return label.strip()


def _confirmed(
    rules: AnswerRules, names: tuple[str, ...], confirmed: Confirmed
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
    return tuple(_checked(rules, known) for known in each)


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


def _checked(rules: AnswerRules, known: Mapping[str, Any]) -> Mapping[str, str]:
    """Return confirmed values by their text; the value of a number is the name of its bin."""
    checked = {}
    for name, value in known.items():
        if value is None or as_text(value) == "":
            continue
        attribute = rules.attribute(name)
        checked[name] = as_text(attribute.values[attribute.code(value)])
    return checked
