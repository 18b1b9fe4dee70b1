"""Factors of I + W K: rows and cells give the same, and a root of rows is H multiplied out."""

import numpy as np
import pytest
from latent_gp import some_kernel
from scipy.sparse import csr_array, vstack

from accuracy_assay.numerics.gp.mixture_curvature import curvature_of

J = 9


def some_rows(rng: np.random.Generator, R: int) -> csr_array:
    A = rng.random((R, J)) * (rng.random((R, J)) < 0.4)
    return csr_array(A)


@pytest.mark.parametrize("R", [4, 20])
def test_factors_solve_what_they_stand_for(rng: np.random.Generator, R: int) -> None:
    K, A, x = some_kernel(rng, J), some_rows(rng, R), rng.normal(size=(J, 2))
    made, dense = curvature_of(K, A), A.toarray()
    system = np.eye(J) + dense.T @ dense @ K
    np.testing.assert_allclose(system @ made.solve(x), x, atol=1e-9)
    assert made.half_log_det == pytest.approx(0.5 * np.linalg.slogdet(system)[1])
    explained = np.linalg.solve(system, dense.T @ dense)
    np.testing.assert_allclose(made.explained(), explained, atol=1e-9)
    np.testing.assert_allclose(made.root().T @ made.root(), explained, atol=1e-9)
    row, cell = dense.nonzero()
    C = dense @ K @ np.linalg.inv(system)
    np.testing.assert_allclose(made.covariance_at(A, row, cell), C[row, cell], atol=1e-9)


def test_rows_without_labels_change_nothing_by_rows_or_by_cells(rng: np.random.Generator) -> None:
    K, few, x = some_kernel(rng, J), some_rows(rng, 5), rng.normal(size=(J, 1))
    many = csr_array(vstack([few, csr_array((10, J))]))
    by_rows, by_cells = curvature_of(K, few), curvature_of(K, many)
    assert by_rows.row_root is not None
    assert by_cells.row_root is None
    np.testing.assert_allclose(by_rows.solve(x), by_cells.solve(x), atol=1e-9)
    assert by_rows.half_log_det == pytest.approx(by_cells.half_log_det)


def test_a_root_of_rows_is_not_multiplied_out(rng: np.random.Generator) -> None:
    K, X = some_kernel(rng, J), rng.normal(size=(J, 6))
    made = curvature_of(K, some_rows(rng, 4))
    assert made.row_root is not None
    np.testing.assert_allclose(made.row_root.onto(X), made.root() @ X, atol=1e-9)
