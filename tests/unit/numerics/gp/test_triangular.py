"""Inverses and products of lower triangular matrices by blocks."""

from typing import Literal

import jax
import numpy as np
import pytest

from accuracy_assay.numerics.gp import triangular
from accuracy_assay.numerics.gp.triangular import (
    gram_of_large_lower,
    inverse_large_lower,
    times_large_lower_transposed,
)
from accuracy_assay.runtime.precision import precision


@pytest.mark.parametrize("m", [1, 128, 129, 300])
def test_the_inverse_by_blocks_undoes_the_matrix(rng: np.random.Generator, m: int) -> None:
    root = rng.normal(size=(m, m))
    L = np.linalg.cholesky(root @ root.T / m + np.eye(m))
    with precision():
        inverse = np.asarray(jax.jit(inverse_large_lower)(L))
    np.testing.assert_allclose(inverse @ L, np.eye(m), atol=1e-12)
    assert not np.triu(inverse, 1).any()


def test_on_a_gpu_one_substitution_inverts_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triangular, "has_accelerator", lambda: True)
    program = str(jax.make_jaxpr(inverse_large_lower)(np.eye(1030)))
    assert program.count("triangular_solve[") == 1
    assert "dot_general" not in program


@pytest.mark.parametrize("has_gpu", [True, False])
def test_a_product_by_strips_is_the_product(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, has_gpu: bool
) -> None:
    monkeypatch.setattr(triangular, "has_accelerator", lambda: has_gpu)
    A, L = rng.normal(size=(3, 301)), np.tril(rng.normal(size=(301, 301)))
    with precision():
        product = times_large_lower_transposed(jax.device_put(A), jax.device_put(L))
    np.testing.assert_allclose(product, A @ L.T, atol=1e-12)


@pytest.mark.parametrize("width", ["float64", "float32"])
def test_a_product_by_strips_is_the_same_in_32_bits(
    rng: np.random.Generator, width: Literal["float64", "float32"]
) -> None:
    A, L = rng.normal(size=(3, 301)), np.tril(rng.normal(size=(301, 301)))
    with precision():
        product = times_large_lower_transposed(
            jax.device_put(A.astype(width)), jax.device_put(L.astype(width))
        )
    np.testing.assert_allclose(product, A @ L.T, atol=1e-12 if width == "float64" else 1e-4)


@pytest.mark.parametrize("has_gpu", [True, False])
@pytest.mark.parametrize("m", [1, 256, 257, 600])
def test_a_product_with_itself_by_halves_is_the_product(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, m: int, has_gpu: bool
) -> None:
    monkeypatch.setattr(triangular, "has_accelerator", lambda: has_gpu)
    L = np.tril(rng.normal(size=(m, m)))
    with precision():
        gram = np.asarray(gram_of_large_lower(jax.device_put(L)))
    np.testing.assert_allclose(gram, L.T @ L, atol=1e-11)
