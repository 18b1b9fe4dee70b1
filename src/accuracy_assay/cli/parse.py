"""From typed texts to values: attributes, settings, and texts of the form ``name=value``.

An attribute is ``age`` (the values as they come), ``age:30,45,60`` (numbers cut at these edges),
``size:small<middle<large`` (values in order) or ``about=text:sentence:main-topic`` (a feature of a
column of texts).

A setting, ``--set key=value``, has the key ``estimator.level``, or ``level`` if only one of the
methods has such a setting. Its value is TOML (``0.95``, ``true``, ``[16, 64]``), else a text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.text.attribute import FEATURES, TextAttribute
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.registry import settings_of
from accuracy_assay.runtime.settings import toml_value

__all__ = [
    "parse_attributes",
    "parse_conditions",
    "parse_families",
    "parse_prices",
    "split_pairs",
    "with_settings",
]


_FROM_TEXT = "=text:"
"""Separates the name of a text attribute from its column."""


def parse_attributes(texts: Sequence[str]) -> list[str | Attribute | TextAttribute]:
    """Return what ``estimate`` and ``simulate`` take as attributes.

    Examples
    --------
    >>> parse_attributes(["sex", "age:30,60"])[1].values
    ('< 30', '30 to 60', '>= 60')
    >>> parse_attributes(["asks=text:sentence:question"])[0].column
    'sentence'
    """
    return [_parse_attribute(text) for text in texts]


def parse_conditions(texts: Sequence[str], space: AttributeSpace) -> dict[str, object]:
    """Return ``attribute=value`` texts as keywords of ``at``; a repeated name gives a list."""
    where: dict[str, list[object]] = {}
    for name, text in split_pairs(texts, "a condition", "attribute=value"):
        where.setdefault(name, []).append(_parse_value(space.attribute(name), text))
    return dict(where)


def parse_prices(texts: Sequence[str]) -> dict[str, float]:
    """Return ``name=price`` texts as numbers by the name of a service or an attribute.

    Examples
    --------
    >>> parse_prices(["acme=0.006"])
    {'acme': 0.006}
    """
    prices = {}
    for name, text in split_pairs(texts, "a price", "name=price", is_last_equals_sign=True):
        try:
            prices[name] = float(text)
        except ValueError:
            raise InputError(
                f"price of {name!r} must be a number such as 0.006; got {text!r}."
            ) from None
    return prices


def parse_families(texts: Sequence[str]) -> dict[str, str]:
    """Return ``service=family`` texts as families by service.

    Examples
    --------
    >>> parse_families(["acme-large=acme", "acme-small=acme"])
    {'acme-large': 'acme', 'acme-small': 'acme'}
    """
    pairs = split_pairs(texts, "a family", "service=family", is_last_equals_sign=True)
    for name, family in pairs:
        if not family:
            raise InputError(f"family of {name!r} must have a name; got none.")
    return dict(pairs)


def split_pairs(
    texts: Sequence[str], what: str, form: str, *, is_last_equals_sign: bool = False
) -> list[tuple[str, str]]:
    """Return the two sides of each text.

    Parameters
    ----------
    texts
        Texts such as ``sex=Female``.
    what, form
        What a text is and the form it must have, for the error.
    is_last_equals_sign
        Whether the last ``=`` of a text splits it rather than the first: ids of instances may
        hold an equals sign, and so may values of attributes, such as ``>= 60``.

    Examples
    --------
    >>> split_pairs(["age=>= 60"], "a condition", "attribute=value")
    [('age', '>= 60')]
    >>> split_pairs(["a=b=cat"], "an answer", "id=label", is_last_equals_sign=True)
    [('a=b', 'cat')]
    """
    pairs = []
    for text in texts:
        cut = str.rpartition if is_last_equals_sign else str.partition
        name, is_pair, value = cut(text, "=")
        if not (is_pair and name):
            raise InputError(f"{what} must read {form}; got {text!r}.")
        pairs.append((name, value))
    return pairs


def _parse_attribute(text: str) -> str | Attribute | TextAttribute:
    if _FROM_TEXT in text:
        return _parse_text(*text.split(_FROM_TEXT, 1))
    name, has_detail, detail = text.partition(":")
    if not has_detail:
        return name
    if "<" in detail:
        return Attribute(name, tuple(detail.split("<")), "ordinal")
    try:
        edges = tuple(float(edge) for edge in detail.split(","))
    except ValueError:
        raise InputError(
            f"attribute {name!r} must have numbers as edges or values joined by '<'; "
            f"got {detail!r}."
        ) from None
    return Attribute(name, kind="continuous", edges=edges)


def _parse_text(name: str, rest: str) -> TextAttribute:
    column, _, feature = rest.rpartition(":")  # a column may have a colon, and so has a tagger
    if feature not in FEATURES:
        column, _, feature = rest.partition(":")
    if not (name and column and feature):
        raise InputError(
            "an attribute of a text must read name=text:column:feature, such as "
            f"long=text:sentence:length; got {f'{name}{_FROM_TEXT}{rest}'!r}."
        )
    return TextAttribute(column, feature, name)


def _parse_value(attribute: Attribute, text: str) -> object:
    """Return a number for a continuous attribute unless the text names one of its bins."""
    if attribute.edges is None or text in attribute.values:
        return text
    try:
        return float(text)
    except ValueError:
        return text


def with_settings(methods: Mapping[str, str], texts: Sequence[str] | None) -> dict[str, Any]:
    """Return the methods by kind, each a name or a table with its settings from ``--set``.

    Examples
    --------
    >>> with_settings({"estimator": "constant"}, ["level=0.95"])
    {'estimator': {'name': 'constant', 'level': 0.95}}
    """
    chosen: dict[str, Any] = dict(methods)
    for key, text in split_pairs(texts or [], "a setting", "key=value"):
        kind, setting = _owner(key, methods)
        table = chosen[kind] if isinstance(chosen[kind], dict) else {"name": chosen[kind]}
        if setting in table:
            raise InputError(f"setting {key!r} must be given once; got {text!r} too.")
        chosen[kind] = {**table, setting: toml_value(text)}
    return chosen


def _owner(key: str, methods: Mapping[str, str]) -> tuple[str, str]:
    """Return the method that a key belongs to, and the name of the setting."""
    kind, is_full, setting = key.partition(".")
    if is_full:
        if kind not in methods:
            raise UnknownNameError(f"method of the setting {key!r}", kind, methods)
        return kind, setting
    known = {kind: settings_of(kind, name) for kind, name in methods.items()}
    owners = [kind for kind, names in known.items() if key in names]
    if len(owners) > 1:
        full = " or ".join(f"{kind}.{key}" for kind in owners)
        raise InputError(f"setting {key!r} must name its method; got none. Write {full}.")
    if not owners:
        every = [name for names in known.values() for name in names]
        raise UnknownNameError(f"setting of {' and '.join(methods.values())}", key, every)
    return owners[0], key
