"""Attributes as they are typed: a column, a column with cut points, or one with ordered values.

``age`` takes the values as they come, ``age:30,45,60`` cuts numbers at these edges, and
``size:small<middle<large`` gives the order of the values.
"""

from __future__ import annotations

from collections.abc import Sequence

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError

__all__ = ["parse_attributes", "parse_pairs"]


def parse_attributes(texts: Sequence[str]) -> list[str | Attribute]:
    """Return what ``estimate`` and ``simulate`` take as attributes.

    Examples
    --------
    >>> parse_attributes(["sex", "age:30,60"])[1].values
    ('< 30', '30 to 60', '>= 60')
    """
    return [_parse_attribute(text) for text in texts]


def parse_pairs(pairs: Sequence[str], space: AttributeSpace) -> dict[str, object]:
    """Return ``name=value`` texts as keywords of ``at``; a name that repeats gives a list."""
    where: dict[str, list[object]] = {}
    for pair in pairs:
        name, is_pair, text = pair.partition("=")
        if not is_pair:
            raise InputError(f"a condition must read attribute=value; got {pair!r}.")
        where.setdefault(name, []).append(_value(space.attribute(name), text))
    return dict(where)


def _parse_attribute(text: str) -> str | Attribute:
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


def _value(attribute: Attribute, text: str) -> object:
    """Return a number for a continuous attribute unless the text names one of its bins."""
    if attribute.edges is None or text in attribute.values:
        return text
    try:
        return float(text)
    except ValueError:
        return text
