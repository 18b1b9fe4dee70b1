"""Programs: compiled once per shape, and for a GPU without trials."""

import logging
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from accuracy_assay.runtime import programs
from accuracy_assay.runtime.programs import compute_once, program


@partial(program, static_argnames="power")
def sum_of_powers(x: jax.Array, power: int) -> jax.Array:
    """Sum of powers."""
    return (x**power).sum()


def test_a_program_is_its_function() -> None:
    assert float(sum_of_powers(np.array([1.0, 2.0]), power=3)) == 9.0
    assert (sum_of_powers.__name__, sum_of_powers.__doc__) == ("sum_of_powers", "Sum of powers.")


def test_it_is_compiled_once_per_shape_and_static_value(caplog: pytest.LogCaptureFixture) -> None:
    with jax.log_compiles(), caplog.at_level(logging.WARNING):
        for size, power in ((2357, 2), (2357, 2), (2357, 4), (2371, 4)):
            sum_of_powers(np.ones(size), power)
    assert caplog.text.count("Compiling jit(sum_of_powers)") == 3


def test_it_may_be_part_of_another_and_has_slopes(monkeypatch: pytest.MonkeyPatch) -> None:
    for backend in ("cpu", "gpu"):
        monkeypatch.setattr(jax, "default_backend", lambda backend=backend: backend)
        slope = jax.jit(jax.grad(lambda x: sum_of_powers(x, 2)))(jnp.array([3.0]))
        assert slope.tolist() == [6.0]


def test_only_on_a_gpu_is_it_compiled_without_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def jit(function: Any, *, static_argnames: Any, compiler_options: Any = None) -> Any:
        def call(*args: Any) -> Any:
            asked.append(compiler_options)
            return function(*args)

        return call

    monkeypatch.setattr(programs.jax, "jit", jit)
    made = program(lambda x: 2 * x)
    for backend in ("cpu", "gpu"):
        monkeypatch.setattr(jax, "default_backend", lambda backend=backend: backend)
        assert made(2) == 4
    assert asked == [None, {"xla_gpu_autotune_level": 0}]


def test_values_and_slopes_pass_through() -> None:
    x = jnp.arange(3.0)
    passed = compute_once({"a": x, "b": (x + 1.0,)})
    np.testing.assert_array_equal(passed["a"], x)
    np.testing.assert_array_equal(passed["b"][0], x + 1.0)
    slope = jax.grad(lambda x: jnp.sum(compute_once(x) ** 2))(x)
    np.testing.assert_allclose(slope, 2.0 * x)


def test_the_compiler_sees_the_wall() -> None:
    text = jax.jit(lambda x: compute_once(jnp.exp(x)) * 2.0).lower(jnp.ones(2)).as_text()
    assert "optimization_barrier" in text
