"""Settings inside the block alone."""

import jax
import jax.numpy as jnp
import pytest
from threadpoolctl import threadpool_info

from accuracy_assay.runtime import precision as runtime_precision
from accuracy_assay.runtime.precision import Width, precision


@pytest.mark.parametrize("width", ["float64", "float32"])
def test_numbers_have_the_width_inside_and_the_former_one_after(width: Width) -> None:
    before = jax.config.jax_enable_x64
    with precision(width):
        assert jnp.zeros(1).dtype == width
    assert jax.config.jax_enable_x64 == before


def test_an_error_inside_puts_everything_back() -> None:
    before = jax.config.jax_enable_x64
    with pytest.raises(ZeroDivisionError), precision():
        raise ZeroDivisionError
    assert jax.config.jax_enable_x64 == before


def test_linear_algebra_has_one_thread_inside() -> None:
    before = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    with precision():
        inside = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    after = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert set(inside) == {1}
    assert after[: len(before)] == before


@pytest.mark.parametrize(
    ("width", "has_gpu", "wanted"),
    [("float32", True, "highest"), ("float64", True, None), ("float32", False, None)],
)
def test_on_a_gpu_products_of_float32_keep_its_digits(
    monkeypatch: pytest.MonkeyPatch, width: Width, has_gpu: bool, wanted: str | None
) -> None:
    monkeypatch.setattr(runtime_precision, "has_accelerator", lambda: has_gpu)
    with precision(width):
        assert jax.config.jax_default_matmul_precision == wanted
    assert jax.config.jax_default_matmul_precision is None
