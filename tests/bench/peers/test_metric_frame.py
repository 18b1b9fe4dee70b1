"""The table of group means that fairlearn gives, and what is said where it is not installed."""

import sys

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import MissingExtraError
from accuracy_assay.registry import build_estimator

SUPPORT = Support.count(AttributeSpace((Attribute("a", (0, 1, 2)),)), None, [0, 1, 2])


def test_arms_are_the_means_of_their_labels(rng: np.random.Generator) -> None:
    rows = Affiliation.exact([0, 0, 0, 0, 1])
    seen = Observations.from_instances(SUPPORT, rows, [1, 1, 1, 0, 0.5])
    surface = build_estimator("metric-frame").fit(seen, rng)
    np.testing.assert_allclose(surface.mean, [0.75, 0.5, 0.7])  # arm 2: the overall 3.5 / 5
    assert (surface.lower[2], surface.upper[2]) == (0.0, 1.0)
    # Wilson, z = 1.6449: (3 + 1.3528) / 6.7055 -+ 1.6449 sqrt(0.75 + 0.6764) / 6.7055.
    assert (surface.lower[0], surface.upper[0]) == pytest.approx((0.3562, 0.9421), abs=1e-3)


def test_guessed_attributes_count_by_their_weight(rng: np.random.Generator) -> None:
    rows = Affiliation(np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([0.25, 0.75, 1.0]))
    seen = Observations.from_instances(SUPPORT, rows, [1.0, 0.0])
    surface = build_estimator("metric-frame").fit(seen, rng)
    np.testing.assert_allclose(surface.mean[:2], [1.0, 0.75 / 1.75])


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fairlearn", None)
    monkeypatch.setitem(sys.modules, "fairlearn.metrics", None)
    monkeypatch.delitem(sys.modules, "assay_bench.peers.metric_frame", raising=False)
    with pytest.raises(MissingExtraError, match=r"accuracy-assay\[peers\]"):
        build_estimator("metric-frame")
