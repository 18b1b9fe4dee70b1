"""``anova-gp``: a Gaussian process over cells with an ANOVA kernel; the default estimator.

    eta = mu + GP(0, K),  rho = sigmoid(eta),  a label of row r is a coin with success probability
    q_r = sum_j P(j | r) rho_j

K is the kernel of ``numerics.gp.anova``, the posterior the Laplace approximation of
``numerics.gp.laplace`` with its mean corrected for skewness, theta the maximum of the approximate
marginal likelihood under weak hyper-priors. Slices that stand out have an effect of their own
(``estimators.anova.slice_search``). With free signals a cell is an arm and a signal
stratum, and the arm's accuracy is the average of its cells under the pool's composition. With
``target`` the pool, labelled rows count as they are and the interval includes the coin flips of
the others; else it is for the rate behind them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, get_args

import numpy as np

from accuracy_assay.domain.averages import Draws
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.estimators.anova.arm_averages import ArmAverages
from accuracy_assay.estimators.anova.arm_summary import summarise
from accuracy_assay.estimators.anova.fit import fit_model
from accuracy_assay.estimators.anova.model import AnovaModel

__all__ = ["AnovaGP"]

Likelihood = Literal["mixture", "fractional"]


@dataclass(frozen=True, slots=True)
class AnovaGP:
    """Estimate arms by a Gaussian process with an ANOVA kernel.

    Parameters
    ----------
    likelihood
        How rows with guessed attributes count: ``mixture`` (a label observes a mixture of cells)
        or ``fractional`` (the paper's counts: a label is split over its cells). With exact
        attributes both are the same.
    split_share
        With ``mixture``, how far the mean moves to that of split labels (fractional counts under
        the mixture's hyper-parameters). A mixture trusts the guesses' probabilities fully, which
        real ones do not deserve (``docs/decisions/0004``). 0 is the mixture alone, 1 split labels
        alone.
    first_steps, later_steps
        L-BFGS iterations of the first fit, and of one that continues from ``previous`` with a few
        more labels.
    growth
        Share by which the labels must grow before the hyper-parameters are learned again; until
        then only the posterior is.
    level
        Probability of the intervals.
    most_exact_cells
        Most observed cells of an exact posterior; with more, its covariance has low rank. By
        default as many as memory holds.
    rank
        That rank.
    use_coin_prior
        Whether fractional scores are means of right and wrong answers, such as those of several
        services to one row: arms then differ as they do for one service.
    """

    likelihood: Likelihood = "mixture"
    split_share: float = 1.0 / 3.0
    first_steps: int = 30
    later_steps: int = 6
    growth: float = 0.1
    level: float = 0.9
    most_exact_cells: int | None = None
    rank: int = 1024
    use_coin_prior: bool = False

    def __post_init__(self) -> None:
        if self.likelihood not in get_args(Likelihood):
            raise UnknownNameError("likelihood", self.likelihood, get_args(Likelihood))
        if not 0.0 <= self.split_share <= 1.0:
            raise InputError(f"split_share must lie in [0, 1]; got {self.split_share}.")
        if not 0.0 < self.level < 1.0:
            raise InputError(f"level must lie between 0 and 1; got {self.level}.")
        if self.rank < 1:
            raise InputError(f"rank must be at least 1; got {self.rank}.")

    def for_mean_scores(self) -> AnovaGP:
        """Return the estimator for scores that are means over several services."""
        return replace(self, use_coin_prior=True)

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        """Return the posterior surface given ``observations``."""
        memory = None if previous is None else previous.memory
        model = fit_model(
            observations,
            memory if isinstance(memory, AnovaModel) else None,
            likelihood=self.likelihood,
            split_share=self.split_share,
            first_steps=self.first_steps,
            later_steps=self.later_steps,
            growth=self.growth,
            most_exact_cells=self.most_exact_cells,
            rank=self.rank,
            use_coin_prior=self.use_coin_prior,
        )
        summary = summarise(model, self.level)

        @cache
        def draws() -> Draws:
            return summary.draw(model, rng.spawn(1)[0])

        return AccuracySurface.build(
            observations,
            mean=summary.mean,
            sd=summary.sd,
            lower=summary.lower,
            upper=summary.upper,
            level=self.level,
            draws=draws,
            details={"estimator": "anova-gp", **model.details, **summary.details},
            memory=model,
            joint=ArmAverages(model, summary, draws),
        )
