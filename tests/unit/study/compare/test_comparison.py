"""Places, ranks and the best per arm: one comparison tells one story."""

import dataclasses

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.study.compare.comparison import Comparison

ROWS = pl.DataFrame(
    {
        "sex": ["F"] * 40 + ["M"] * 40,
        "good": [1] * 35 + [0] * 5 + [1] * 36 + [0] * 4,
        "women": [1] * 38 + [0] * 2 + [1] * 10 + [0] * 30,
        "coin": [1, 0] * 40,
    }
)
NAMES = ["women", "good", "coin"]


@pytest.fixture(scope="module")
def found() -> Comparison:
    return aa.compare(ROWS, ["sex"], scores=NAMES, estimator="beta-independent")


def test_a_comparison_is_the_sequence_of_its_places(found: Comparison) -> None:
    assert len(found) == 3
    assert [place.name for place in found] == ["good", "women", "coin"]
    assert found[0] is found.places[0]
    assert [place.name for place in found[1:]] == ["women", "coin"]


def test_the_best_depends_on_the_question(found: Comparison) -> None:
    assert found.at(sex="F")[0].name == "women"
    assert found.at(sex="M")[0].name == "good"
    mix = pl.DataFrame({"sex": ["F", "M"], "weight": [0.99, 0.01]})
    assert found.under(mix)[0].name == "women"


def test_what_is_behind_is_the_difference_of_the_accuracies(found: Comparison) -> None:
    best = found[0]
    assert (best.behind, best.behind_lower, best.behind_upper) == (0.0, 0.0, 0.0)
    for place in found[1:]:
        assert place.behind == pytest.approx(best.estimate.mean - place.estimate.mean)
        assert place.behind == pytest.approx(found.difference(best.name, place.name).mean)
        assert place.behind_lower <= place.behind <= place.behind_upper


def test_probabilities_of_being_best_sum_to_one(found: Comparison) -> None:
    assert sum(place.probability_best for place in found) == pytest.approx(1.0)
    assert found[0].probability_best > 0.99


def test_ranks_are_those_of_the_places(found: Comparison) -> None:
    ranks = found.ranks
    assert ranks["service"].to_list() == ["good", "women", "coin"]
    assert ranks.columns == ["service", "expected_rank", "rank_1", "rank_2", "rank_3"]
    assert ranks.select(pl.sum_horizontal("rank_1", "rank_2", "rank_3")).to_series().to_list() == (
        pytest.approx([1.0] * 3)
    )
    first = dict(zip(ranks["service"], ranks["rank_1"], strict=True))
    assert first == {place.name: place.probability_best for place in found}


def test_better_has_a_row_for_each_arm(found: Comparison) -> None:
    frame = found.better("good", "women")
    assert frame.columns == [
        *("sex", "difference", "lower", "upper", "probability", "labels", "rows")
    ]
    by_sex = {row["sex"]: row for row in frame.iter_rows(named=True)}
    assert by_sex["F"]["difference"] < 0.0 < by_sex["M"]["difference"]
    assert by_sex["M"]["lower"] > 0.4
    assert (by_sex["M"]["labels"], by_sex["M"]["rows"]) == (40.0, 40.0)
    assert frame["difference"].to_list() == pytest.approx(
        (-found.better("women", "good")["difference"]).to_list()
    )


def test_the_difference_to_itself_is_none(found: Comparison) -> None:
    assert found.difference("good", "good").mean == 0.0
    with pytest.raises(InputError, match="got 'good' twice"):
        found.better("good", "good")


def test_an_unknown_service_is_named(found: Comparison) -> None:
    with pytest.raises(InputError, match=r"service must be one of .*; got 'bad'"):
        found.better("good", "bad")


