"""Temperatures and a joint potential: log P(a|x) = sum_k log M_k(a_k|x) / T_k + N(a) - log Z.

Section 3.5, appendix E and algorithm 2 of the paper: N is a dense network, trained on equal parts
of seed set and pool. On the pool, predicted attributes replace gold ones. N is dropped half of the
time, and a held-out part of the seed set decides early stopping and the width.

We depart from it in three ways: N starts at a joint prior (`calibration.joint_prior`) instead of
zero; the network is added only if it clearly helps on the held-out rows; and if predictors err
together, each attribute hears the scores of all of them (`numerics.joint.crosstalk`).
``Full(start="zero", network="always")`` is the appendix exactly; `calibration.full_2021` has these
settings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from accuracy_assay.calibration.factors import evidence_factors, predictor_sharpness
from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.joint_prior import JointPrior, PriorFit, fit_joint_prior
from accuracy_assay.calibration.network import NetworkTraining, at_most
from accuracy_assay.calibration.others import other_priors
from accuracy_assay.calibration.potential import MAX_EXACT_ARMS, Potential
from accuracy_assay.calibration.quality import reported
from accuracy_assay.calibration.raw import uncalibrated
from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.calibration.sampled import N_SAMPLES, sample_partition
from accuracy_assay.calibration.seed_set import HELD_OUT_SHARE, SeedSet
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.protocols import OnSteps
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Full"]

# Standard errors by which a network must lower the held-out loss: noise alone does so in one of
# forty cases.
_CLEAR_GAIN = 2.0


@dataclass(frozen=True, slots=True)
class Full:
    """Rescale each predictor and learn which attribute combinations are natural.

    Parameters
    ----------
    widths
        Widths of the network to try. The held-out part of the seed set chooses.
    start
        ``"prior"``: N starts at a joint prior of seed set and pool; ``"zero"``: at zero.
    network
        ``"clear"``: the network stays only if it lowers the held-out loss by two standard errors;
        else the start of N is fitted again to the whole seed set. ``"always"``: the best network
        stays.
    crosstalk
        ``"clear"``: the scores of all predictors speak for each attribute if that lowers the loss
        of unseen gold rows by a standard error (then there is no network); or ``"never"``.
        Needs ``start="prior"`` and at most 100,000 arms.
    held_out_share
        Share of the seed set held out for early stopping, the width and the report.
    batch_rows
        Rows of the seed set, and as many of the pool, in a batch.
    max_steps, learning_rate
        Limits of the training of the network (Adam).
    max_pool_rows
        Most pool rows used for training; drawn at random from a larger pool.
    """

    # A small and a medium network: the held-out rows choose, so more widths only cost time.
    widths: tuple[int, ...] = (16, 64)
    start: Literal["prior", "zero"] = "prior"
    network: Literal["clear", "always"] = "clear"
    crosstalk: Literal["clear", "never"] = "clear"
    held_out_share: float = HELD_OUT_SHARE
    # Chosen by hand: batches of a usual size, and enough steps that early stopping, not the limit,
    # ends the training; the learning rate is Adam's usual one.
    batch_rows: int = 256
    max_steps: int = 600
    learning_rate: float = 1e-3
    # The pool's prior of a thousand arms is still noisy at 50,000 rows and hardly improves above
    # 200,000 (docs/calibration.md, "Large pools"); each row takes a few hundred bytes.
    max_pool_rows: int = 200_000

    def fit(
        self,
        seed: Evidence,
        gold: IntArray,
        pool: Evidence,
        rng: np.random.Generator,
        on_steps: OnSteps | None = None,
    ) -> FittedCalibration:
        """Return the calibration."""
        if seed.n_rows == 0:
            return uncalibrated(pool.space, wanted="full")
        split = SeedSet.split(seed, gold, rng, self.held_out_share)
        some = at_most(pool if pool.n_rows else seed, self.max_pool_rows, rng)
        report_steps = on_steps or (lambda done, most, remark: None)
        report_steps(0, self._all_steps, "joint prior")
        prior = self._start(split.train, split.train_gold, some)
        first = _fitted(seed, prior)
        first_losses = _losses(first, split)
        best, best_loss, width, n_steps = first, float(first_losses.mean()), 0, 0
        # A network would learn from the predictors' own scores, without the crosstalk.
        is_tried = split.n_held_out and prior.crosstalk is None
        for w in self.widths if is_tried else ():
            fitted, steps = self._training(w, report_steps).train(first, split, some, rng)
            losses = _losses(fitted, split)
            is_best = losses.mean() < best_loss and _is_clear_gain(first_losses - losses)
            if self.network == "always":
                is_best = width == 0 or losses.mean() < best_loss
            if is_best:
                best, best_loss, width, n_steps = fitted, float(losses.mean()), w, steps
        details = {
            "start": self.start,
            "network": self.network,
            "blocks": [[seed.space.names[k] for k in block] for block in prior.tied],
            "coefficients": [list(pair) for pair in prior.coefficients],
            "crosstalk": prior.crosstalk is not None,
            "width": width,
            "steps": n_steps,
        }
        judged = reported(best, split, details | _sampling(best, split))
        report_steps(self._all_steps, self._all_steps, f"held-out log-loss {best_loss:.3f}")
        if self.start == "zero":
            return judged if width else _retold(seed, self._start(seed, gold, some), judged)
        # The report stays; the rows held out for it now serve the fit too.
        whole = PriorFit.prepare(seed, gold, some, has_crosstalk=self._has_crosstalk)
        others = other_priors(whole, seed.n_rows, rng.spawn(1)[0])
        final = judged if width else _retold(seed, whole.prior, judged)
        return replace(final, others=others)

    @property
    def _has_crosstalk(self) -> bool:
        return self.crosstalk == "clear"

    @property
    def _all_steps(self) -> int:
        return max(len(self.widths) * self.max_steps, 1)

    def _training(self, width: int, report_steps: OnSteps) -> NetworkTraining:
        before = self.widths.index(width) * self.max_steps

        def on_step(step: int, loss: float) -> None:
            remark = f"network of width {width}: held-out log-loss {loss:.3f}"
            report_steps(before + step, self._all_steps, remark)

        return NetworkTraining(width, self.batch_rows, self.max_steps, self.learning_rate, on_step)

    def _start(self, evidence: Evidence, gold: IntArray, pool: Evidence) -> JointPrior:
        if self.start == "prior":
            return fit_joint_prior(evidence, gold, pool, has_crosstalk=self._has_crosstalk)
        shape = evidence.space.shape
        blocks = tuple(Block((k,), np.zeros(size)) for k, size in enumerate(shape))
        if evidence.space.n_arms <= MAX_EXACT_ARMS:
            blocks = (Block(tuple(range(len(shape))), np.zeros(shape)),)
        return JointPrior(predictor_sharpness(evidence, gold), Potential(blocks), (), ())


def _fitted(seed: Evidence, prior: JointPrior) -> FittedCalibration:
    report = CalibrationReport("full", 0, 0)
    parts = (seed.space, "full", prior.sharpness, prior.potential, report)
    return FittedCalibration(*parts, crosstalk=prior.crosstalk)


def _retold(seed: Evidence, prior: JointPrior, judged: FittedCalibration) -> FittedCalibration:
    """Return the calibration of a prior with the report of another."""
    return replace(_fitted(seed, prior), report=judged.report)


def _losses(fitted: FittedCalibration, seed: SeedSet) -> FloatArray:
    return -fitted.log_probability(*seed.judged)


def _is_clear_gain(gains: FloatArray) -> bool:
    """Return whether the mean gain exceeds two standard errors."""
    return bool(gains.mean() > _CLEAR_GAIN * gains.std() / np.sqrt(gains.size))


def _sampling(fitted: FittedCalibration, seed: SeedSet) -> dict[str, Any]:
    """Return how good sampled partitions are, if they are sampled."""
    if fitted.potential is None or fitted.potential.network is None:
        return {}
    factors = evidence_factors(seed.judged[0], fitted.sharpness, crosstalk=fitted.crosstalk)
    sampled = sample_partition(fitted.potential, factors, fitted.space.shape)
    return {
        "samples": N_SAMPLES,
        "effective_samples_min": float(sampled.effective_samples.min()),
        "effective_samples_mean": float(sampled.effective_samples.mean()),
        "log_z_standard_error": float(sampled.standard_error.max()),
    }
