"""Labelled instances become fractional counts, and nothing is lost on the way."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError

SPACE = AttributeSpace((Attribute("a", (0, 1, 2, 3)),))
SUPPORT = Support.count(SPACE, None, [0, 1, 2, 3])
FUZZY = Affiliation(np.array([0, 2, 3]), np.array([0, 1, 3]), np.array([0.25, 0.75, 1.0]))


def test_exact_instances_collapse_to_one_row_an_arm() -> None:
    seen = Observations.from_instances(SUPPORT, Affiliation.exact([2, 0, 2]), [1.0, 0.5, 0.5])
    assert seen.affiliation.indices.tolist() == [0, 2]
    assert seen.count.tolist() == [1.0, 2.0]
    assert seen.score.tolist() == [0.5, 1.5]
    assert seen.score_sq.tolist() == [0.25, 1.25]
    assert seen.n_labels == 3.0
    assert seen.overall_accuracy == pytest.approx(2.0 / 3.0)


def test_fractional_counts_are_the_paper_s() -> None:
    counts = Observations.from_instances(SUPPORT, FUZZY, [1.0, 0.0]).per_arm()
    assert counts.arms.tolist() == [0, 1, 3]
    assert counts.n.tolist() == [0.25, 0.75, 1.0]
    assert counts.correct.tolist() == [0.25, 0.75, 0.0]


def test_equal_fuzzy_rows_are_merged() -> None:
    rows = Affiliation.concatenate([FUZZY, FUZZY])
    seen = Observations.from_instances(SUPPORT, rows, [1.0, 0.0, 0.0, 1.0])
    assert seen.affiliation.n_rows == 2
    assert seen.count.tolist() == [2.0, 2.0]
    assert seen.score.tolist() == [1.0, 1.0]


def test_strata_of_one_arm_count_together() -> None:
    strata = AttributeSpace((Attribute("says", ("no", "yes")),))
    support = Support.count(SPACE, strata, [0, 1, 5])
    counts = Observations.from_instances(
        support, Affiliation.exact([0, 1, 5]), [1, 0, 1]
    ).per_arm()
    assert counts.arms.tolist() == [0, 2]
    assert counts.n.tolist() == [2.0, 1.0]
    assert counts.correct.tolist() == [1.0, 1.0]


def test_counts_of_other_arms_are_zero() -> None:
    counts = Observations.from_instances(SUPPORT, Affiliation.exact([1]), [1.0]).per_arm()
    assert counts.on(np.array([0, 1, 3])).n.tolist() == [0.0, 1.0, 0.0]


def test_nothing_observed_is_half_right_and_has_no_counts() -> None:
    empty = Observations.from_instances(SUPPORT, Affiliation.exact([]), [])
    assert empty.overall_accuracy == 0.5
    assert empty.n_labels == 0.0
    assert empty.per_arm().on(np.arange(4)).n.tolist() == [0.0] * 4


def test_a_bad_score_shape_or_prior_is_refused() -> None:
    with pytest.raises(InputError, match=r"in \[0, 1\]; got 1.5 in row 0"):
        Observations.from_instances(SUPPORT, Affiliation.exact([1]), [1.5])
    one = np.ones(1)
    with pytest.raises(InputError, match=r"score must have shape \(1,\); got \(2,\)"):
        Observations(SUPPORT, Affiliation.exact([1]), one, np.ones(2), one)
    with pytest.raises(InputError, match="prior_strength must be at least 0; got -1"):
        Observations(SUPPORT, Affiliation.exact([1]), one, one, one, prior_strength=-1)
    with pytest.raises(InputError, match=r"one score per instance, shape \(2,\); got \(3,\)"):
        Observations.from_instances(SUPPORT, Affiliation.exact([1, 2]), [1.0, 1.0, 0.0])


def test_values_are_read_only_and_compare_by_identity() -> None:
    seen = Observations.from_instances(SUPPORT, Affiliation.exact([1]), [1.0])
    with pytest.raises(ValueError, match="read-only"):
        seen.count[0] = 2.0
    assert seen == seen
    assert len({seen, seen.support}) == 2
