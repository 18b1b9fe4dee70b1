"""The layout of the ANOVA kernel's parameters, and their hyper-priors."""

import numpy as np
import pytest

from accuracy_assay.numerics.gp import anova
from accuracy_assay.numerics.gp.anova import Layout


def test_every_parameter_has_one_hyper_prior() -> None:
    layout = Layout((3, 3, 4), (False, True, False), 2, 4)
    assert set(layout.slices) == set(anova._PRIOR)
    covered = np.concatenate([np.arange(part.start, part.stop) for part in layout.slices.values()])
    np.testing.assert_array_equal(covered, np.arange(layout.size))
    # Signals may be noise: their terms start smaller, and are less held there.
    weight = layout.slices["w"]
    assert layout.prior_mean[weight].tolist() == [-0.8, -0.8, -3.0]
    assert layout.prior_sd[weight].tolist() == [1.0, 1.0, 2.0]


def test_variances_share_a_scale_that_is_left_to_the_labels() -> None:
    layout = Layout((3, 3), (False, False), 2)
    variances = np.concatenate([np.arange(layout.size)[layout.slices[n]] for n in "osv"])
    weights = np.arange(layout.size)[layout.slices["w"]]
    covariance = layout.prior_covariance
    together, own = layout.directions
    apart = np.zeros(layout.size)
    apart[variances[2:]] = (1.0, -1.0)
    np.testing.assert_array_equal(np.flatnonzero(together), np.sort(variances))
    np.testing.assert_array_equal(np.flatnonzero(own), variances[:1])
    # A common factor of e costs little; that one of two terms alone grows costs what it did.
    assert together @ layout.prior_precision @ together < 1.0 / anova._COIN_SCALE.sd**2
    assert apart @ layout.prior_precision @ apart == pytest.approx(2.0 / 0.8**2)
    assert not covariance[np.ix_(variances, weights)].any()


def test_shares_are_expected_to_differ_less_than_coins() -> None:
    coins, shares = Layout((3, 3), (False, False), 2), Layout((3, 3), (False, False), 2, 1, False)
    away = shares.prior_mean - coins.prior_mean
    np.testing.assert_array_equal(away < 0.0, coins.directions[0] == 1.0)
    assert shares.prior_logit_sd < coins.prior_logit_sd
    smaller = coins.prior_mean - 3.5 * coins.directions[0]
    assert shares.log_prior(smaller) > coins.log_prior(smaller)


def test_a_second_search_begins_where_ordered_signals_tell_much() -> None:
    plain, signals = Layout((3, 3), (False, True), 2), Layout((3, 3, 9), (False, True, True), 2)
    assert len(plain.starts) == 1
    first, second = signals.starts
    np.testing.assert_array_equal(first, signals.start)
    assert np.flatnonzero(first != second).tolist() == [signals.slices["v"].stop - 1]
    assert second.max() == anova._STRONG_SIGNAL


def test_where_attributes_are_guessed_an_arm_s_own_variance_is_held_closer_to_its_prior() -> None:
    known, guessed = (Layout((2, 3), (False, False), 2, is_guessed=is_) for is_ in (False, True))
    own = known.slices["o"]
    assert guessed.prior_mean[own] == known.prior_mean[own]
    far = known.prior_mean + 2.0 * known.directions[1]
    assert guessed.log_prior(far) < known.log_prior(far)


def test_the_search_starts_at_the_prior_s_mean_with_attributes_that_act_alike() -> None:
    plain = Layout((3, 3), (False, False), 2)
    np.testing.assert_array_equal(plain.start, plain.prior_mean)
    layout = Layout((3, 3, 2), (False, False, False), 2, 2)
    assert layout.start[layout.slices["b"]].tolist() == [1.0, 1.0]
