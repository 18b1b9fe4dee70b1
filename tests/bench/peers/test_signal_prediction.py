"""Predictions from strata: each label left out of its fit, against refitting without it."""

import numpy as np
import pytest
from judged_rows import SPACE, JudgedRows

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from assay_bench.peers.signal_prediction import (
    LabelledCells,
    LeftOut,
    PoolCells,
    SignalPrediction,
)

WORTHS = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


def errors(rows: JudgedRows, worth: float) -> float:
    x, y = rows.x[rows.labelled], rows.score[rows.labelled] - 0.5
    misses = y - np.einsum("ij,ij->i", x, rows.without_each(worth))
    return float((misses**2).sum())


def test_the_error_of_labels_left_out_is_that_of_fits_without_them() -> None:
    rows = JudgedRows.make()
    labels = LabelledCells.of(rows.observations)
    fit = SignalPrediction.fit(labels)
    least = min(WORTHS, key=lambda worth: errors(rows, worth))
    np.testing.assert_allclose(fit.beta, rows.coefficients(rows.labelled, least))
    assert LeftOut.of(fit, labels).squared_error == pytest.approx(errors(rows, least))


def test_one_signal_gives_the_means_of_its_strata() -> None:
    support = Support.count(SPACE, AttributeSpace((Attribute("sure", (0, 1)),)), np.arange(6))
    rows = Affiliation.exact(np.tile([0, 1, 2, 3, 4, 5], 200))
    seen = Observations.from_instances(support, rows, np.tile([0, 1, 0.5, 1, 0.1, 0.7], 200))
    fit = SignalPrediction.fit(LabelledCells.of(seen))
    pool = PoolCells.of(support)
    np.testing.assert_allclose(fit.at(pool.x), np.tile([0.2, 0.9], 3), atol=2e-3)


def test_without_signals_the_prediction_is_one_number() -> None:
    support = Support.count(SPACE, None, np.arange(3))
    seen = Observations.from_instances(support, Affiliation.exact([0, 1, 1]), [1.0, 1.0, 0.0])
    fit = SignalPrediction.fit(LabelledCells.of(seen))
    # One label at a half is added to three of mean 2/3.
    np.testing.assert_allclose(fit.at(PoolCells.of(support).x), np.full(3, 2.5 / 4.0))


def test_clusters_are_merged_and_fractions_of_labels_can_be_left_out() -> None:
    cluster = Attribute("speaker", ("ann", "bo"), kind="cluster")
    strata = AttributeSpace((Attribute("sure", (0, 1)), cluster))
    support = Support.count(SPACE, strata, np.arange(12))
    rows = Affiliation(np.array([0, 2]), np.array([0, 9]), np.array([0.75, 0.25]))
    labels = LabelledCells.of(Observations.from_instances(support, rows, [1.0]))
    assert (labels.arm.tolist(), labels.n.tolist()) == ([0, 2], [0.75, 0.25])
    assert labels.x.tolist() == [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]
    assert np.isfinite(LeftOut.of(SignalPrediction.fit(labels), labels).total).all()


def test_cells_can_be_taken() -> None:
    rows = JudgedRows.make()
    labels, pool = LabelledCells.of(rows.observations), PoolCells.of(rows.observations.support)
    assert labels.take(labels.arm == 1).n.sum() == (rows.arm[rows.labelled] == 1).sum()
    assert pool.take(pool.arm == 1).size.sum() == (rows.arm == 1).sum()
