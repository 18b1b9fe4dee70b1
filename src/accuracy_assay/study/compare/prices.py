"""Prices of services: one answer of each costs something, or nothing is known of any."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from accuracy_assay.errors import InputError, UnknownNameError

__all__ = ["check_prices"]


def check_prices(prices: Mapping[str, float], services: Sequence[str]) -> None:
    """Raise an error unless every service has a price, or none has.

    Examples
    --------
    >>> check_prices({"a": 0.2, "b": 0.0}, ["a", "b"])
    >>> check_prices({}, ["a", "b"])
    """
    for name, price in prices.items():
        if name not in services:
            raise UnknownNameError("service", name, services)
        if not 0.0 <= price < math.inf:
            raise InputError(f"price of {name!r} must be at least 0; got {price}.")
    missing = [name for name in services if name not in prices]
    if prices and missing:
        raise InputError(
            f"prices must be given for all services or none; got none for {missing}. A free "
            "service has the price 0."
        )
