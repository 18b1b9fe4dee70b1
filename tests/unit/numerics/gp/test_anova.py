"""The ANOVA kernel: by hand, by tables and entry by entry, and its hyper-priors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from latent_gp import kernel_diagonal, some_cells

from accuracy_assay.numerics.gp import anova
from accuracy_assay.numerics.gp.anova import CellArrays, Layout, kernel
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.precision import precision


@pytest.mark.parametrize("n_groups", [1, 3])
def test_a_coordinate_of_many_values_counts_like_one_of_few(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, n_groups: int
) -> None:
    sizes = (4, 5, 3, 6)
    is_ordered = (False, True, False, True)
    codes = rng.integers(0, sizes, size=(9, 4))
    arm, group = codes[:, 0] * 5 + codes[:, 1], codes[:, 2] % n_groups
    own = 1.0 + arm / 10.0
    theta = rng.normal(size=Layout(sizes, is_ordered, 2, n_groups).size)
    found = []
    for most in (256, 4, 0):
        monkeypatch.setattr(anova, "_MOST_VALUES", most)
        layout = Layout(sizes, is_ordered, 2, n_groups)
        with precision():
            cells = CellArrays(put(codes), put(arm), put(group), put(own))
            # A function of its own each time: JAX would not trace the same one again.
            compiled = jax.jit(lambda theta, a, b, layout=layout: kernel(theta, a, b, layout))
            found.append(np.asarray(compiled(put(theta), cells, cells)))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-12)


@pytest.mark.parametrize("n_groups", [1, 2])
def test_the_kernel_is_one_by_hand(rng: np.random.Generator, n_groups: int) -> None:
    layout = Layout((3, 3, 3), (False, True, False), 2, n_groups)
    with precision():
        cells = some_cells(rng, 6)._replace(trend=jnp.asarray(rng.normal(size=(6, 2))))
        theta = rng.normal(size=layout.size)
        K = np.asarray(kernel(jnp.asarray(theta), cells, cells, layout))
        diagonal = np.asarray(kernel_diagonal(jnp.asarray(theta), cells, layout))
    p = {name: np.exp(theta[part]) for name, part in layout.slices.items()}
    b = theta[layout.slices["b"]] if n_groups > 1 else np.ones(1)
    shared = p["a"][0] if n_groups > 1 else 0.0
    x, arm, group, own = (np.asarray(part) for part in cells[:4])
    group = group if n_groups > 1 else 0 * group
    for i in range(6):
        for j in range(6):
            d = np.array([x[i, 0] != x[j, 0], abs(x[i, 1] - x[j, 1]), x[i, 2] != x[j, 2]], float)
            alone = p["v"][0] * (1 - d[0]) + p["v"][1] * np.exp(-p["e"][1] * d[1])
            if n_groups > 1:
                alone += p["t"][0] * np.exp(-p["u"] @ d[:2])
            hand = 4.0 + p["o"][0] * own[i] * (arm[i] == arm[j]) + p["s"][0] * np.exp(-p["w"] @ d)
            hand += np.asarray(cells.trend)[i] @ np.asarray(cells.trend)[j]
            hand += (shared + b[group[i]] * b[group[j]]) * alone
            assert K[i, j] == pytest.approx(hand, rel=1e-10)
    np.testing.assert_allclose(diagonal, np.diag(K), rtol=1e-10)


def test_means_of_signals_add_and_take_no_part_in_the_product(rng: np.random.Generator) -> None:
    with_means = Layout((3, 3, 3), (False, True, True), 2, n_means=1)
    without = Layout((3, 3), (False, True), 2)
    with precision():
        cells = some_cells(rng, 6)
        theta = rng.normal(size=with_means.size)
        K = np.asarray(kernel(jnp.asarray(theta), cells, cells, with_means))
        diagonal = np.asarray(kernel_diagonal(jnp.asarray(theta), cells, with_means))
        kept = np.zeros(without.size)
        for name, part in without.slices.items():
            kept[part] = theta[with_means.slices[name]][: part.stop - part.start]
        fewer = cells._replace(codes=cells.codes[:, :2])
        plain = np.asarray(kernel(jnp.asarray(kept), fewer, fewer, without))
    v, e = (np.exp(theta[with_means.slices[name]][2]) for name in ("v", "e"))
    level = np.asarray(cells.codes)[:, 2]
    added = v * np.exp(-e * np.abs(level[:, None] - level))
    np.testing.assert_allclose(K, plain + added, rtol=1e-10)
    np.testing.assert_allclose(diagonal, np.diag(K), rtol=1e-10)


@pytest.mark.parametrize("most", [256, 0])
@pytest.mark.parametrize("n_values", [3, 5, 9])
def test_an_ordered_coordinate_is_as_long_however_many_values_it_has(
    monkeypatch: pytest.MonkeyPatch, n_values: int, most: int
) -> None:
    # Its ends are two apart, and the values between lie at even steps.
    monkeypatch.setattr(anova, "_MOST_VALUES", most)
    layout = Layout((n_values, 2), (True, False), 2)
    theta = np.zeros(layout.size)
    theta[layout.slices["w"]], theta[layout.slices["e"]] = np.log(0.7), np.log(1.3)
    codes = np.stack([np.arange(n_values), np.zeros(n_values, dtype=np.int64)], axis=1)
    with precision():
        zero = put(np.zeros(n_values, dtype=np.int64))
        cells = CellArrays(put(codes), put(np.arange(n_values)), zero, put(np.ones(n_values)))
        compiled = jax.jit(lambda theta, cells: kernel(theta, cells, cells, layout))
        K = np.asarray(compiled(put(theta), cells))
    d = 2.0 * np.arange(n_values) / (n_values - 1)
    expected = 4.0 + np.exp(-0.7 * d) + np.exp(-1.3 * d) + 1.0 + (d == 0.0)
    np.testing.assert_allclose(K[0], expected, rtol=1e-12)


def test_every_parameter_has_one_hyper_prior() -> None:
    layout = Layout((3, 3, 4), (False, True, False), 2, 4)
    assert set(layout.slices) == set(anova._PRIOR)
    covered = np.concatenate([np.arange(part.start, part.stop) for part in layout.slices.values()])
    np.testing.assert_array_equal(covered, np.arange(layout.size))
    # Signals may be noise: their terms start smaller, and are less held there.
    weight = layout.slices["w"]
    assert layout.prior_mean[weight].tolist() == [-0.8, -0.8, -3.0]
    assert layout.prior_sd[weight].tolist() == [1.0, 1.0, 2.0]


def test_variances_share_a_scale_that_is_left_to_the_labels() -> None:
    layout = Layout((3, 3), (False, False), 2)
    variances = np.concatenate([np.arange(layout.size)[layout.slices[n]] for n in "osv"])
    weights = np.arange(layout.size)[layout.slices["w"]]
    covariance = layout.prior_covariance
    together, own = layout.directions
    apart = np.zeros(layout.size)
    apart[variances[2:]] = (1.0, -1.0)
    np.testing.assert_array_equal(np.flatnonzero(together), np.sort(variances))
    np.testing.assert_array_equal(np.flatnonzero(own), variances[:1])
    # A common factor of e costs little; that one of two terms alone grows costs what it did.
    assert together @ layout.prior_precision @ together < 1.0 / anova._COIN_SCALE.sd**2
    assert apart @ layout.prior_precision @ apart == pytest.approx(2.0 / 0.8**2)
    assert not covariance[np.ix_(variances, weights)].any()


def test_rows_of_one_cluster_share_a_deviation_that_their_average_has_not(
    rng: np.random.Generator,
) -> None:
    plain = Layout((3, 3, 3), (False, True, False), 2)
    layout = Layout((3, 3, 3), (False, True, False), 2, has_clusters=True)
    with precision():
        cells = some_cells(rng, 4)
        of_cluster = cells._replace(cluster=jnp.asarray([0, 1, 0, -1]))
        theta = layout.prior_mean
        without = np.delete(theta, layout.slices["c"])
        apart = np.asarray(kernel(jnp.asarray(without), cells, cells, plain))
        shared = np.asarray(kernel(jnp.asarray(theta), of_cluster, of_cluster, layout))
        diagonal = np.asarray(kernel_diagonal(jnp.asarray(theta), of_cluster, layout))
    variance = np.exp(theta[layout.slices["c"]][0])
    same = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]])
    np.testing.assert_allclose(shared - apart, variance * same, atol=1e-12)
    np.testing.assert_allclose(diagonal, np.diag(shared), rtol=1e-12)


def test_shares_are_expected_to_differ_less_than_coins() -> None:
    coins, shares = Layout((3, 3), (False, False), 2), Layout((3, 3), (False, False), 2, 1, False)
    away = shares.prior_mean - coins.prior_mean
    np.testing.assert_array_equal(away < 0.0, coins.directions[0] == 1.0)
    assert shares.prior_logit_sd < coins.prior_logit_sd
    smaller = coins.prior_mean - 3.5 * coins.directions[0]
    assert shares.log_prior(smaller) > coins.log_prior(smaller)


def test_a_second_search_begins_where_ordered_signals_tell_much() -> None:
    plain, signals = Layout((3, 3), (False, True), 2), Layout((3, 3, 9), (False, True, True), 2)
    assert len(plain.starts) == 1
    first, second = signals.starts
    np.testing.assert_array_equal(first, signals.start)
    assert np.flatnonzero(first != second).tolist() == [signals.slices["v"].stop - 1]
    assert second.max() == anova._STRONG_SIGNAL


def test_where_attributes_are_guessed_an_arm_s_own_variance_is_held_closer_to_its_prior() -> None:
    known, guessed = (Layout((2, 3), (False, False), 2, is_guessed=is_) for is_ in (False, True))
    own = known.slices["o"]
    assert guessed.prior_mean[own] == known.prior_mean[own]
    far = known.prior_mean + 2.0 * known.directions[1]
    assert guessed.log_prior(far) < known.log_prior(far)


def test_the_search_starts_at_the_prior_s_mean_with_attributes_that_act_alike() -> None:
    plain = Layout((3, 3), (False, False), 2)
    np.testing.assert_array_equal(plain.start, plain.prior_mean)
    layout = Layout((3, 3, 2), (False, False, False), 2, 2)
    assert layout.start[layout.slices["b"]].tolist() == [1.0, 1.0]


def test_at_no_effect_of_attributes_the_search_for_their_sign_would_not_move() -> None:
    layout = Layout((3, 3, 2), (False, False, False), 2, 2)
    codes = jnp.asarray([[0, 0, 0], [1, 2, 1], [2, 1, 1]])
    cells = CellArrays(codes, jnp.arange(3), codes[:, 2], jnp.ones(3))
    total = jax.grad(lambda theta: kernel(theta, cells, cells, layout).sum())
    part = layout.slices["b"]
    assert not np.asarray(total(jnp.asarray(layout.prior_mean)))[part].any()
    assert np.asarray(total(jnp.asarray(layout.start)))[part].all()
