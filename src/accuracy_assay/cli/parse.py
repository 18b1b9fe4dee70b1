"""What is typed, as values: attributes, and texts that read ``name=value``.

An attribute is ``age`` (the values as they come), ``age:30,45,60`` (numbers cut at these edges),
``size:small<middle<large`` (values in their order) or ``about=text:sentence:main-topic`` (what the
texts of a column are like).
"""

from __future__ import annotations

from collections.abc import Sequence

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.text.attribute import TextAttribute
from accuracy_assay.errors import InputError

__all__ = ["parse_attributes", "parse_conditions", "parse_prices", "split_pairs"]


_FROM_TEXT = "=text:"
"""Stands between the name of a text attribute and its column."""


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
    """Return ``attribute=value`` texts as keywords of ``at``; a name that repeats gives a list."""
    where: dict[str, list[object]] = {}
    for name, text in split_pairs(texts, "a condition", "attribute=value"):
        where.setdefault(name, []).append(_parse_value(space.attribute(name), text))
    return dict(where)


def parse_prices(texts: Sequence[str]) -> dict[str, float]:
    """Return ``service=price`` texts as numbers by service.

    Examples
    --------
    >>> parse_prices(["acme=0.006"])
    {'acme': 0.006}
    """
    prices = {}
    for name, text in split_pairs(texts, "a price", "service=price", is_last_equals_sign=True):
        try:
            prices[name] = float(text)
        except ValueError:
            raise InputError(
                f"price of {name!r} must be a number such as 0.006; got {text!r}."
            ) from None
    return prices


def split_pairs(
    texts: Sequence[str], what: str, form: str, *, is_last_equals_sign: bool = False
) -> list[tuple[str, str]]:
    """Return the two sides of each text.

    Parameters
    ----------
    texts
        Texts such as ``sex=Female``.
    what, form
        What a text is and how it must read, for the error.
    is_last_equals_sign
        Whether the last ``=`` of a text divides it rather than the first: ids of instances may
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
