"""The expected cut of variance against hand-made matrices and against real refits."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.estimators.anova.anova_gp import AnovaGP
from accuracy_assay.exploration.variance_reduction import VarianceReduction
from accuracy_assay.numerics.gp.variance_gain import LabelGains
from accuracy_assay.protocols import Candidates


def test_one_label_of_a_beta_cuts_what_conjugacy_says() -> None:
    # rho ~ Beta(3, 2): variance 0.04; one label leaves 0.04 * 5 / 6 on average.
    gains = LabelGains(
        M=np.array([[0.04]]),
        S=np.array([[0.04]]),
        D=np.array([0.24]),
        target=np.array([-1]),
        h=np.zeros(1),
    )
    assert gains.gains()[0] == pytest.approx(0.04 / 6)


def test_gains_of_a_finite_pool_follow_from_the_covariance(rng: np.random.Generator) -> None:
    # Two arms of two cells each; u rows of each cell are not labelled, N rows in each arm.
    root = rng.normal(size=(4, 4)) * 0.1
    Sigma = root @ root.T
    u, N = np.array([3.0, 5.0, 2.0, 4.0]), np.array([10.0, 8.0])
    D = np.full(4, 0.2)
    lean = np.array([[u[0], u[1], 0, 0], [0, 0, u[2], u[3]]]) / N[:, None]
    target = np.array([0, 0, 1, 1])
    gains = LabelGains(M=lean @ Sigma, S=Sigma.copy(), D=D, target=target, h=1.0 / N[target])

    def variance(left: np.ndarray, S: np.ndarray) -> float:
        L = np.array([[left[0], left[1], 0, 0], [0, 0, left[2], left[3]]]) / N[:, None]
        noise = left * (D - np.diag(Sigma))
        coins = np.array([noise[:2].sum(), noise[2:].sum()]) / N**2
        return float(np.trace(L @ S @ L.T) + coins.sum())

    found = gains.gains()
    for c in range(4):
        after = Sigma - np.outer(Sigma[c], Sigma[c]) / D[c]
        hand = variance(u, Sigma) - variance(u - np.eye(4)[c], after)
        assert found[c] == pytest.approx(hand, rel=1e-9)
    # The second pick is judged as if the first label had been seen.
    gains.take(2)
    left, S = u - np.eye(4)[2], Sigma - np.outer(Sigma[2], Sigma[2]) / D[2]
    after = S - np.outer(S[0], S[0]) / D[0]
    hand = variance(left, S) - variance(left - np.eye(4)[0], after)
    # The coins' own variance D - S grows by what was learned of the cell.
    slack = (Sigma[0, 0] - S[0, 0]) / N[0] ** 2
    assert gains.gains()[0] == pytest.approx(hand + slack, rel=1e-9)


def a_pool(rng: np.random.Generator) -> tuple[Support, AttributeSpace]:
    space = AttributeSpace(
        (
            Attribute("a", values=("p", "q", "r")),
            Attribute("b", values=("x", "y", "z")),
        )
    )
    size = rng.integers(6, 60, 9)
    return Support.count(space, None, np.repeat(np.arange(9), size)), space


def total_variance(surface: AccuracySurface) -> float:
    return float((surface.sd**2).mean())


def test_gains_agree_with_refits(rng: np.random.Generator) -> None:
    support, _ = a_pool(rng)
    n = np.array([4.0, 0, 2, 6, 3, 0, 5, 1, 2])
    y = np.array([3.0, 0, 1, 6, 1, 0, 4, 1, 2])
    seen = np.flatnonzero(n)

    def fit(
        extra: int | None, is_right: bool, previous: AccuracySurface | None
    ) -> AccuracySurface:
        count, score = n.copy(), y.copy()
        if extra is not None:
            count[extra] += 1.0
            score[extra] += float(is_right)
        cells = np.flatnonzero(count)
        observed = Observations.exact(support, cells, count[cells], score[cells], score[cells])
        return AnovaGP(later_steps=0).fit(observed, np.random.default_rng(0), previous)

    now = fit(None, False, None)
    assert now.details["log_evidence"] < 0.0
    assert seen.size == 7
    expected, found = [], []
    rate = now.memory.posterior.rate  # type: ignore[attr-defined]
    for cell in range(9):
        right, wrong = (fit(cell, is_right, now) for is_right in (True, False))
        after = rate[cell] * total_variance(right) + (1 - rate[cell]) * total_variance(wrong)
        expected.append(total_variance(now) - after)
        candidate = Candidates(np.array([0]), Affiliation.exact([cell]))
        strategy = VarianceReduction(cover_labels=0, overall_share=0.0)
        choice = strategy.choose(now, candidate, 1, np.random.default_rng(0))
        percent = float(choice.reason[0].rsplit(" ", 1)[1].removesuffix("%"))
        found.append(percent / 100.0 * total_variance(now))
    # The gain takes the posterior mean to be linear in a label, which Laplace's nearly is.
    ratio = np.asarray(found) / np.asarray(expected)
    assert 0.85 < ratio.min() <= ratio.max() < 1.15
    assert spearmanr(found, expected).statistic > 0.95
