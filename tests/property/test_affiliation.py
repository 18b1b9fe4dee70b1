"""Laws of calibrated affiliation: rows sum to one and the dropped mass stays under its bound."""

from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.potential import Potential
from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.numerics.joint.block_prior import Block

Case = tuple[FittedCalibration, Evidence, np.ndarray, np.ndarray]


@st.composite
def cases(draw: Callable) -> Case:
    """A calibration, evidence, known codes, and the true P(a|x) by brute force."""
    sizes = tuple(draw(st.lists(st.integers(2, 4), min_size=1, max_size=4)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    space = AttributeSpace(tuple(Attribute(f"a{k}", range(v)) for k, v in enumerate(sizes)))
    n, flatness = draw(st.integers(1, 6)), draw(st.sampled_from([0.05, 0.3, 1.0, 10.0]))
    columns = []
    for size in sizes:
        guess = 0.99 * rng.dirichlet(np.full(size, flatness), n) + 0.01 / size
        columns.append(guess if rng.random() < 0.7 else rng.integers(-1, size, n))
    evidence = Evidence(space, tuple(columns))
    known = np.where(
        rng.random((n, len(sizes))) < 0.2, rng.integers(0, sizes, (n, len(sizes))), -1
    )
    sharpness = rng.uniform(0.3, 3.0, len(sizes))
    table = rng.normal(0, 2, sizes) if draw(st.booleans()) else None
    potential = None if table is None else Potential((Block(tuple(range(len(sizes))), table),))
    report = CalibrationReport("full", 0, 0)
    fitted = FittedCalibration(space, "full", sharpness, potential, report)
    codes = space.codes(np.arange(space.n_arms))
    true = np.ones((n, space.n_arms)) if table is None else np.tile(np.exp(table).ravel(), (n, 1))
    for k, size in enumerate(sizes):
        column = evidence.columns[k]
        if column.ndim == 2:
            factor = column ** sharpness[k]
        else:
            factor = np.where(column[:, None] < 0, 1.0, column[:, None] == np.arange(size))
        is_known = known[:, [k]] >= 0
        factor = np.where(is_known, known[:, [k]] == np.arange(size), factor)
        true = true * factor[:, codes[:, k]]
    return fitted, evidence, known, true / true.sum(axis=1, keepdims=True)


@given(cases(), st.sampled_from([0.0, 0.001, 0.01, 0.2]), st.integers(1, 7))
@settings(max_examples=150)
def test_rows_sum_to_one_and_lose_no_more_than_the_bound(case, max_dropped, chunk_rows) -> None:
    fitted, evidence, known, true = case
    rows = fitted.affiliation(evidence, known, max_dropped=max_dropped, chunk_rows=chunk_rows)
    assert rows.n_rows == evidence.n_rows
    np.testing.assert_allclose(np.add.reduceat(rows.weights, rows.indptr[:-1]), 1.0, atol=1e-9)
    kept = true[rows.row_index, rows.indices]
    held = np.bincount(rows.row_index, kept)
    assert held.min() >= 1.0 - max_dropped - 1e-9
    assert 1.0 - held.min() <= rows.dropped + 1e-9
    np.testing.assert_allclose(rows.weights, kept / held[rows.row_index], rtol=1e-6)


@given(cases(), st.sampled_from([0.01, 0.2]))
@settings(max_examples=60)
def test_what_is_dropped_is_never_more_probable_than_what_is_kept(case, max_dropped) -> None:
    fitted, evidence, known, true = case
    rows = fitted.affiliation(evidence, known, max_dropped=max_dropped)
    is_kept = np.zeros(true.shape, bool)
    is_kept[rows.row_index, rows.indices] = True
    least_kept = np.where(is_kept, true, np.inf).min(axis=1)
    most_dropped = np.where(is_kept, 0.0, true).max(axis=1)
    assert np.all(most_dropped <= least_kept * (1.0 + 1e-6))