def test_the_best_of_each_arm_is_the_best_there(found: Comparison) -> None:
    frame = found.best_per_arm()
    assert dict(zip(frame["sex"], frame["best"], strict=True)) == {"F": "women", "M": "good"}
    assert frame["accuracy"].to_list() == pytest.approx([0.95, 0.9], abs=0.03)
    for row in frame.iter_rows(named=True):
        place = found.at(sex=row["sex"])[0]
        assert row["probability"] == pytest.approx(place.probability_best, abs=0.05)
        assert row["accuracy"] == pytest.approx(place.estimate.mean)


def test_the_cheapest_that_will_do_is_chosen(found: Comparison) -> None:
    prices = {"good": 1.0, "women": 2.0, "coin": 0.1}
    strict = found.best_per_arm(prices, tolerance=0.0)
    assert dict(zip(strict["sex"], strict["choice"], strict=True)) == {"F": "women", "M": "good"}
    ready = found.best_per_arm(prices, tolerance=0.25)
    by_sex = {row["sex"]: row for row in ready.iter_rows(named=True)}
    assert (by_sex["F"]["choice"], by_sex["F"]["price"]) == ("good", 1.0)
    assert by_sex["F"]["behind"] == pytest.approx(
        found.at(sex="F").difference("women", "good").mean
    )
    assert found.best_per_arm(prices, tolerance=1.0)["choice"].to_list() == ["coin", "coin"]


def test_the_choice_for_what_was_asked_is_that_of_the_arm(found: Comparison) -> None:
    prices = {"good": 1.0, "women": 2.0, "coin": 0.1}
    priced = dataclasses.replace(found, prices=prices)
    for tolerance in (0.0, 0.25, 1.0):
        by_arm = found.best_per_arm(prices, tolerance=tolerance)
        for sex, choice in zip(by_arm["sex"], by_arm["choice"], strict=True):
            assert priced.at(sex=sex).choice(tolerance=tolerance).name == choice
    assert found.choice(tolerance=1.0).name == found[0].name  # without prices


def test_more_certainty_costs_more(found: Comparison) -> None:
    prices = {"good": 1.0, "women": 2.0, "coin": 0.1}
    costs = [
        found.best_per_arm(prices, tolerance=0.1, certainty=c)["price"].sum()
        for c in (0.01, 0.5, 0.999)
    ]
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]


def test_prices_are_of_all_services_and_no_debts(found: Comparison) -> None:
    with pytest.raises(InputError, match=r"for all services or none; got none for \['coin'\]"):
        found.best_per_arm({"good": 1.0, "women": 2.0})
    with pytest.raises(InputError, match=r"price of 'good' must be at least 0; got -1.0"):
        found.best_per_arm({"good": -1.0})


@pytest.mark.parametrize(("tolerance", "certainty"), [(-0.1, 0.9), (0.1, 1.0), (0.1, 0.0)])
def test_impossible_demands_are_refused(
    found: Comparison, tolerance: float, certainty: float
) -> None:
    with pytest.raises(InputError, match="tolerance must be at least 0 and certainty between"):
        found.best_per_arm(tolerance=tolerance, certainty=certainty)
    with pytest.raises(InputError, match="tolerance must be at least 0 and certainty between"):
        found.choice(tolerance=tolerance, certainty=certainty)


def test_a_column_that_is_taken_is_named() -> None:
    rows = ROWS.rename({"sex": "best"})
    found = aa.compare(rows, ["best"], scores=["good", "coin"], estimator="beta-independent")
    with pytest.raises(InputError, match=r"got 'best'. Rename that column"):
        found.best_per_arm()


def test_accuracies_stay_between_zero_and_one() -> None:
    rows = pl.DataFrame({"sex": ["F", "M"] * 20, "always": [1] * 40, "never": [0] * 40})
    found = aa.compare(rows, ["sex"], scores=["always", "never"], estimator="beta-independent")
    for place in found:
        e = place.estimate
        assert 0.0 <= e.lower <= e.mean <= e.upper <= 1.0
    assert np.isfinite(found.best_per_arm()["accuracy"].to_numpy()).all()
