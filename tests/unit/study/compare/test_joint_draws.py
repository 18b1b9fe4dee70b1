"""How errors of services go together whose draws were made together."""

import numpy as np
import pytest
from toy_surface import toy

from accuracy_assay.study.compare.joint_draws import JointDraws, RowAnswers


@pytest.fixture
def services(rng: np.random.Generator) -> JointDraws:
    common = rng.standard_normal((400, 4))
    own = rng.standard_normal((2, 400, 4))
    surfaces = (
        toy(draws=np.clip(0.5 + 0.05 * (common + each), 0.0, 1.0).astype(np.float32))
        for each in own
    )
    return JointDraws(tuple(surfaces))


def test_the_correlation_of_averages_is_that_of_their_draws(services: JointDraws) -> None:
    weight = np.array([[1.0, 0.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]])
    found = services.correlation(weight, np.zeros((2, 2)), [0, 1])
    for row, share in zip(found, weight, strict=True):
        first, second = (s.joint_draws @ share for s in services.surfaces)
        assert row[0, 1] == pytest.approx(np.corrcoef(first, second)[0, 1], abs=1e-5)
    assert found[:, [0, 1], [0, 1]] == pytest.approx(1.0)


def test_rows_bound_how_far_two_services_can_differ(services: JointDraws) -> None:
    """Sixty rows of the first arm: the services differ on six, two of them labelled."""
    pool_codes = np.zeros((100, 2), dtype=np.int64)
    pool_codes[:6, 1] = 1
    answers = RowAnswers(
        np.zeros(2, dtype=np.int64),
        np.array([[0, 1], [0, 1]]),
        np.array([[1.0, 0.0], [1.0, 0.0]]),
        np.repeat([0, 1, 2], [60, 20, 20]),
        pool_codes,
    )
    lower, upper = JointDraws(services.surfaces, answers).bounds(np.eye(4)[:2], 0, 1)
    assert lower == pytest.approx([(2.0 - 4.0) / 60.0, 0.0])
    assert upper == pytest.approx([(2.0 + 4.0) / 60.0, 0.0])
    assert services.bounds(np.eye(4), 0, 1) is None
