"""From NumPy to the device."""

import logging

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from accuracy_assay.runtime.device import has_accelerator, put
from accuracy_assay.runtime.precision import Width, precision


@pytest.mark.parametrize("width", ["float64", "float32"])
def test_arrays_arrive_in_the_width_of_the_block(width: Width) -> None:
    with precision(width):
        placed = put(np.array([0.1, 0.2]))
        assert placed.dtype == width
        np.testing.assert_array_equal(np.asarray(placed), np.array([0.1, 0.2], dtype=width))


def test_a_wanted_type_is_kept() -> None:
    assert put([1, 0], dtype=bool).dtype == np.bool_


def test_nothing_is_compiled(caplog: pytest.LogCaptureFixture) -> None:
    values = np.arange(7919.0)  # a shape that no other test has compiled for
    with precision(), jax.log_compiles(), caplog.at_level(logging.WARNING):
        put(values)
        assert "Compiling" not in caplog.text
        jnp.zeros(7919) + 1.0  # what does compile is seen
        assert "Compiling" in caplog.text


def test_a_processor_is_no_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_accelerator() == (jax.devices()[0].platform != "cpu")
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert has_accelerator()
