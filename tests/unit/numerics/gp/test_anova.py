"""Sums over coordinates: by tables of values, and entry by entry where a coordinate has many."""

import jax
import numpy as np
import pytest

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
