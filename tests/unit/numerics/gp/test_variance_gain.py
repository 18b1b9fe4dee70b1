"""What one label of each kind cuts, pick after pick."""

import numpy as np
import pytest

from accuracy_assay.numerics.gp.variance_gain import LabelGains, RelativeGains


def test_the_last_row_of_an_arm_settles_it() -> None:
    # One row left, which is the whole arm: its accuracy is then known, all variance goes.
    gains = LabelGains(
        M=np.array([[0.04]]),
        S=np.array([[0.04]]),
        D=np.array([0.24]),
        target=np.array([0]),
        h=np.ones(1),
    )
    assert gains.gains()[0] == pytest.approx(0.24)
    gains.take(0)
    assert gains.column(0)[0] == pytest.approx(0.0)


def test_a_label_that_is_surer_than_its_cell_leaves_no_chance_to_count_against_it() -> None:
    # Rounding may leave D a little below S: what a row still had to fall then counts as nothing.
    M, S, D, h = 0.03, 0.05, 0.04, 0.5
    gains = LabelGains(
        np.array([[M]]), np.array([[S]]), np.array([D]), np.array([0]), np.array([h])
    )
    expected = 2.0 * h * M - h**2 * S + (M - h * S) ** 2 / D
    assert gains.gains()[0] == pytest.approx(expected)


def test_many_picks_leave_the_gains_of_rewritten_covariances(rng: np.random.Generator) -> None:
    root = rng.normal(size=(30, 30)) * 0.05
    S, target = root @ root.T, rng.integers(-1, 8, 30)
    M, D, h = rng.normal(size=(8, 30)) * 0.05, rng.uniform(0.1, 0.25, 30), rng.uniform(0, 0.2, 30)
    gains = LabelGains(M.copy(), S.copy(), D, target, h)
    for kind in rng.integers(0, 30, 12):
        gains.take(int(kind))
        row = S[kind].copy()
        if target[kind] >= 0:
            M[target[kind]] -= h[kind] * row
        M -= np.outer(M[:, kind] / D[kind], row)
        S -= np.outer(row / D[kind], row)
        anew = LabelGains(M.copy(), S.copy(), D, target, h)
        np.testing.assert_allclose(gains.gains(), anew.gains(), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(gains.column(5), M[:, 5], atol=1e-12)


def test_no_gain_is_negative_and_a_label_of_no_variance_teaches_nothing(
    rng: np.random.Generator,
) -> None:
    root = rng.normal(size=(6, 6)) * 0.05
    S = root @ root.T
    S[0], S[:, 0] = 0.0, 0.0
    M, D = S[:3] * 0.5, np.diag(S) + 0.1
    D[0] = 0.0
    gains = LabelGains(M, S, D, np.full(6, -1), np.zeros(6))
    for kind in range(6):
        assert (gains.gains() >= 0.0).all()
        gains.take(kind)
    assert LabelGains(M, S, D, np.full(6, -1), np.zeros(6)).gains()[0] == 0.0


def test_what_is_asked_twice_gains_less_the_second_time(rng: np.random.Generator) -> None:
    root = rng.normal(size=(5, 5)) * 0.1
    S = root @ root.T
    gains = LabelGains(S.copy(), S, np.diag(S) + 0.1, np.full(5, -1), np.zeros(5))
    before = gains.gains()[2]
    gains.take(2)
    assert gains.gains()[2] < before


def test_relative_gains_are_shares_of_what_is_left_and_picks_lower_it() -> None:
    rng = np.random.default_rng(4)
    root = rng.normal(size=(6, 6))
    S = root @ root.T / 6.0
    D = np.diag(S) + 0.2
    none = np.full(6, -1), np.zeros(6)
    arms, average = (lambda: LabelGains(S.copy(), S, D, *none)), np.full((1, 6), 1.0 / 6.0) @ S
    sets = [arms(), LabelGains(average.copy(), S, D, *none)]
    variance = [float(np.trace(S)), float(average.mean())]
    gains = RelativeGains(sets, variance, (0.75, 0.25))
    alone = [arms(), LabelGains(average.copy(), S, D, *none)]
    np.testing.assert_allclose(
        gains.gains(),
        0.75 * alone[0].gains() / variance[0] + 0.25 * alone[1].gains() / variance[1],
    )
    cut = [float(part.gains()[2]) for part in alone]
    gains.take(2)
    for part in alone:
        part.take(2)
    left = [v - c for v, c in zip(variance, cut, strict=True)]
    np.testing.assert_allclose(
        gains.gains(),
        0.75 * alone[0].gains() / left[0] + 0.25 * alone[1].gains() / left[1],
    )
    # The units of either set do not matter.
    scaled = RelativeGains(
        [LabelGains(10.0 * S, S, D, *none), LabelGains(average.copy(), S, D, *none)],
        [100.0 * variance[0], variance[1]],
        (0.75, 0.25),
    )
    scaled.take(2)
    np.testing.assert_allclose(scaled.gains(), gains.gains())
