"""What may be asked: an instance, what is asked about it, of whom, and at what price.

Candidates hold questions as columns (``protocols.Candidates``), so a hundred thousand of them are
a few arrays; only the chosen ones become values of this module.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from accuracy_assay.errors import InputError

__all__ = ["LABEL", "Question", "QuestionType"]


@dataclass(frozen=True, slots=True)
class QuestionType:
    """What is asked, and of whom.

    Parameters
    ----------
    asks
        What an answer gives: by default the label.
    of
        Who may answer, None for anyone.
    """

    asks: str = "label"
    of: str | None = None


LABEL = QuestionType()
"""An instance's label, asked of anyone: the only type that a session asks by itself."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Parameters
    ----------
    instance
        The id of the instance.
    asks, of
        As in `QuestionType`.
    price
        What an answer costs, in labels: the price of one label is 1.

    Examples
    --------
    >>> Question("x17")
    Question(instance='x17', asks='label', of=None, price=1.0)
    """

    instance: str
    asks: str = LABEL.asks
    of: str | None = LABEL.of
    price: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.price) and self.price > 0.0):
            raise InputError(
                f"price of a question about {self.instance!r} must be a number above 0; got "
                f"{self.price}."
            )
