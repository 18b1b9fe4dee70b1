"""Slices ask for an effect by what the labels say beyond the rest of the model."""

from dataclasses import replace
from itertools import product

import jax.numpy as jnp
import numpy as np
import pytest
from latent_gp import some_kernel

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.anova import slice_search
from accuracy_assay.estimators.anova.label_rows import LabelRows, label_rows
from accuracy_assay.estimators.anova.slice_search import likely_effects, searched_slices
from accuracy_assay.numerics.gp.anova import CellArrays, Layout
from accuracy_assay.numerics.gp.laplace import Mode
from accuracy_assay.numerics.gp.marginal_likelihood import FittedGP
from accuracy_assay.numerics.gp.slice_effects import SliceEffect, with_effects
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.precision import precision

SPACE = AttributeSpace((Attribute("a", ("p", "q", "r")), Attribute("b", ("x", "y", "z"))))
SUPPORT = Support(SPACE, None, np.arange(9), np.full(9, 100.0))
CODES = np.array(list(product(range(3), range(3))))
LAYOUT = Layout((3, 3), (False, False), 2)


def rows(labels: FloatArray) -> LabelRows:
    arms = np.flatnonzero(labels)
    n = labels[arms]
    return label_rows(Observations.exact(SUPPORT, arms, n, 0.5 * n, 0.5 * n), use_mixture=True)


def as_if_normal(K: FloatArray, z: FloatArray, effects: tuple[SliceEffect, ...] = ()) -> FittedGP:
    """Return the fit of normal observations z of nine cells with variance one half."""
    with precision():
        plain = CellArrays(*(jnp.asarray(x) for x in (CODES, np.arange(9), 0 * z, 1 + 0 * z)))
        cells = with_effects(plain, effects)
        Z = np.zeros((9, 1)) if cells.slices is None else np.asarray(cells.slices)
        inverse = np.linalg.inv(K + Z @ Z.T + 0.5 * np.eye(9))
        H = np.linalg.cholesky(inverse).T
        g = inverse @ z
        mode = Mode(jnp.asarray(z), jnp.asarray(g), jnp.asarray(H), jnp.asarray(0.0))
        return FittedGP(LAYOUT.start, 0.0, cells, mode, jnp.asarray(g), LAYOUT, effects=effects)


def test_slices_with_few_labels_are_not_searched() -> None:
    cubes = searched_slices(SUPPORT, rows(np.array([9.0, 1, 1, 1, 1, 1, 0, 0, 0])))
    assert cubes is not None
    named = [cubes.where(i) for i in range(len(cubes))]
    assert named == [{"a": "p"}, {"b": "x"}, {"a": "p", "b": "x"}]
    assert cubes.matrix.shape[1] == 6  # observed cells


def test_of_too_many_cells_slices_name_fewer_attributes_or_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    labelled = rows(np.full(9, 10.0))
    monkeypatch.setattr(slice_search, "_MOST_PRODUCTS", 2 * 9**2)
    cubes = searched_slices(SUPPORT, labelled)
    assert cubes is not None
    assert {len(named) for named in cubes.columns} == {1}
    monkeypatch.setattr(slice_search, "_MOST_PRODUCTS", 1)
    assert searched_slices(SUPPORT, labelled) is None


def test_what_is_likely_does_not_depend_on_the_effects_that_the_fit_has(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slice_search, "_LEAST_WEIGHT", 1e-6)
    cubes = searched_slices(SUPPORT, rows(np.full(9, 10.0)))
    assert cubes is not None
    K = 0.2 * some_kernel(rng, 9)
    z = rng.standard_normal(9) - 5.0 * (CODES[:, 0] == 1) * (CODES[:, 1] == 2)
    plain = likely_effects(cubes, as_if_normal(K, z))
    (with_it,) = plain[0].effects
    assert (with_it.columns, with_it.codes) == ((0, 1), (1, 2))
    other = replace(with_it, columns=(0,), codes=(2,))
    for effects in ((with_it,), (with_it, other)):
        again = likely_effects(cubes, as_if_normal(K, z, effects))
        assert [each.effects for each in again] == [each.effects for each in plain]
        weights = np.array([[e.log_weight for e in sets] for sets in (plain, again)])
        # They are relative to the effects of the fit that was searched.
        np.testing.assert_allclose(np.diff(weights[1]), np.diff(weights[0]), atol=1e-8)


def test_the_more_slices_the_more_evidence_each_must_bring() -> None:
    cubes = searched_slices(SUPPORT, rows(np.full(9, 10.0)))
    assert cubes is not None
    odds = slice_search._log_odds(cubes)
    assert odds.max() <= np.log(slice_search._MOST_PROBABLE / (1 - slice_search._MOST_PROBABLE))
    wide = AttributeSpace((Attribute("a", tuple(range(40))), Attribute("b", tuple(range(20)))))
    support = Support(wide, None, np.arange(800), np.full(800, 100.0))
    n = np.full(800, 10.0)
    many = label_rows(
        Observations.exact(support, np.arange(800), n, 0.5 * n, 0.5 * n), use_mixture=True
    )
    cubes = searched_slices(support, many)
    assert cubes is not None
    by_order = dict(zip(map(len, cubes.columns), slice_search._log_odds(cubes), strict=True))
    assert by_order[2] < by_order[1]
    assert by_order[2] == pytest.approx(np.log(5.0 / 795.0))
