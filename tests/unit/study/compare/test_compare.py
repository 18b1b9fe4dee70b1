"""``compare``: from surfaces, from rows, and what must not be mixed."""

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.study.compare.compare import answer, compare

ROWS = pl.DataFrame(
    {
        "sex": ["F"] * 40 + ["M"] * 40,
        "good": [1] * 35 + [0] * 5 + [1] * 36 + [0] * 4,
        "women": [1] * 38 + [0] * 2 + [1] * 10 + [0] * 30,
    }
)


@pytest.fixture
def surfaces() -> dict[str, aa.AccuracySurface]:
    return {
        name: aa.estimate(ROWS, ["sex"], name, estimator="beta-independent")
        for name in ("women", "good")
    }


def test_the_best_depends_on_the_question(surfaces: dict[str, aa.AccuracySurface]) -> None:
    assert [place.name for place in compare(surfaces)] == ["good", "women"]
    assert [place.name for place in compare(surfaces, where={"sex": "F"})] == ["women", "good"]
    mix = pl.DataFrame({"sex": ["F", "M"], "weight": [0.99, 0.01]})
    assert compare(surfaces, mix=mix)[0].name == "women"


def test_the_difference_is_that_of_the_means_and_its_interval_that_of_both(
    surfaces: dict[str, aa.AccuracySurface],
) -> None:
    best, other = compare(surfaces)
    assert (best.behind, best.behind_lower, best.behind_upper) == (0.0, 0.0, 0.0)
    assert other.behind == pytest.approx(best.estimate.mean - other.estimate.mean)
    # 1.645 is the normal quantile of a 90 % interval.
    reach = 1.6448536 * (best.estimate.sd**2 + other.estimate.sd**2) ** 0.5
    # The accuracies are not quite normal.
    assert other.behind_lower == pytest.approx(other.behind - reach, abs=0.05 * reach)
    assert other.behind_upper == pytest.approx(other.behind + reach, abs=0.05 * reach)


def test_surfaces_keep_their_accuracies(surfaces: dict[str, aa.AccuracySurface]) -> None:
    for place in compare(surfaces):
        known = surfaces[place.name].overall
        assert place.estimate.mean == pytest.approx(known.mean)
        assert place.estimate.lower == pytest.approx(known.lower)


def test_equal_services_are_not_told_apart(surfaces: dict[str, aa.AccuracySurface]) -> None:
    found = compare({"a": surfaces["good"], "b": surfaces["good"]})
    first, second = found
    assert (first.name, second.name, second.behind) == ("a", "b", 0.0)
    assert second.behind_lower < 0.0 < second.behind_upper
    assert first.probability_best == second.probability_best == 0.5


def test_rows_are_compared_row_by_row_and_surfaces_are_not(
    surfaces: dict[str, aa.AccuracySurface],
) -> None:
    paired = compare(ROWS, ["sex"], scores=["women", "good"], estimator="beta-independent")
    assert paired.is_paired
    assert not compare(surfaces).is_paired


def test_prices_come_with_the_places(surfaces: dict[str, aa.AccuracySurface]) -> None:
    found = compare(surfaces, prices={"good": 0.006, "women": 0.001})
    assert {place.name: place.price for place in found} == {"good": 0.006, "women": 0.001}
    assert "choice" in found.best_per_arm().columns


def test_an_answer_is_what_the_surface_says(surfaces: dict[str, aa.AccuracySurface]) -> None:
    surface = surfaces["good"]
    assert answer(surface).mean == pytest.approx(surface.overall.mean)
    assert answer(surface, {"sex": "F"}) == surface.at(sex="F")
    assert answer(surface, mix=ROWS) == surface.under(ROWS)


def test_conditions_and_a_mix_together_are_refused(
    surfaces: dict[str, aa.AccuracySurface],
) -> None:
    with pytest.raises(InputError, match=r"not both; got \{'sex': 'F'\} and a mix"):
        answer(surfaces["good"], {"sex": "F"}, ROWS)
    with pytest.raises(InputError, match="not both"):
        compare(surfaces, where={"sex": "F"}, mix=ROWS)


def test_one_surface_is_too_few(surfaces: dict[str, aa.AccuracySurface]) -> None:
    with pytest.raises(InputError, match=r"two or more; got \['good'\]"):
        compare({"good": surfaces["good"]})


def test_columns_beside_surfaces_are_refused(surfaces: dict[str, aa.AccuracySurface]) -> None:
    with pytest.raises(InputError, match="Leave out attributes, pool"):
        compare(surfaces, ["sex"], pool=ROWS)


def test_rows_need_attributes() -> None:
    with pytest.raises(InputError, match="attributes must name at least one column"):
        compare(ROWS, scores=["women", "good"])
