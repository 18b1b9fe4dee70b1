"""A report lines the truth up with the surface."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import UnknownNameError
from accuracy_assay.reports.report import Case, Report, label_next, report_of, wrong_first


def test_truth_is_missing_where_no_row_was_counted(report: Report) -> None:
    np.testing.assert_array_equal(
        report.truth_by_arm(), np.array([0.7, 0.8, 0.5, 0.6, 0.8, np.nan])
    )


def test_truth_of_a_value_is_the_mean_over_its_rows(report: Report) -> None:
    truth = report.truth_of("sex")
    assert truth is not None
    by_sex = dict(truth.rows())
    assert by_sex["F"] == pytest.approx((0.7 * 40 + 0.8 * 30 + 0.5 * 20) / 90)
    assert by_sex["M"] == pytest.approx((0.6 * 10 + 0.8 * 5) / 15)


def test_no_truth_gives_none(bare: Report) -> None:
    assert bare.truth_of("sex") is None
    assert np.isnan(bare.truth_by_arm()).all()


def test_curve_must_have_labels_and_error(surface: AccuracySurface) -> None:
    with pytest.raises(
        UnknownNameError, match=r"column of curve 'mine' must be one of .*got 'macro_mse'"
    ):
        Report("x", surface, curves={"mine": pl.DataFrame({"labels": [1]})})


def test_the_report_of_a_surface_says_how_it_was_made(bare: Report) -> None:
    details = {"estimator": "x", "seed": 3, "scales": [1.0], "own_variance": 0.5}
    facts = report_of(replace(bare.surface, details=details), "title").facts
    assert (facts["estimator"], facts["seed"]) == ("x", "3")
    assert "own_variance" not in facts


def test_weak_arms_lie_below_the_whole_with_their_whole_interval(report: Report) -> None:
    assert report.weak_arms().tolist() == [2, 3]
    few = replace(report.surface, support=np.array([40.0, 30.0, 20.0, 4.0, 5.0, 0.0]))
    assert replace(report, surface=few).weak_arms().tolist() == [2]


def test_an_arm_of_which_little_is_known_is_not_clearly_weak(report: Report) -> None:
    wide = replace(report.surface, lower=np.array([0.8, 0.6, 0.0, 0.35, 0.2, 0.1]))
    assert replace(report, surface=wide).weak_arms().tolist() == [3]


def test_a_flat_surface_has_no_weak_arm_and_no_weak_slice(flat: Report) -> None:
    assert flat.weak_arms().size == 0
    assert len(flat.slices) == 0


def test_with_equal_arms_each_arm_of_the_pool_counts_once(report: Report) -> None:
    assert report.equal.mean == pytest.approx(np.mean([0.9, 0.8, 0.4, 0.5, 0.6]))


def test_truth_of_a_slice_is_the_mean_over_its_rows(report: Report, bare: Report) -> None:
    assert report.truth_where({"sex": "M"}) == pytest.approx((0.6 * 10 + 0.8 * 5) / 15)
    assert report.truth_where({"sex": "M", "age": ">60"}) is None
    assert bare.truth_where({"sex": "M"}) is None


def test_of_a_rate_of_errors_the_arms_above_the_whole_are_weak(errors: Report) -> None:
    assert errors.weak_arms().tolist() == [0]


def expected_gain(a: float, b: float, rows: float) -> float:
    """Return what one label takes off the variance of Beta(a, b), by hand, times rows."""

    def variance(a: float, b: float) -> float:
        return a * b / ((a + b) ** 2 * (a + b + 1.0))

    after = a / (a + b) * variance(a + 1, b) + b / (a + b) * variance(a, b + 1)
    return rows * (variance(a, b) - after)


def test_the_order_is_that_of_the_expected_gain_of_beta_posteriors(
    surface: AccuracySurface,
) -> None:
    a, b = np.array([9.0, 4.0, 2.0, 30.0, 1.0, 1.0]), np.array([1.0, 4.0, 6.0, 30.0, 1.0, 1.0])
    mean = a / (a + b)
    sd = np.sqrt(mean * (1 - mean) / (a + b + 1))
    made = replace(surface, mean=mean, sd=sd, lower=np.zeros(6), upper=np.ones(6))
    gain = [expected_gain(*each) for each in zip(a, b, surface.support, strict=True)]
    expected = [i for i in np.argsort(-np.array(gain)) if surface.support[i] > 0.0]
    assert label_next(made).tolist() == expected


@pytest.mark.parametrize("count", [0, 2])
def test_arms_that_are_labelled_through_or_not_in_the_pool_are_left_out(
    surface: AccuracySurface, count: int
) -> None:
    done = replace(surface, n=surface.support, correct=0.5 * surface.support)
    assert label_next(done).size == 0
    assert label_next(surface, count).size == count
    assert 5 not in label_next(surface)


def test_wrong_cases_come_first_and_keep_their_order() -> None:
    scores = {"a": 1.0, "b": 0.2, "c": 0.6, "d": 0.0}
    cases = [Case(name, "x", "y", score) for name, score in scores.items()]
    assert [case.id for case in wrong_first(cases, 3)] == ["b", "d", "a"]
