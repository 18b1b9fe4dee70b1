"""Power-tuned means, against the same sums row by row."""

import numpy as np
import pytest
from judged_rows import JudgedRows

from accuracy_assay.runtime.arrays import FloatArray, IntArray
from assay_bench.peers.powered_means import PoweredMeans
from assay_bench.peers.signal_prediction import (
    LabelledCells,
    PoolCells,
    SignalPrediction,
)

WORTH = 1.0
"""Labels that draw a stratum in the prediction that the rows here choose."""


def powered(rows: JudgedRows, arms: IntArray, *, is_pool: bool = True) -> PoweredMeans:
    labels = LabelledCells.of(rows.observations)
    pool = PoolCells.of(rows.observations.support)
    return PoweredMeans.of(SignalPrediction.fit(labels), labels, pool, arms, is_pool=is_pool)


def left_out(rows: JudgedRows) -> FloatArray:
    """Return the prediction of each labelled row by the others."""
    x = rows.x[rows.labelled]
    return np.asarray(0.5 + np.einsum("ij,ij->i", x, rows.without_each(WORTH)))


def tuning(rows: JudgedRows) -> float:
    value = 0.5 + rows.x @ rows.coefficients(rows.labelled, WORTH)
    y, f, arm = rows.score[rows.labelled], left_out(rows), rows.arm[rows.labelled]
    above = sum(((y - y[arm == a].mean()) * f)[arm == a].sum() for a in range(3))
    below = sum(((arm == a).sum() - 1) * value[rows.arm == a].var() for a in range(3))
    return float(above / below)


def test_the_tuning_is_covariance_over_variance_within_arms() -> None:
    rows = JudgedRows.make()
    assert 0.0 < tuning(rows) < 1.0
    assert powered(rows, np.arange(3)).tuning == pytest.approx(tuning(rows))


def test_means_are_those_of_labels_corrected_by_unlabelled_rows() -> None:
    rows = JudgedRows.make()
    means, without = powered(rows, np.arange(3)), rows.without_each(WORTH)
    for arm in range(3):
        of_arm = rows.arm[rows.labelled] == arm
        n, size = of_arm.sum(), (rows.arm == arm).sum()
        unlabelled = np.setdiff1d(np.flatnonzero(rows.arm == arm), rows.labelled)
        others = (0.5 + rows.x[unlabelled] @ without[of_arm].T).mean()
        gain = (1.0 - n / size) * (others - left_out(rows)[of_arm].mean())
        mean = rows.score[rows.labelled][of_arm].mean() + tuning(rows) * gain
        assert (means.n[arm], means.size[arm]) == (n, size)
        assert means.mean[arm] == pytest.approx(mean)


def test_the_variance_is_that_of_misses_in_a_pool_of_so_many_rows() -> None:
    rows = JudgedRows.make()
    means, arm = powered(rows, np.arange(3)), rows.arm[rows.labelled]
    y, n = rows.score[rows.labelled], np.bincount(arm)

    def noise(miss: FloatArray) -> float:
        within = sum(((miss - miss[arm == a].mean())[arm == a] ** 2).sum() for a in range(3))
        rate = (y.sum() + 1.0) / (25 + 2.0)
        return float((within + rate * (1.0 - rate)) / (25 - 3 + 1.0))

    of_pool = (1.0 / n - 1.0 / np.bincount(rows.arm)) * noise(y - tuning(rows) * left_out(rows))
    np.testing.assert_allclose(means.variance, of_pool)
    beyond = powered(rows, np.arange(3), is_pool=False).variance
    np.testing.assert_allclose(beyond, of_pool + noise(y) / np.bincount(rows.arm))


def test_an_arm_whose_rows_are_all_labelled_is_known() -> None:
    rows = JudgedRows.make()
    every = JudgedRows(rows.cell, rows.score, np.flatnonzero(rows.arm < 2))
    means = powered(every, np.arange(3))
    truth = [rows.score[rows.arm == a].mean() for a in range(2)]
    np.testing.assert_allclose(means.mean[:2], truth)
    np.testing.assert_allclose(means.variance[:2], 0.0)


def test_an_arm_without_a_label_has_its_prediction_and_one_without_rows_that_of_the_pool() -> None:
    rows = JudgedRows.make()
    some = JudgedRows(rows.cell, rows.score, rows.labelled[rows.arm[rows.labelled] < 2])
    means = powered(some, np.arange(4))
    beta = SignalPrediction.fit(LabelledCells.of(some.observations)).beta
    value = 0.5 + rows.x @ beta
    assert means.mean[2] == pytest.approx(value[rows.arm == 2].mean())
    assert means.mean[3] == pytest.approx(value.mean())
    assert means.variance[2:].tolist() == [0.25, 0.25]


def test_the_covariance_is_what_the_labels_of_an_arm_leave_in_its_prediction() -> None:
    rows = JudgedRows.make()
    means = powered(rows, np.arange(3))
    labels = rows.labelled[rows.arm[rows.labelled] == 1]
    x, rest = rows.x, 1.0 - labels.size / (rows.arm == 1).sum()
    C = np.linalg.inv(
        x[rows.labelled].T @ x[rows.labelled] + np.diag([1.0, *[WORTH] * (x.shape[1] - 1)])
    )
    mix, own = x[rows.arm == 1].mean(axis=0), x[labels].mean(axis=0)
    noise = means.variance[1] * labels.size / rest
    assert means.covariance[1] == pytest.approx(rest * noise * mix @ C @ own)
    assert means.prediction_variance[1] == pytest.approx(noise * mix @ C @ mix)
