"""Kappa comes from the first labels in a row of fits, where it is asked for."""

import numpy as np
import pytest

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.constant import Constant
from accuracy_assay.estimators.first_labels import FirstLabels
from accuracy_assay.estimators.paper.bern_gp import BernGP

SPACE = AttributeSpace((Attribute("sex", ("F", "M")), Attribute("age", tuple("abc"))))
POOL = Support.count(SPACE, None, np.arange(6), np.full(6, 100.0))


def observe(n: float, correct: float) -> Observations:
    return Observations.exact(POOL, [0, 3], [n / 2, n / 2], [correct / 2] * 2, [correct / 2] * 2)


@pytest.mark.parametrize(("kappa_from", "expected"), [("all", 0.5), ("first", 0.9)])
def test_kappa_is_that_of_all_labels_or_of_the_first(
    kappa_from: str, expected: float, rng: np.random.Generator
) -> None:
    constant = Constant(kappa_from=kappa_from)  # type: ignore[arg-type]
    gp = BernGP(first_steps=2, round_steps=1, n_inducing=4, kappa_from=kappa_from)  # type: ignore[arg-type]
    for estimator in (constant, gp):
        first = estimator.fit(observe(20, 18), rng)
        second = estimator.fit(observe(200, 100), rng, first)
        third = estimator.fit(observe(200, 100), rng, second)
        assert isinstance(third.memory, FirstLabels)
        assert third.memory.kappa == pytest.approx(expected)
    assert constant.fit(observe(200, 100), rng, first).mean[0] == pytest.approx(expected)
