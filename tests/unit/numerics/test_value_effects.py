"""Effects of values: none where there is none, the ridge solution where there is one."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from accuracy_assay.numerics.value_effects import (
    chance_of_luck,
    fit_effects,
    held_out_gain,
    log_score,
)


def made(effect: float, n_rows: int = 600) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    offset = rng.normal(0.5, 0.7, n_rows)
    code = rng.integers(0, 4, n_rows)
    true = effect * np.array([-1.0, 0.0, 0.5, 1.0])
    return offset, (rng.random(n_rows) < expit(offset + true[code])).astype(float), code


def test_log_score_is_that_of_a_coin() -> None:
    logit, score = np.array([0.3, -2.0]), np.array([1.0, 0.25])
    q = expit(logit)
    wanted = score * np.log(q) + (1 - score) * np.log(1 - q)
    np.testing.assert_allclose(log_score(logit, score), wanted)


def test_effects_are_the_most_probable_ones() -> None:
    offset, score, code = made(1.0)
    effects = fit_effects(offset, score, code, 4)

    def penalised(u: np.ndarray, tau: float) -> float:
        return float(-log_score(offset + u[code], score).sum() + 0.5 * np.sum((u / tau) ** 2))

    best = [minimize(penalised, np.zeros(4), args=(tau,)).x for tau in (0.1, 0.2, 0.4, 0.8, 1.6)]
    assert min(np.abs(effects - each).max() for each in best) < 1e-4
    assert effects[0] < effects[1] < effects[3]


def test_a_column_of_nothing_changes_nothing() -> None:
    offset, score, code = made(0.0)
    assert not fit_effects(offset, score, code, 4).any()
    assert abs(held_out_gain(offset, score, code, np.arange(600) % 5).sum()) < 1.0


def test_a_column_that_matters_gains_on_rows_that_it_was_not_learned_from() -> None:
    offset, score, code = made(1.0)
    gain = held_out_gain(offset, score, code, np.arange(600) % 5)
    assert gain.sum() > 10.0
    # A fold's own scores do not change its gain's effects, only how they are scored.
    turned = np.where(np.arange(600) % 5 == 0, 1.0 - score, score)
    again = held_out_gain(offset, turned, code, np.arange(600) % 5)
    assert again[np.arange(600) % 5 == 0].sum() < 0.0


def test_luck_explains_a_null_column_and_not_one_that_matters() -> None:
    rng = np.random.default_rng(0)
    assert chance_of_luck(*made(1.0), rng, 199) == pytest.approx(1 / 200)
    assert chance_of_luck(*made(0.0), rng, 199) > 0.05


def test_p_values_of_null_columns_are_about_uniform() -> None:
    offset, score, _ = made(0.0, 200)
    rng = np.random.default_rng(1)
    found = [chance_of_luck(offset, score, rng.integers(0, 5, 200), rng, 99) for _ in range(150)]
    # One in ten is at most 0.1; with 150 columns the standard error is 0.025.
    assert np.mean(np.asarray(found) <= 0.1) == pytest.approx(0.1, abs=0.075)


def test_permutations_in_parts_are_all_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accuracy_assay.numerics.value_effects._PERMUTATIONS_AT_ONCE", 600 * 30)
    assert chance_of_luck(*made(1.0), np.random.default_rng(0), 99) == pytest.approx(0.01)
