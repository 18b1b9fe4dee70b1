"""A difference is that of two surfaces; only its interval knows what they share."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array

import accuracy_assay as aa
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.study.compare.differences import Difference, Differences

RNG = np.random.default_rng(3)
TRUTH = RNG.choice(["a", "b", "c"], 900)
SAID = np.where(RNG.random(900) < 0.7, TRUTH, "a")
POOL = pl.DataFrame(
    {
        "sex": RNG.choice(["F", "M"], 900),
        "age": RNG.choice(["old", "young"], 900),
        "truth": TRUTH,
        "first": SAID,
        "second": np.where(RNG.random(900) < 0.9, SAID, RNG.choice(["a", "b", "c"], 900)),
        "third": RNG.choice(["a", "b", "c"], 900),
    }
)
ROWS = POOL[:150]
SERVICES = ["first", "second", "third"]


@pytest.fixture(scope="module")
def board() -> Comparison:
    return aa.compare(ROWS, ["sex", "age"], services=SERVICES, y_true="truth", pool=POOL)


@pytest.fixture(scope="module")
def separate(board: Comparison) -> Comparison:
    return aa.compare(dict(board.surfaces))


def questions(surface: aa.AccuracySurface) -> list[np.ndarray]:
    return [surface.weights(), surface.weights({"sex": "F"}), *np.eye(surface.arms.size)]


def test_accuracies_are_those_of_estimate_with_the_same_columns(board: Comparison) -> None:
    for name in SERVICES:
        columns: dict[str, Any] = {"y_pred": name, "y_true": "truth"}
        referees = [other for other in SERVICES if other != name]
        alone = aa.estimate(ROWS, ["sex", "age"], pool=POOL, referees=referees, **columns)
        assert board.surfaces[name].mean == pytest.approx(alone.mean, abs=1e-9)
        assert board.surfaces[name].upper == pytest.approx(alone.upper, abs=1e-9)


def test_a_difference_is_exactly_that_of_the_two_means(board: Comparison) -> None:
    one, other = board.surfaces["first"], board.surfaces["third"]
    between = board.between("first", "third")
    assert between.mean.tolist() == (one.mean - other.mean).tolist()
    for weight in questions(one):
        found = between.over(weight)
        assert found.mean == one.average(weight).mean - other.average(weight).mean


def test_differences_of_three_services_add_up(board: Comparison) -> None:
    a, b, c = (
        board.difference(*pair).mean
        for pair in (("first", "second"), ("second", "third"), ("first", "third"))
    )
    assert a + b == pytest.approx(c, abs=1e-12)


def test_shared_rows_narrow_the_difference(board: Comparison, separate: Comparison) -> None:
    near, far = (found.difference("first", "second") for found in (board, separate))
    assert near.mean == far.mean
    assert near.sd < 0.8 * far.sd
    assert near.upper - near.lower < 0.8 * (far.upper - far.lower)


def test_separate_labels_add_variances(separate: Comparison) -> None:
    first, second = (separate.surfaces[name].overall for name in ("first", "second"))
    found = separate.difference("first", "second")
    assert found.sd == pytest.approx(np.hypot(first.sd, second.sd))


def test_correlations_fit_together(board: Comparison) -> None:
    assert board.shared is not None
    surface = board.surfaces["first"]
    weight = np.stack(questions(surface))
    R = board.shared.correlation(weight, np.full((len(weight), 3), 1e-3), [0, 1, 2])
    assert np.linalg.eigvalsh(R).min() > -1e-9
    assert np.einsum("qii->qi", R) == pytest.approx(1.0)
    assert R[0, 0, 1] > R[0, 0, 2]


def test_the_reverse_is_the_negative(board: Comparison) -> None:
    between = board.between("first", "second")
    other = between.reverse()
    assert other.mean == pytest.approx(-between.mean)
    assert other.sd == pytest.approx(between.sd)
    assert other.interval[0] == pytest.approx(-between.interval[1], abs=1e-9)
    assert other.probability == pytest.approx(1.0 - between.probability, abs=1e-9)


def test_an_average_of_one_arm_is_that_arm(board: Comparison) -> None:
    between = board.between("first", "second")
    weight = np.eye(between.mean.size)[1]
    found = between.over(weight)
    lower, upper = (end[1] for end in between.interval)
    assert (found.mean, found.lower, found.upper) == pytest.approx((between.mean[1], lower, upper))
    assert found.probability == pytest.approx(between.probability[1])


def test_services_that_never_differ_have_an_interval_that_ends_at_zero() -> None:
    twins = POOL.with_columns(second=pl.col("first"))
    found = aa.compare(
        twins[:150], ["sex", "age"], services=["first", "second"], y_true="truth", pool=twins
    )
    for where in ({}, {"sex": "F"}):
        difference = found.asked(where).difference("first", "second")
        assert difference.lower <= 0.0 <= difference.upper
        assert difference.upper - difference.lower <= abs(difference.mean) + 1e-12


def test_an_interval_ends_where_rows_say_that_services_cannot_differ_more(
    board: Comparison,
) -> None:
    between = board.between("first", "second")
    lower, upper = between.interval
    for i, arm in enumerate(
        board.surfaces["first"].space.frame(board.surfaces["first"].arms).rows()
    ):
        part = POOL.filter(pl.col("sex") == arm[0], pl.col("age") == arm[1])
        share = float((part["first"] != part["second"]).mean())
        assert upper[i] <= max(share, between.mean[i]) + 1e-12
        assert lower[i] >= min(-share, between.mean[i]) - 1e-12


def test_draws_of_slices_have_the_spread_of_their_differences(board: Comparison) -> None:
    between = board.between("first", "third")
    weight = np.stack(questions(board.surfaces["first"])[:2])
    mean, draws = between.draw(csr_array(weight))
    for q, row in enumerate(weight):
        found = between.over(row)
        assert mean[q] == found.mean
        # The standard error of a deviation of 512 draws is 3 % of it.
        assert draws[:, q].std() == pytest.approx(found.sd, rel=0.12)


def test_scores_without_answers_are_paired_by_their_residuals() -> None:
    scored = POOL.with_columns(
        [(pl.col(name) == pl.col("truth")).cast(pl.Int64) for name in SERVICES]
    )
    found = aa.compare(scored[:150], ["sex", "age"], scores=SERVICES, pool=scored)
    apart = aa.compare(dict(found.surfaces))
    near, far = (c.difference("first", "second") for c in (found, apart))
    assert near.mean == far.mean
    assert near.sd < 0.8 * far.sd
    other = found.difference("first", "third").sd / apart.difference("first", "third").sd
    assert near.sd / far.sd < other


def test_a_difference_reads_in_points() -> None:
    shown = str(Difference(0.025, 0.01, -0.01, 0.05, 0.9, 0.94))
    assert shown == ("+2.5 points (90% interval -1.0 to +5.0; better with a probability of 94%)")


def test_differences_are_of_the_services_named(board: Comparison) -> None:
    assert isinstance(board.between("third", "first"), Differences)
    assert board.difference("third", "first").mean == -board.difference("first", "third").mean
