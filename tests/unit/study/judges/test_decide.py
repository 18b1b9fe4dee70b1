"""From probabilities to verdicts: the mean doubt over what is decided keeps its promise."""

import numpy as np
import pytest

from accuracy_assay.study.judges.decide import labels_needed, verdicts_together


def test_the_mean_doubt_of_what_is_decided_is_at_most_what_was_asked(
    rng: np.random.Generator,
) -> None:
    for _ in range(50):
        within = rng.beta(0.3, 0.3, 30)
        near = within * rng.random(30)
        verdicts = np.array(verdicts_together(within, near, 0.95))
        certified, refused = within[verdicts == "may decide"], near[verdicts == "may not"]
        assert certified.size == 0 or (1.0 - certified).mean() <= 0.05 + 1e-12
        assert refused.size == 0 or refused.mean() <= 0.05 + 1e-12


def test_a_slice_that_is_likelier_within_the_tolerance_is_not_refused() -> None:
    # It clearly differs, by less than anybody minds.
    assert verdicts_together(np.array([0.6]), np.array([0.0001]), 0.95) == ["not enough labels"]


def test_no_certified_slice_is_as_doubtful_as_a_coin() -> None:
    within = np.array([1.0] * 30 + [0.6])
    assert verdicts_together(within, np.full(31, 0.5), 0.95)[-1] == "not enough labels"


def test_labels_needed_are_those_of_the_normal_law() -> None:
    # z = 1.645: an interval that reaches 0.05 needs (1.645 / 0.05)^2 / 4 = 270.6 labels.
    (more,) = labels_needed(np.array([0.0]), 0.05, 0.95, 0.25, np.array([100.0]), None)
    assert more == 171
    few = np.array([300.0])
    (of_few,) = labels_needed(np.array([0.0]), 0.05, 0.95, 0.25, np.array([100.0]), few)
    assert of_few == pytest.approx(1.0 / (1.0 / 270.55 + 1.0 / 300.0) - 100.0, abs=1.0)


def test_a_difference_at_the_tolerance_needs_every_row() -> None:
    at, labels = np.array([0.05]), np.array([100.0])
    assert labels_needed(at, 0.05, 0.95, 0.25, labels, None) == [None]
    assert labels_needed(at, 0.05, 0.95, 0.25, labels, np.array([300.0])) == [200]
