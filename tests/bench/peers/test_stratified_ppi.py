"""Prediction-powered inference by strata of the prediction."""

import numpy as np
import pytest
from judged_rows import JudgedRows

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.runtime.arrays import FloatArray
from assay_bench.peers.ppi import PPI
from assay_bench.peers.signal_prediction import (
    LabelledCells,
    PoolCells,
    SignalPrediction,
)
from assay_bench.peers.stratified_ppi import StratifiedPPI

SPACE = AttributeSpace((Attribute("a", (0, 1, 2)),))
STRATA = AttributeSpace((Attribute("sure", ("no", "yes")),))


def predicted(seen: Observations, arm: int) -> FloatArray:
    pool = PoolCells.of(seen.support)
    return SignalPrediction.fit(LabelledCells.of(seen)).at(pool.x[pool.arm == arm])


def test_one_stratum_is_plain_prediction_powered_inference(rng: np.random.Generator) -> None:
    seen = JudgedRows.make().observations
    one, plain = StratifiedPPI(n_strata=1).fit(seen, rng), PPI().fit(seen, rng)
    np.testing.assert_allclose(one.mean, plain.mean)
    np.testing.assert_allclose(one.sd, plain.sd)


def test_strata_are_weighed_by_their_share_of_the_arm(rng: np.random.Generator) -> None:
    # All rows of a stratum are predicted alike, so that its mean is that of its labels.
    sizes = [30.0, 70.0, 80.0, 20.0, 50.0, 50.0]
    support = Support.count(SPACE, STRATA, np.arange(6), sizes)
    cells = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    scores = [0.0, 0.5, 1.0, 0.5, 0.5, 0.5, 1.0, 1.0, 0.0, 0.0]
    seen = Observations.from_instances(support, Affiliation.exact(cells), scores)
    surface, plain = StratifiedPPI().fit(seen, rng), PPI().fit(seen, rng)
    assert surface.mean[0] == pytest.approx(0.3 * 0.25 + 0.7 * 0.75)
    assert surface.mean[1] == pytest.approx(0.8 * 0.5 + 0.2 * 1.0)
    assert surface.details["tuning"] == [0.0, 0.0]
    # Arm 2 has no label among its sure rows: they are moved as ppi moves the whole arm.
    moved = plain.mean[2] - predicted(seen, 2).mean()
    assert surface.mean[2] == pytest.approx(0.5 * 0.0 + 0.5 * (predicted(seen, 2)[1] + moved))


def test_an_arm_without_a_label_is_that_of_ppi(rng: np.random.Generator) -> None:
    rows = JudgedRows.make()
    some = JudgedRows(rows.cell, rows.score, rows.labelled[rows.arm[rows.labelled] < 2])
    surface, plain = (kind.fit(some.observations, rng) for kind in (StratifiedPPI(), PPI()))
    assert surface.mean[2] == plain.mean[2]
    assert surface.sd[2] == plain.sd[2] == 0.5
