"""The ANOVA kernel: by hand, by tables and entry by entry, and its slopes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from latent_gp import kernel, some_cells

from accuracy_assay.numerics.gp import anova
from accuracy_assay.numerics.gp.anova import CellArrays, Layout, kernel_diagonal
from accuracy_assay.numerics.gp.kernel_matrix import pull_back, tables_of
from accuracy_assay.runtime.arrays import FloatArray
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
            found.append(np.asarray(kernel(theta, cells, cells, layout)))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-12)


@pytest.mark.parametrize("n_groups", [1, 2])
def test_the_kernel_is_one_by_hand(rng: np.random.Generator, n_groups: int) -> None:
    layout = Layout((3, 3, 3), (False, True, False), 2, n_groups)
    with precision():
        cells = some_cells(rng, 6)._replace(trend=jnp.asarray(rng.normal(size=(6, 2))))
        theta = rng.normal(size=layout.size)
        K = np.asarray(kernel(theta, cells, cells, layout))
        diagonal = np.asarray(kernel_diagonal(theta, cells, layout))
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
        K = np.asarray(kernel(theta, cells, cells, with_means))
        diagonal = np.asarray(kernel_diagonal(theta, cells, with_means))
        kept = np.zeros(without.size)
        for name, part in without.slices.items():
            kept[part] = theta[with_means.slices[name]][: part.stop - part.start]
        fewer = cells._replace(codes=cells.codes[:, :2])
        plain = np.asarray(kernel(kept, fewer, fewer, without))
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
        K = np.asarray(kernel(theta, cells, cells, layout))
    d = 2.0 * np.arange(n_values) / (n_values - 1)
    expected = 4.0 + np.exp(-0.7 * d) + np.exp(-1.3 * d) + 1.0 + (d == 0.0)
    np.testing.assert_allclose(K[0], expected, rtol=1e-12)


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
        apart = np.asarray(kernel(without, cells, cells, plain))
        shared = np.asarray(kernel(theta, of_cluster, of_cluster, layout))
        diagonal = np.asarray(kernel_diagonal(theta, of_cluster, layout))
    variance = np.exp(theta[layout.slices["c"]][0])
    same = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]])
    np.testing.assert_allclose(shared - apart, variance * same, atol=1e-12)
    np.testing.assert_allclose(diagonal, np.diag(shared), rtol=1e-12)


def test_at_no_effect_of_attributes_the_search_for_their_sign_would_not_move() -> None:
    layout = Layout((3, 3, 2), (False, False, False), 2, 2)
    with precision():
        codes = put([[0, 0, 0], [1, 2, 1], [2, 1, 1]])
        cells = CellArrays(codes, put(np.arange(3)), codes[:, 2], put(np.ones(3)))

        def slope(theta: FloatArray) -> FloatArray:
            tables = tables_of(theta, layout)
            return pull_back(theta, tables, cells, put(np.ones((3, 3))), layout)

        part = layout.slices["b"]
        assert not slope(layout.prior_mean)[part].any()
        assert slope(layout.start)[part].all()


@pytest.mark.parametrize("most", [256, 4])
@pytest.mark.parametrize("n_groups", [1, 3])
def test_slopes_along_theta_are_finite_differences(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, n_groups: int, most: int
) -> None:
    monkeypatch.setattr(anova, "_MOST_VALUES", most)
    sizes, is_ordered = (4, 5, 3, 6, 3), (False, True, False, True, True)
    layout = Layout(sizes, is_ordered, 2, n_groups, has_clusters=True, n_means=1)
    codes = rng.integers(0, sizes, size=(9, 5))
    arm, group = codes[:, 0] * 5 + codes[:, 1], codes[:, 2] % n_groups
    theta, weight = rng.normal(size=layout.size), rng.normal(size=(9, 9))
    with precision():
        parts = (codes, arm, group, 1.0 + arm / 10.0, codes[:, 3])
        cells = CellArrays(*(put(part) for part in parts))
        tables = tables_of(theta, layout)
        slope = pull_back(theta, tables, cells, put(weight), layout)
        for i, step in enumerate(1e-5 * np.eye(layout.size)):
            above, below = (kernel(theta + s * step, cells, cells, layout) for s in (1.0, -1.0))
            found = (weight * np.asarray(above - below)).sum() / 2e-5
            assert slope[i] == pytest.approx(found, rel=1e-6, abs=1e-7)
    part = slice(layout.slices["e"].start, layout.slices["e"].stop)
    assert (slope[part] != 0.0).tolist() == list(is_ordered)


def test_spaces_of_about_one_size_share_their_programs() -> None:
    layouts = (Layout((3, 4), (False, True), 2), Layout((2, 2, 5), (True, False, False), 3))
    shapes = [jax.tree.map(np.shape, tables_of(layout.prior_mean, layout)) for layout in layouts]
    assert shapes[0] == shapes[1]
