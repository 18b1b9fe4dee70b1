"""All services in order, for what was asked and by the values of an attribute, as plain values."""

from __future__ import annotations

from accuracy_assay.session.assay import Assay
from accuracy_assay.session.status import raw_agreement
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.web.surface.values import About, Compare, FirstLook, Place, ValuePlace

__all__ = ["board_attribute", "first_look", "places_of", "value_places"]

_MOST_VALUES = 100
"""Most values of an attribute beside each other: nobody reads a wider table."""


def places_of(asked: Comparison) -> list[Place]:
    """Return the services in order, with their ranks and ties."""
    board = {row["service"]: row for row in asked.to_frame().to_dicts()}
    return [
        Place.model_validate(
            {
                **board[place.name],
                "mean": place.estimate.mean,
                "n": place.estimate.n,
                "support": place.estimate.support,
                "price": place.price,
            }
        )
        for place in asked
    ]


def board_attribute(asked: Comparison, name: str | None) -> str | None:
    """Return the attribute by whose values services are shown; None where none has few enough.

    Raises
    ------
    UnknownNameError
        If ``name`` is given and is not an attribute.
    """
    if name is not None:
        return asked.space.attribute(name).name
    fitting = [a.name for a in asked.space.attributes if 1 < a.size <= _MOST_VALUES]
    return fitting[0] if fitting else None


def value_places(asked: Comparison, attribute: str) -> list[ValuePlace]:
    """Return the services' places at every value of an attribute, value by value."""
    return [
        ValuePlace.model_validate({**row, "value": row[attribute], "mean": row["accuracy"]})
        for row in asked.by(attribute).to_dicts()
    ]


def first_look(about: About, assay: Assay) -> Compare:
    """Return the share of labels that each service got right, the best first."""
    found = []
    for name in about.services:
        share, labels = raw_agreement(assay.session, name)
        if share is not None:
            found.append(FirstLook(service=name, share=share, labels=labels))
    found.sort(key=lambda each: -each.share)
    return Compare(about=about, first_look=found)
