"""Observed means, their noise, and surfaces of normal posteriors."""

import numpy as np
import pytest
from scipy.stats import norm

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from assay_bench.peers.normal_arms import (
    ArmMeans,
    build_surface,
    surface_without_labels,
)

SPACE = AttributeSpace((Attribute("a", (0, 1, 2)),))
STRATA = AttributeSpace((Attribute("sure", ("no", "yes")),))
SUPPORT = Support.count(SPACE, STRATA, np.arange(6))


def observe(cells: list[int], scores: list[float]) -> Observations:
    return Observations.from_instances(SUPPORT, Affiliation.exact(cells), scores)


def test_means_are_those_of_the_labels_by_arm_and_by_cell() -> None:
    seen = observe([0, 0, 1, 4, 4], [1, 0, 1, 0.5, 0.25])
    cells, arms = ArmMeans.of_cells(seen), ArmMeans.of_arms(seen)
    assert cells.index.tolist() == [0, 1, 4]
    np.testing.assert_allclose(cells.y, [0.5, 1.0, 0.375])
    assert arms.index.tolist() == [0, 2]
    np.testing.assert_allclose(arms.n, [3.0, 2.0])
    np.testing.assert_allclose(arms.y, [2 / 3, 0.375])


def test_noise_is_the_pooled_variance_drawn_by_one_label_towards_a_coin() -> None:
    scores = [1, 0, 1, 0.5, 0.25]
    arms = ArmMeans.of_arms(observe([0, 0, 1, 4, 4], scores))
    within = np.var(scores[:3]) * 3 + np.var(scores[3:]) * 2
    rate = (sum(scores) + 1.0) / (5 + 2.0)
    assert arms.noise == pytest.approx((within + rate * (1.0 - rate)) / (2 + 1 + 1.0))


def test_labels_that_all_agree_do_not_look_free_of_noise() -> None:
    assert ArmMeans.of_arms(observe([0] * 20, [1.0] * 20)).noise > 0.0


def test_arms_with_hardly_a_label_are_left_out() -> None:
    rows = Affiliation(np.array([0, 2]), np.array([0, 4]), np.array([0.995, 0.005]))
    seen = Observations.from_instances(SUPPORT, rows, [1.0])
    assert ArmMeans.of_arms(seen, 0.01).index.tolist() == [0]
    assert ArmMeans.of_arms(seen).index.tolist() == [0, 2]


def test_a_surface_has_normal_intervals_cut_to_rates() -> None:
    mean, sd = np.array([0.5, 0.98, 1.1]), np.array([0.1, 0.1, 0.05])
    surface = build_surface(observe([0], [1.0]), "some", mean, sd, 0.8, details={"x": 1})
    assert surface.mean.tolist() == [0.5, 0.98, 1.0]
    low, high = norm(mean, sd).interval(0.8)
    np.testing.assert_allclose(surface.lower, np.minimum(low, 1.0))
    np.testing.assert_allclose(surface.upper, np.minimum(high, 1.0))
    assert dict(surface.details) == {"estimator": "some", "x": 1}


def test_without_labels_every_accuracy_is_as_likely_as_any_other() -> None:
    surface = surface_without_labels(observe([], []), "some", 0.9)
    np.testing.assert_allclose(surface.mean, 0.5)
    np.testing.assert_allclose(surface.sd, 1.0 / np.sqrt(12.0))
    np.testing.assert_allclose([surface.lower[0], surface.upper[0]], [0.05, 0.95])
