"""Terms of a random-effects model: what each arm has."""

import numpy as np

from accuracy_assay.numerics.effect_terms import LEVEL_VARIANCE, EffectTerms


def test_an_arm_has_the_level_and_one_term_of_each_attribute() -> None:
    codes = np.array([(0, 0), (0, 1), (2, 1)])
    terms = EffectTerms.of(codes)
    assert terms.phi.toarray().sum(axis=1).tolist() == [3.0, 3.0, 3.0]
    assert terms.n_kinds == 2
    assert np.bincount(terms.kind).tolist() == [1, 3, 2]


def test_pairs_of_three_attributes_share_one_variance() -> None:
    codes = np.array([(a, b, c) for a in range(2) for b in range(2) for c in range(2)])
    terms = EffectTerms.of(codes)
    variance = terms.variances(np.log([0.1, 0.2, 0.3, 0.4]))
    assert variance[0] == LEVEL_VARIANCE
    assert np.bincount(terms.kind).tolist() == [1, 2, 2, 2, 12]
    assert np.allclose(np.unique(variance[terms.kind == 4]), 0.4)
