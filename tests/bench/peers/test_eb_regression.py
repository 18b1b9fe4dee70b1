"""The blend of an arm's mean with a line: the crossed case in closed form, and free signals."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from assay_bench.peers.eb_regression import EBRegression

SPACE = AttributeSpace((Attribute("a", (0, 1)), Attribute("b", (0, 1))))
STRATA = AttributeSpace((Attribute("sure", ("no", "yes")),))


def observe(support: Support, cells: list[int], right: list[int], n: int) -> Observations:
    """Return ``n`` labels of each cell, ``right`` of them correct."""
    index = np.repeat(cells, n)
    scores = np.concatenate([np.arange(n) < r for r in right]).astype(float)
    return Observations.from_instances(support, Affiliation.exact(index), scores)


def test_what_the_line_misses_is_shrunk_by_the_closed_form(rng: np.random.Generator) -> None:
    # Crossed arms have no main effect: the line is flat at 0.6, the misses are +-0.3.
    support = Support.count(SPACE, None, np.arange(4))
    surface = EBRegression().fit(observe(support, [0, 1, 2, 3], [9, 3, 3, 9], 10), rng)
    noise = (2 * 0.9 + 2 * 2.1 + 25 / 42 * 17 / 42) / 37 / 10
    between = 0.3**2 - noise
    share = between / (between + noise)
    assert surface.details["between_arms_sd"] == pytest.approx(np.sqrt(between), abs=1e-3)
    np.testing.assert_allclose(
        surface.mean, 0.6 + share * 0.3 * np.array([1, -1, -1, 1]), atol=1e-3
    )


def test_an_unseen_arm_stands_on_the_line(rng: np.random.Generator) -> None:
    support = Support.count(SPACE, None, np.arange(4))
    surface = EBRegression().fit(observe(support, [0, 1, 2], [450, 350, 350], 500), rng)
    assert surface.mean[3] == pytest.approx(0.5, abs=0.02)
    assert surface.sd[3] > surface.sd[0]


def test_signals_move_an_arm_to_its_own_composition(rng: np.random.Generator) -> None:
    # Sure answers are right in 9 of 10 cases, unsure ones in 4 of 10, in every arm. Labels are
    # half and half; in the pool nine tenths of arm 0 are sure and one tenth of arm 3.
    sizes = [10.0, 90.0, 50.0, 50.0, 50.0, 50.0, 90.0, 10.0]
    support = Support.count(SPACE, STRATA, np.arange(8), sizes)
    surface = EBRegression().fit(observe(support, list(range(8)), [40, 90] * 4, 100), rng)
    np.testing.assert_allclose(surface.mean, [0.85, 0.65, 0.65, 0.45], atol=0.01)


def test_an_arm_outside_the_pool_has_the_composition_of_the_whole(
    rng: np.random.Generator,
) -> None:
    support = Support.count(SPACE, STRATA, np.arange(6), [20.0, 80.0] * 3)
    surface = EBRegression().fit(observe(support, list(range(6)), [40, 90] * 3, 100), rng)
    assert surface.mean[3] == pytest.approx(0.2 * 0.4 + 0.8 * 0.9, abs=0.01)


def test_clusters_change_nothing(rng: np.random.Generator) -> None:
    speaker = Attribute("speaker", ("ann", "bo"), kind="cluster")
    strata = AttributeSpace((*STRATA.attributes, speaker))
    support = Support.count(SPACE, STRATA, np.repeat(np.arange(8), 2))
    divided = Support.count(SPACE, strata, np.arange(16))
    right = rng.integers(11, size=16).tolist()
    cells = np.arange(16)
    without = EBRegression().fit(observe(support, (cells // 2).tolist(), right, 10), rng)
    surface = EBRegression().fit(observe(divided, cells.tolist(), right, 10), rng)
    np.testing.assert_allclose(surface.mean, without.mean, rtol=1e-12)
    np.testing.assert_allclose(surface.sd, without.sd, rtol=1e-12)
