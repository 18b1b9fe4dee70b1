"""What a strategy can know of a surface whose estimator left nothing."""

import numpy as np

from accuracy_assay.domain.posterior import CellPosterior, HasPosterior
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface

SPACE = AttributeSpace((Attribute("arm", tuple("abcd")),))


def posterior() -> CellPosterior:
    """Arm c is not in the pool; arm d has more labels than pool rows, and certain ones."""
    surface = AccuracySurface(
        SPACE,
        np.arange(4),
        n=np.array([10.0, 0.0, 0.0, 9.0]),
        correct=np.array([9.0, 0.0, 0.0, 9.0]),
        support=np.array([60.0, 20.0, 0.0, 5.0]),
        mean=np.array([0.9, 0.5, 0.5, 1.0]),
        sd=np.array([0.1, 0.3, 0.3, 0.2]),
        lower=np.zeros(4),
        upper=np.ones(4),
    )
    return CellPosterior.of_independent_arms(surface)


def test_cells_are_the_arms_of_the_pool() -> None:
    found = posterior()
    assert found.support.cells.tolist() == [0, 1, 3]
    assert found.support.size.tolist() == [60.0, 20.0, 5.0]
    assert found.rate.tolist() == [0.9, 0.5, 1.0]
    np.testing.assert_allclose(found.variance, [0.01, 0.09, 0.04])


def test_the_covariance_is_the_variance_of_a_cell_with_itself_and_else_zero() -> None:
    found = posterior()
    every = np.arange(3)
    np.testing.assert_array_equal(found.covariance(every, every), np.diag(found.variance))
    np.testing.assert_array_equal(
        found.covariance(np.array([2, 0]), np.array([0, 1, 2])),
        np.diag(found.variance)[[2, 0]],
    )


def test_a_label_varies_like_a_coin_and_never_less_than_its_cell() -> None:
    found = posterior()
    np.testing.assert_allclose(found.label_variance, [0.09, 0.25, 0.04])
    assert (found.label_variance >= found.variance).all()


def test_labelled_and_unlabelled_rows_make_up_the_pool() -> None:
    found = posterior()
    assert found.labelled.tolist() == [10.0, 0.0, 5.0]
    assert found.unlabelled.tolist() == [50.0, 20.0, 0.0]


def test_a_memory_with_a_posterior_is_recognised() -> None:
    class Memory:
        posterior = posterior()

    assert isinstance(Memory(), HasPosterior)
    assert not isinstance(object(), HasPosterior)


def test_cells_of_more_strata_lie_in_those_of_the_arms() -> None:
    cells = np.array([0, 5, 6, 23])
    assert posterior().own_cells(cells, n_strata=6).tolist() == [0, 0, 1, 3]
    assert posterior().own_cells(np.arange(4), n_strata=1).tolist() == [0, 1, 2, 3]
