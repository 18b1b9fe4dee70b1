"""Prices of services: of all of them, or of none."""

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.study.compare.prices import check_prices


@pytest.mark.parametrize("price", [-0.1, float("inf"), float("nan")])
def test_a_price_is_a_number_of_at_least_0(price: float) -> None:
    with pytest.raises(InputError, match="price of 'a' must be at least 0"):
        check_prices({"a": price}, ["a"])


def test_a_service_without_a_price_beside_others_is_named() -> None:
    with pytest.raises(InputError, match=r"got none for \['b'\]"):
        check_prices({"a": 1.0}, ["a", "b"])


def test_a_price_of_an_unknown_service_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="'c'"):
        check_prices({"c": 1.0}, ["a", "b"])


def test_prices_are_checked_before_the_fits() -> None:
    rows = pl.DataFrame({"sex": ["F", "M"] * 40, "good": [1] * 80, "poor": [0, 1] * 40})
    fitted: list[int] = []
    with pytest.raises(InputError, match="prices must be given for all"):
        aa.compare(
            rows,
            ["sex"],
            scores=["poor", "good"],
            prices={"good": 1.0},
            on_service=lambda done, of: fitted.append(done),
        )
    assert not fitted
