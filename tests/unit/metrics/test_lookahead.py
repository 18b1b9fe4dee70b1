"""Looking ahead: the same sums as a fit that has the labels, for a posterior that is normal."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.metrics.aim import Aim
from accuracy_assay.metrics.lookahead import Lookahead

SPACE = AttributeSpace((Attribute("a", ("x", "y", "z")),))
SIZE = np.array([100.0, 60.0, 40.0])
RATE = np.array([0.9, 0.7, 0.5])
SIGMA = np.array([[0.010, 0.004, 0.0], [0.004, 0.020, 0.002], [0.0, 0.002, 0.030]])
Z = 1.6448536269514722


class Memory:
    """A posterior as an estimator leaves it."""

    def __init__(self, *, is_pool: bool) -> None:
        support = Support(SPACE, None, np.arange(3), SIZE.copy(), is_pool)
        coin = RATE * (1.0 - RATE) - np.diag(SIGMA)
        self.posterior = CellPosterior(
            support,
            RATE,
            np.diag(SIGMA),
            coin + np.diag(SIGMA),
            np.zeros(3),
            lambda rows, columns: SIGMA[np.ix_(rows, columns)],
        )


def look(aim: Aim, cells: list[int], *, is_pool: bool = False) -> Lookahead:
    sd = np.sqrt(np.diag(SIGMA))
    surface = AccuracySurface(
        SPACE,
        np.arange(3),
        n=np.zeros(3),
        correct=np.zeros(3),
        support=SIZE.copy(),
        mean=RATE,
        sd=sd,
        lower=np.maximum(RATE - Z * sd, 0.0),
        upper=np.minimum(RATE + Z * sd, 1.0),
        memory=Memory(is_pool=is_pool),
    )
    return Lookahead(surface, aim, Affiliation.exact(np.asarray(cells)))


def test_after_labels_it_is_the_closed_form_of_normal_observations() -> None:
    ahead = look(Aim(0.05), [0, 1, 1, 2])
    coin = RATE * (1.0 - RATE) - np.diag(SIGMA)
    precision = np.linalg.inv(SIGMA) + np.diag(np.array([1.0, 2.0, 1.0]) / coin)
    weight = SIZE / SIZE.sum()
    wanted = Z * np.sqrt(weight @ np.linalg.inv(precision) @ weight)
    assert ahead.half_width(4) == pytest.approx(wanted)
    assert ahead.half_width(0) == pytest.approx(Z * np.sqrt(weight @ SIGMA @ weight))


def test_a_pool_that_is_labelled_to_the_end_is_known() -> None:
    every = [0] * 100 + [1] * 60 + [2] * 40
    ahead = look(Aim(0.05), every, is_pool=True)
    assert ahead.half_width(200) == 0.0
    assert ahead.half_width(199) < 0.005
    assert ahead.half_width(0) > look(Aim(0.05), every).half_width(0)  # coins yet to fall


def test_more_labels_are_never_wider() -> None:
    cells = np.random.default_rng(0).integers(0, 3, 90).tolist()
    for of in ("overall", "every-arm"):
        ahead = look(Aim(0.05, of), cells, is_pool=True)
        widths = [ahead.half_width(n) for n in range(0, 91, 10)]
        assert widths == sorted(widths, reverse=True)


def test_one_slice_is_as_wide_as_its_only_arm() -> None:
    ahead = look(Aim(0.05, "slice", {"a": "z"}), [2])
    assert ahead.half_width(0) == pytest.approx(Z * np.sqrt(0.030))


def test_a_draw_in_which_another_arm_is_the_worst_is_measured_there() -> None:
    ahead = look(Aim(0.05, "worst"), [0] * 40 + [1] * 200)
    as_it_is = ahead.half_width(240, RATE)
    swapped = ahead.half_width(240, np.array([0.9, 0.3, 0.7]))
    assert swapped < as_it_is  # the middle arm has labels, the last has none


def test_surer_services_need_fewer_labels() -> None:
    ahead = look(Aim(0.05), [0, 1, 2] * 30)
    assert ahead.half_width(90, np.full(3, 0.98)) < ahead.half_width(90, np.full(3, 0.6))


def test_rows_of_guessed_arms_teach_less_than_known_ones() -> None:
    known = look(Aim(0.05), [1] * 30)
    blurred = Affiliation(np.arange(0, 61, 2), np.tile([1, 2], 30), np.tile([0.6, 0.4], 30))
    slice_y = Aim(0.05, "slice", {"a": "y"})
    sharp = Lookahead(known.surface, slice_y, known.rows).half_width(30)
    dull = Lookahead(known.surface, slice_y, blurred).half_width(30)
    assert sharp < dull < Lookahead(known.surface, slice_y, known.rows).half_width(0)
