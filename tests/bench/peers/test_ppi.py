"""Prediction-powered inference by arm: what signals move, and what is said without them."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from assay_bench.peers.ppi import PPI

SPACE = AttributeSpace((Attribute("a", (0, 1, 2)),))
STRATA = AttributeSpace((Attribute("sure", ("no", "yes")),))


def test_without_signals_an_arm_is_the_mean_of_its_labels(rng: np.random.Generator) -> None:
    support = Support.count(SPACE, None, np.arange(3), [100.0, 100.0, 100.0])
    rows = Affiliation.exact([0, 0, 0, 0, 1])
    seen = Observations.from_instances(support, rows, [1, 1, 1, 0, 0.5])
    surface = PPI().fit(seen, rng)
    # Arm 2 has the prediction alone, which one label at a half draws: (3.5 + 0.5) / 6.
    np.testing.assert_allclose(surface.mean, [0.75, 0.5, 4.0 / 6.0])
    assert surface.details["tuning"] == 0.0
    assert surface.sd[2] == 0.5


def test_labels_that_are_not_like_the_pool_are_corrected(rng: np.random.Generator) -> None:
    # Sure answers are right in 9 of 10 cases, unsure ones in 4 of 10; labels are half and half,
    # in the pool nine tenths of arm 0 are sure and one tenth of arm 2.
    sizes = [1e4, 9e4, 5e4, 5e4, 9e4, 1e4]
    support = Support.count(SPACE, STRATA, np.arange(6), sizes)
    cells = np.repeat(np.arange(6), 100)
    scores = np.concatenate([np.arange(100) < right for right in [40, 90] * 3]).astype(float)
    seen = Observations.from_instances(support, Affiliation.exact(cells), scores)
    surface = PPI().fit(seen, rng)
    np.testing.assert_allclose(surface.mean, [0.85, 0.65, 0.45], atol=0.01)
    # lambda is below 1 only for the labels left out and for the strata being drawn.
    assert surface.details["tuning"] > 0.95
    # 200 labels whose variance within strata is that of 0.4 and 0.9.
    expected = np.sqrt((0.4 * 0.6 + 0.9 * 0.1) / 2 / 200)
    np.testing.assert_allclose(surface.sd, expected, rtol=0.02)
    assert surface.upper[1] - surface.mean[1] == pytest.approx(1.645 * expected, rel=0.02)
