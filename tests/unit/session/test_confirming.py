"""Confirmations that have a price: asked where they are worth it, and paid for by the budget."""

from typing import Any

import pytest

import accuracy_assay as aa
from accuracy_assay.errors import InputError


def created(guessed: Any, price: float | None, **assay: Any) -> aa.Assay:
    accent, digit = guessed.spec["attribute"]
    how = {"estimator": "anova-gp", "strategy": "variance-reduction", "budget": 6, "batch": 3}
    return guessed.create(
        assay={**guessed.spec["assay"], **how, **assay},
        attribute=[accent | ({} if price is None else {"confirm_price": price}), digit],
    )


def test_what_is_worth_confirming_is_asked_with_the_label_and_paid_for(
    guessed: Any,
) -> None:
    assay = created(guessed, 1e-6, budget=40)
    batch = assay.ask(30)
    asked = batch.filter(batch["unsure"] == "accent")
    assert asked.height
    assert assay.status().spent == pytest.approx(30 + 1e-6 * asked.height, abs=1e-9)
    with assay.session.journal.reading() as ledger:
        assert set(ledger.to_confirm) == set(asked["id"])
    first, *others = asked["id"]
    assay.tell([first], ["1"], confirmed_attributes={"accent": "us"})
    rest = [i for i in batch["id"] if i != first]
    assay.tell(rest, ["1"] * len(rest))
    assert assay.status().spent == pytest.approx(
        30 + 1e-6, abs=1e-9
    )  # what nobody was sure of costs nothing
    assert len(others) == asked.height - 1


def test_what_is_asked_stays_the_same_until_it_is_answered(guessed: Any) -> None:
    assay = created(guessed, 1e-6, budget=40)
    batch = assay.ask(30)
    assert "accent" in set(batch["unsure"])
    assert assay.pending()["unsure"].to_list() == batch["unsure"].to_list()


def test_a_dear_confirmation_is_never_asked_for(guessed: Any) -> None:
    assay = created(guessed, 100.0)
    assert set(assay.ask()["unsure"]) == {""}
    assert assay.status().spent == 3


def test_without_a_price_what_is_unsure_is_shown_for_free(guessed: Any) -> None:
    assay = created(guessed, None)
    assert "accent" in set(assay.ask(6)["unsure"])
    assert assay.status().spent == 6


def test_the_budget_is_never_exceeded(guessed: Any) -> None:
    assay = created(guessed, 0.03, budget=30)
    while (batch := assay.ask()).height:
        unsure = [{"accent": "uk"} if name else {} for name in batch["unsure"]]
        assay.tell(batch["id"], ["0"] * batch.height, confirmed_attributes=unsure)
        assert assay.status().spent <= 30
    assert assay.end() == "the budget is spent"


def test_only_a_guessed_attribute_has_a_price(guessed: Any) -> None:
    digit = guessed.spec["attribute"][1] | {"confirm_price": 0.1}
    with pytest.raises(InputError, match=r"'digit' must be guessed .* confirm_price; got 0.1"):
        guessed.create(attribute=[guessed.spec["attribute"][0], digit])
