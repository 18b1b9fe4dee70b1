"""What one label of each kind of instance teaches."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.exploration.expected_gains import ExpectedGains, RowAverage
from accuracy_assay.runtime.arrays import FloatArray, IntArray

N_ARMS = 40
SPACE = AttributeSpace((Attribute("a", tuple(range(N_ARMS))),))


def posterior(rng: np.random.Generator, *, is_pool: bool = True) -> CellPosterior:
    """Return a posterior whose later arms are less known."""
    root = 0.1 * rng.normal(size=(N_ARMS, N_ARMS)) / np.sqrt(N_ARMS)
    sd = np.linspace(0.05, 1.0, N_ARMS)
    Sigma = sd[:, None] * (root @ root.T + 0.01 * np.eye(N_ARMS)) * sd[None, :]
    rate = rng.uniform(0.3, 0.7, N_ARMS)
    size = rng.integers(20, 200, N_ARMS).astype(float)
    support = Support(SPACE, None, np.arange(N_ARMS), size, is_pool)

    def covariance(rows: IntArray, columns: IntArray) -> FloatArray:
        return np.asarray(Sigma[np.ix_(rows, columns)])

    coin = rate * (1.0 - rate)
    return CellPosterior(
        support, rate, np.diag(Sigma).copy(), coin, np.full(N_ARMS, 3.0), covariance
    )


def guesses(rng: np.random.Generator) -> Affiliation:
    """Return one row per arm: mostly that arm, else its neighbour."""
    sure = rng.uniform(0.6, 0.95, N_ARMS)
    columns = np.stack([np.arange(N_ARMS), (np.arange(N_ARMS) + 1) % N_ARMS], axis=1)
    weights = np.stack([sure, 1.0 - sure], axis=1)
    return Affiliation(np.arange(0, 2 * N_ARMS + 1, 2), columns.reshape(-1), weights.reshape(-1))


def view(p: CellPosterior, rows: Affiliation) -> ExpectedGains:
    return ExpectedGains(p, np.full(N_ARMS, 1.0 / N_ARMS), rows)


@pytest.mark.parametrize("is_pool", [True, False])
@pytest.mark.parametrize("is_exact", [True, False])
def test_what_promises_most_is_what_gains_most(
    rng: np.random.Generator, is_exact: bool, is_pool: bool
) -> None:
    rows = Affiliation.exact(np.arange(N_ARMS)) if is_exact else guesses(rng)
    seen = view(posterior(rng, is_pool=is_pool), rows)
    promise, gain = seen.promise(), seen.gains().gains()
    assert spearmanr(promise, gain).statistic > 0.9
    best = np.argsort(-promise)[: N_ARMS // 4]
    assert int(np.argmax(gain)) in best


def test_some_kinds_gain_what_they_gain_among_all(rng: np.random.Generator) -> None:
    p = posterior(rng)
    for rows in (Affiliation.exact(np.arange(N_ARMS)), guesses(rng)):
        seen = view(p, rows)
        some = np.array([3, 17, 39])
        np.testing.assert_allclose(
            seen.take(some).gains().gains(), seen.gains().gains()[some], rtol=1e-9
        )


def test_only_a_row_of_a_finite_pool_whose_arm_is_known_settles_part_of_a_target(
    rng: np.random.Generator,
) -> None:
    certain = Affiliation.exact(np.arange(N_ARMS))
    pool = view(posterior(rng), certain).gains()
    np.testing.assert_array_equal(pool.target, np.arange(N_ARMS))
    assert (pool.h > 0.0).all()
    for other in (
        view(posterior(rng, is_pool=False), certain).gains(),
        view(posterior(rng), guesses(rng)).gains(),
    ):
        assert (other.target == -1).all()


def test_a_label_of_a_mixture_varies_as_a_coin_of_the_mean_rate(rng: np.random.Generator) -> None:
    p, rows = posterior(rng), guesses(rng)
    dense = np.zeros((N_ARMS, N_ARMS))
    dense[rows.row_index, rows.indices] = rows.weights
    q = dense @ p.rate
    np.testing.assert_allclose(view(p, rows).gains().D, q * (1.0 - q), rtol=1e-9)


def test_covariances_of_guessed_kinds_are_those_of_their_mixtures(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accuracy_assay.exploration.expected_gains._LIKELY_KINDS", 4)
    p, rows = posterior(rng), guesses(rng)
    dense = np.zeros((N_ARMS, N_ARMS))
    dense[rows.row_index, rows.indices] = rows.weights
    every = np.arange(N_ARMS)
    expected = dense @ p.covariance(every, every) @ dense.T
    S = view(p, rows).gains().S
    for kind in range(N_ARMS):
        np.testing.assert_allclose(S[kind], expected[kind], rtol=1e-9, atol=1e-15)


def of_the_pool(p: CellPosterior, rows: Affiliation) -> ExpectedGains:
    weight = p.support.arm_size / p.support.arm_size.sum()
    average = RowAverage.of_arms(p, weight)
    return ExpectedGains(p, np.full(N_ARMS, 1.0 / N_ARMS), rows, average=average)


def variance_of_the_pool(p: CellPosterior, labelled: FloatArray, Sigma: FloatArray) -> float:
    """The variance of the pool's mean: of the rates of rows without a label, and their coins."""
    free, n = p.support.size - labelled, p.support.size.sum()
    coin = p.label_variance - p.variance
    return float(free @ Sigma @ free + free @ coin) / n**2


def test_the_variance_of_an_average_is_that_of_its_rows(rng: np.random.Generator) -> None:
    p, every = posterior(rng), np.arange(N_ARMS)
    seen = of_the_pool(p, Affiliation.exact(every))
    expected = variance_of_the_pool(p, p.labelled, p.covariance(every, every))
    assert seen.average_variance() == pytest.approx(expected)
    # Where only some kinds are weighed, they stand for all.
    some = of_the_pool(p, Affiliation.exact(every[::2])).average_variance()
    assert some == pytest.approx(expected, rel=0.5)


def test_a_label_cuts_the_variance_of_an_average_by_what_it_teaches_and_settles(
    rng: np.random.Generator,
) -> None:
    p, every = posterior(rng), np.arange(N_ARMS)
    Sigma = p.covariance(every, every)
    found = of_the_pool(p, Affiliation.exact(every)).average_gains().gains()
    now = variance_of_the_pool(p, p.labelled, Sigma)
    for kind in (0, 17, 39):
        row = Sigma[kind]
        after = Sigma - np.outer(row, row) / p.label_variance[kind]
        labelled = p.labelled + (every == kind)
        assert found[kind] == pytest.approx(now - variance_of_the_pool(p, labelled, after))


def test_the_arms_gain_the_same_whether_or_not_an_average_counts(
    rng: np.random.Generator,
) -> None:
    p = posterior(rng)
    for rows in (Affiliation.exact(np.arange(N_ARMS)), guesses(rng)):
        np.testing.assert_allclose(
            of_the_pool(p, rows).gains().gains(), view(p, rows).gains().gains(), rtol=1e-9
        )
