"""The joint posterior of the pool's cells, for services fitted together."""

from dataclasses import replace

import numpy as np
import pytest
from toy_surface import toy

from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.study.compare.joint_cells import JointCells
from accuracy_assay.study.compare.joint_fit import JointFit, RowsByArm

ARM = np.repeat(np.arange(4), 30)


@pytest.fixture
def fit(rng: np.random.Generator) -> JointFit:
    scores = (rng.random((ARM.size, 3)) < [0.9, 0.7, 0.5]).astype(float)
    shared = toy(
        details={"target": "population"},
        n=np.full(4, 30.0),
        mean=np.full(4, 0.7),
        sd=np.full(4, 0.04),
        lower=np.full(4, 0.6),
        upper=np.full(4, 0.8),
        support=np.full(4, 100.0),
    )
    return JointFit(shared, RowsByArm(ARM, scores))


def of_service(cells: JointCells, service: int) -> CellPosterior:
    """Return the posterior of a service whose surface is that of the joint fit."""
    mean = cells.fit.means[:, service]
    return cells.of_service(
        service, replace(cells.fit.shared, mean=mean, lower=0.0 * mean, upper=mean)
    ).posterior


def test_where_a_cell_is_an_arm_its_variance_is_that_of_the_surface(fit: JointFit) -> None:
    """Slopes are left out of cells; here they are the smaller part."""
    cells = JointCells(fit, np.ones(4))
    for s in range(3):
        posterior = of_service(cells, s)
        assert np.sqrt(posterior.variance) == pytest.approx(fit.deviations[:, s], rel=0.1)
        assert posterior.rate == pytest.approx(fit.means[:, s], abs=1e-9)


def test_variances_are_the_diagonal_of_the_covariance(fit: JointFit) -> None:
    every = np.arange(4)
    for posterior in (JointCells(fit, np.full(4, 0.5)).guide.posterior,):
        block = posterior.covariance(every, every)
        assert np.diag(block) == pytest.approx(posterior.variance, rel=1e-9)
        assert np.linalg.eigvalsh(block).min() > -1e-9
        assert (posterior.label_variance >= posterior.variance).all()


def test_where_services_never_differ_all_is_shared(fit: JointFit) -> None:
    nothing = of_service(JointCells(fit, np.zeros(4)), 0)
    shared = fit.sway[0] ** 2 * fit.shared.sd**2
    assert nothing.variance == pytest.approx(shared, rel=1e-9)


def test_the_guide_is_as_unsure_as_services_are_on_average(fit: JointFit) -> None:
    cells = JointCells(fit, np.ones(4))
    own = np.mean([of_service(cells, s).variance for s in range(3)], axis=0)
    assert cells.guide.posterior.variance == pytest.approx(own, rel=1e-9)
