"""What may be asked: an instance, what is asked about it, of whom, and at what price.

Candidates hold questions as columns (``protocols.Candidates``), so a hundred thousand of them are
a few arrays; only the chosen ones become values of this module.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["LABEL", "Question", "QuestionType", "check_confirm_prices", "confirm_price_columns"]


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
    confirm
        Guessed attributes to confirm with it, and what each costs on top, in labels.

    Examples
    --------
    >>> Question("x17", confirm={"wearing_hat": 0.1}).whole_price
    1.1
    """

    instance: str
    asks: str = LABEL.asks
    of: str | None = LABEL.of
    price: float = 1.0
    confirm: Mapping[str, float] = field(default_factory=dict)

    @property
    def whole_price(self) -> float:
        """What the answer costs with all that is to be confirmed."""
        return self.price + sum(self.confirm.values())

    def __post_init__(self) -> None:
        if not (math.isfinite(self.price) and self.price > 0.0):
            raise InputError(
                f"price of a question about {self.instance!r} must be a number above 0; got "
                f"{self.price}."
            )


def check_confirm_prices(
    prices: Mapping[str, float], guessed: Collection[str], free: Collection[str] = ()
) -> dict[str, float]:
    """Return what it costs to have guessed attributes confirmed, each above 0, in labels.

    Those that are confirmed for ``free`` have no price.
    """
    for name, price in prices.items():
        if name not in guessed or name in free:
            raise InputError(
                "prices of confirmations must be of guessed attributes that are not confirmed "
                f"anyway ({', '.join(repr(n) for n in guessed if n not in free) or 'none'}); got "
                f"{name!r}."
            )
        if not (math.isfinite(price) and price > 0.0):
            raise InputError(
                f"price of confirming {name!r} must be a number of labels above 0; got {price}."
            )
    return {name: float(price) for name, price in prices.items()}


def confirm_price_columns(names: Sequence[str], prices: Mapping[str, float]) -> FloatArray | None:
    """Return prices by attribute, (K,), infinite where there is none; None without any.

    Examples
    --------
    >>> confirm_price_columns(["hat", "age"], {"age": 0.1}).tolist()
    [inf, 0.1]
    """
    if not prices:
        return None
    return np.array([prices.get(name, np.inf) for name in names])
