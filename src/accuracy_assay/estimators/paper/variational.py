"""What the paper's estimators share: inputs, padding, training, and the surface at the end.

A fit goes: counts per arm (plus lambda) -> padded arrays -> Adam on the ELBO -> moments, quantiles
and joint draws of every listed arm. An estimator adds its model and what its latent values mean.

How lambda enters: every listed arm starts with lambda pseudo-labels of accuracy kappa (section
4.4, algorithm 1). Arms with labels have them in their counts. The other arms have nothing else; a
step sees all of them if they are few, else a new random draw, weighted up.

Which arms are observed: the likeliest arms of at least one label, as in the research code. With
exact attributes these are the arms with labels. With guessed ones nearly every arm has some share
of a label, and counts of thousandths say nothing about how an arm was sampled.

Symbols as in `numerics.paper`; A are the listed arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil
from typing import Any, ClassVar, Literal

import jax
import numpy as np
import numpy.typing as npt
from jax import Array

from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import ConvergenceError, InputError
from accuracy_assay.estimators.first_labels import FirstLabels
from accuracy_assay.numerics.adam import adam_start
from accuracy_assay.numerics.paper.arm_kernel import (
    HiddenLayers,
    random_network,
    random_projection,
)
from accuracy_assay.numerics.paper.scale import given_latents
from accuracy_assay.numerics.paper.svgp import (
    Counts,
    Link,
    Model,
    Params,
    draw_latent,
    initial_params,
    latent,
)
from accuracy_assay.numerics.paper.training import TrainedGP, train
from accuracy_assay.protocols import Layers
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.padding import pad_rows, padded_size
from accuracy_assay.runtime.precision import Width, precision
from accuracy_assay.runtime.programs import program

__all__ = ["Memory", "VariationalGP", "inputs"]


# Added to the diagonal of the inducing correlations, tried in this order. The first is a usual
# choice for each width, well above the rounding of a factorisation; the last moves correlations by
# a hundredth, and more would change the model.
_JITTERS: dict[Width, tuple[float, ...]] = {
    "float64": (1e-6, 1e-4, 1e-2),
    "float32": (1e-4, 1e-3, 1e-2),
}
# Arms whose posterior is read at a time. Bounds memory: 2 x 128 draws of 4,096 arms.
_ARMS_AT_ONCE = 4096
# Most arms without a label that a fit draws from; they differ only in their position, and a step
# uses 128 of them.
_REST_ROWS = 8192
# Mean square of an embedded distance over that of the inputs: two arms that differ in one value
# are sqrt(2) apart, twice the length that the kernel starts with.
_DISTANCE_RATIO = 1.0
# Labels that the paper adds before it takes `round_steps` more steps (appendix C).
_LABELS_PER_ROUND = 12


@dataclass(frozen=True, eq=False)
class Memory(FirstLabels):
    """What a fit leaves for the next round."""

    n_labels: float
    model: Model
    space: AttributeSpace
    params: Params
    state: Any
    jitter: float


@dataclass(frozen=True, kw_only=True)
class VariationalGP:
    """Settings that the paper's estimators share, and the fit.

    Defaults are the paper's text with two departures, for which ``docs/the-papers-system.md`` has
    the figures. Its learning rate of 0.001 leaves 1,000 steps far from convergence, so the rate is
    that of the research code. And where no network of a calibration starts the embedding, it is
    linear: hidden layers of random weights, the text's deep kernel, overfit exact attributes.
    ``aaa-2021`` keeps the text's rate and layers.

    Parameters
    ----------
    first_steps, round_steps
        Adam steps of a first fit, and for every 12 new labels of a fit that continues from a
        previous surface, at most those of a first fit.
    learning_rate
        Adam's step size.
    kappa_from
        Labels whose mean is kappa: those of the ``first`` fit, the seed set D of algorithm 1, or
        ``all``.
    values
        How attribute values enter a random embedding: ``one-hot`` (a scaled number if ordered),
        or as plain ``numbers``, as in the research code.
    latent_mean
        Mean of f and of g: ``zero``, as in the text, or ``learned`` constants with a standard
        normal prior, as in the research code.
    link
        Slope and shift: phi = sigmoid(slope f + shift). The text has (1, 0), the research code
        (6, -3).
    reading
        ``exact`` expectations of the latent values, or those of the ``code``, which takes their
        variance for a standard deviation.
    n_inducing
        Inducing points m; fewer if the space has fewer arms.
    embedding_size
        Outputs of the embedding's last, linear layer.
    embedding
        Whether f and g share that layer, as in the text, or each has its ``own``.
    hidden_widths
        Widths of the hidden layers before it.
    initial_network
        Hidden layers to start from, each (weights, bias), over the one-hot values of all
        attributes: those of the joint potential, if calibration made one (appendix C).
    use_ard
        One kernel length per embedding dimension instead of one for all.
    kl_weight
        Weight of the KL term; one is the ELBO of the text.
    arms_per_step
        Most observed arms in one step; more are sampled. Bounds the time of a step.
    width
        ``float64``, ``float32``, or None: the first on a CPU, the second on an accelerator.
    level
        Probability of the intervals.
    n_draws
        Joint posterior draws that the surface carries; 128 give standard deviations of averages
        to 6%.
    """

    first_steps: int = 1000
    round_steps: int = 50
    learning_rate: float = 1e-2
    kappa_from: Literal["all", "first"] = "first"
    values: Literal["one-hot", "numbers"] = "one-hot"
    latent_mean: Literal["learned", "zero"] = "zero"
    link: Link = (1.0, 0.0)
    reading: Literal["exact", "code"] = "exact"
    n_inducing: int = 50
    embedding_size: int = 20
    embedding: Literal["shared", "own"] = "shared"
    hidden_widths: tuple[int, ...] = ()
    initial_network: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]] | None = field(
        default=None, compare=False
    )
    use_ard: bool = False
    kl_weight: float = 1.0
    arms_per_step: int = 2048
    width: Width | None = None
    level: float = 0.9
    n_draws: int = 128

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for setting in ("first_steps", "round_steps", "n_inducing", "embedding_size"):
            value = getattr(self, setting)
            if value < 1:
                raise InputError(f"{setting} must be at least 1; got {value}.")
        if not self.learning_rate > 0.0:
            raise InputError(f"learning_rate must be positive; got {self.learning_rate}.")
        if not 0.0 < self.level < 1.0:
            raise InputError(f"level must lie between 0 and 1; got {self.level}.")

    def model(self) -> Model:
        """Return the model of this estimator."""
        raise NotImplementedError

    def moments(self, mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return E and V of rho from the moments of the latent values (L, A)."""
        raise NotImplementedError

    def quantiles(
        self, mean: FloatArray, variance: FloatArray, levels: tuple[float, ...]
    ) -> FloatArray:
        """Return quantiles of rho, shape (len(levels), A)."""
        raise NotImplementedError

    def rates(self, draws: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return draws of rho (S, A) from draws of the latent values (L, S, A)."""
        raise NotImplementedError

    def starting_from(self, layers: Layers) -> VariationalGP:
        """Return the estimator with an embedding that starts from ``layers`` (appendix C)."""
        return self if self.initial_network is not None else replace(self, initial_network=layers)

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        """Return the surface given ``observations``, continuing from ``previous`` if it is ours.

        Raises
        ------
        ConvergenceError
            If no jitter gives finite numbers.
        """
        width = self.width or ("float64" if jax.default_backend() == "cpu" else "float32")
        with precision(width):
            return self._fit(observations, rng, previous, width)

    def _fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None,
        width: Width,
    ) -> AccuracySurface:
        model = self._model_with_settings()
        X = self._inputs(observations.space, observations.support.listed_arms)
        memory = None if previous is None else previous.memory
        first = FirstLabels(observations.overall_accuracy, observations.n_labels)
        if self.kappa_from == "first" and isinstance(memory, FirstLabels):
            first = memory
        counts = _padded_counts(observations, X, first.kappa, rng)
        if isinstance(memory, Memory) and memory.model == model:
            if memory.space != observations.space:
                raise InputError("previous must be a surface over the same space; got another.")
            n_steps = self._steps_for(observations.n_labels - memory.n_labels)
            begin, state = memory.params, memory.state
        else:
            n_steps, begin = self.first_steps, self._initial(model, observations, X, rng)
            state = adam_start(begin)
        seed = int(rng.integers(2**31))
        run, jitter = _train_until_finite(
            model, begin, state, counts, n_steps, seed, _JITTERS[width], self.name
        )
        g = _given_g(model, observations)
        mean, variance, draws = self._posterior(model, run.params, X, jitter, rng, g)
        if self.reading == "code":
            variance = _as_the_code_reads(variance, self.link)
        expected, spread = self.moments(mean, variance)
        tail = (1.0 - self.level) / 2.0
        lower, upper = self.quantiles(mean, variance, (tail, 1.0 - tail))
        return AccuracySurface.build(
            observations,
            mean=expected,
            sd=np.sqrt(spread),
            lower=lower,
            upper=upper,
            level=self.level,
            draws=draws,
            details={
                "estimator": self.name,
                "steps": n_steps,
                "learning_rate": self.learning_rate,
                "elbo": -float(run.loss),
                "jitter": jitter,
                "length": np.logaddexp(0.0, run.params.raw_length).mean(1).tolist(),
            },
            memory=Memory(
                first.kappa,
                first.n_first,
                observations.n_labels,
                model,
                observations.space,
                run.params,
                run.state,
                jitter,
            ),
        )

    def _model_with_settings(self) -> Model:
        return self.model()._replace(
            learning_rate=self.learning_rate,
            kl_weight=self.kl_weight,
            observed_per_step=self.arms_per_step,
            link=self.link,
            learn_constant=self.latent_mean == "learned",
        )

    def _inputs(self, space: AttributeSpace, arms: IntArray) -> FloatArray:
        if self.initial_network is not None:
            return inputs(space, arms, is_one_hot=True)
        if self.values == "numbers":
            return space.codes(arms).astype(np.float64)
        return inputs(space, arms)

    def _steps_for(self, n_new: float) -> int:
        """Return the steps of a round: the paper's for each 12 new labels."""
        rounds = max(1, ceil(n_new / _LABELS_PER_ROUND))
        return max(self.round_steps, min(rounds * self.round_steps, self.first_steps))

    def _initial(
        self, model: Model, observations: Observations, X: FloatArray, rng: np.random.Generator
    ) -> Params:
        network = _given_network(self.initial_network, X.shape[1])
        if network is None:
            network = random_network(X.shape[1], self.hidden_widths, rng)
        n_features = network[-1][0].shape[1] if network else X.shape[1]
        projection = random_projection(
            n_features,
            self.embedding_size,
            _DISTANCE_RATIO,
            rng,
            model.n_latent if self.embedding == "own" else None,
        )
        rows = _inducing_rows(observations, X.shape[0], self.n_inducing, rng)
        return initial_params(model, put(X[rows]), network, projection, use_ard=self.use_ard)

    def _posterior(
        self,
        model: Model,
        params: Params,
        X: FloatArray,
        jitter: float,
        rng: np.random.Generator,
        g: FloatArray | None,
    ) -> tuple[FloatArray, FloatArray, npt.NDArray[np.float32] | None]:
        """Return moments of the latent values (L, A) and draws of rho (S, A); ``g`` if given."""
        L, m = params.mean.shape
        inducing = rng.standard_normal((L, self.n_draws, m))
        moments = np.empty((2, L, X.shape[0]))
        draws = np.empty((self.n_draws, X.shape[0]), dtype=np.float32)
        for part, rows in _chunks(X):
            independent = rng.standard_normal((L, self.n_draws, rows.shape[0]))
            found = _latent_with_draws(model.link, params, rows, jitter, inducing, independent)
            n_real = part.stop - part.start
            mean, variance, latents = (np.array(v, np.float64)[..., :n_real] for v in found)
            if g is not None:
                mean[1], variance[1], latents[1] = g[part], 0.0, g[part]
            moments[:, :, part] = mean, variance
            draws[:, part] = self.rates(latents, rng)
        return moments[0], moments[1], draws if self.n_draws else None


def inputs(space: AttributeSpace, arms: IntArray, *, is_one_hot: bool = False) -> FloatArray:
    """Return the inputs of the embedding (A, D).

    A categorical or boolean attribute is one-hot, an ordered one its position scaled to [-1, 1];
    with ``is_one_hot`` all are one-hot.
    """
    codes = space.codes(arms)
    blocks = []
    for k, attribute in enumerate(space.attributes):
        if attribute.is_ordered and not is_one_hot:
            blocks.append(2.0 * codes[:, k : k + 1] / (attribute.size - 1) - 1.0)
        else:
            blocks.append(np.eye(attribute.size)[codes[:, k]])
    return np.concatenate(blocks, axis=1)


@partial(program, static_argnames="link")
def _latent_with_draws(
    link: Link, params: Params, X: Array, jitter: Array, inducing: Array, independent: Array
) -> tuple[Array, Array, Array]:
    """Return ``latent`` and ``draw_latent`` as one program: they share a factorisation."""
    draws = draw_latent(link, params, X, jitter, inducing, independent)
    return *latent(link, params, X, jitter), draws


def _padded_counts(
    observations: Observations, X: FloatArray, kappa: float, rng: np.random.Generator
) -> Counts:
    """Return the counts with lambda added, observed arms first, then touched ones, padded."""
    listed = observations.support.listed_arms
    seen = observations.per_arm().on(listed)
    strength = observations.prior_strength
    prior_c = strength * kappa
    is_observed = _is_observed(observations)
    observed = np.flatnonzero(is_observed)
    touched = np.concatenate([observed, np.flatnonzero((seen.n > 0.0) & ~is_observed)])
    rest = np.flatnonzero(seen.n == 0.0) if strength > 0.0 else np.zeros(0, np.int64)
    shown = rest if rest.size <= _REST_ROWS else rng.choice(rest, _REST_ROWS, replace=False)
    size = padded_size(touched.size)
    # Padded for all listed arms, so the rest keeps its shape as more of them are observed.
    rest_size = padded_size(min(listed.size, _REST_ROWS))
    return Counts(
        X=put(pad_rows(X[touched], size)),
        n=put(pad_rows(seen.n[touched] + strength, size)),
        c=put(pad_rows(seen.correct[touched] + prior_c, size)),
        n_observed=put(observed.size),
        n_touched=put(touched.size),
        X_rest=put(pad_rows(X[shown], rest_size)),
        n_rest=put(shown.size),
        arms_rest=put(float(rest.size)),
        prior_n=put(strength),
        prior_c=put(prior_c),
    )


def _inducing_rows(
    observations: Observations, n_listed: int, m: int, rng: np.random.Generator
) -> IntArray:
    """Choose listed arms to start the inducing points at: observed ones first."""
    seen = _is_observed(observations)
    order = np.concatenate(
        [rng.permutation(np.flatnonzero(seen)), rng.permutation(np.flatnonzero(~seen))]
    )
    return order[: min(m, n_listed)]


def _is_observed(observations: Observations) -> BoolArray:
    """Return which listed arms are the likeliest arm of a label, (A,)."""
    likeliest = observations.affiliation.argmax()[observations.count > 0.0]
    arms = np.unique(likeliest // observations.support.n_strata)
    return np.isin(observations.support.listed_arms, arms)


def _given_g(model: Model, observations: Observations) -> FloatArray | None:
    """Return g of the listed arms (A,) if the model's scales are given."""
    if model.given_scale is None:
        return None
    seen = observations.per_arm().on(observations.support.listed_arms)
    n = seen.n + observations.prior_strength
    mean_n = n[_is_observed(observations)].mean()
    return np.asarray(given_latents(model.given_scale, put(n), put(mean_n)), np.float64)


def _as_the_code_reads(variance: FloatArray, link: Link) -> FloatArray:
    """Return the variances (L, A) of normals whose standard deviations are V[f] and V[g].

    The first row is for slope f + shift, so the variance of f is that over slope².
    """
    slope = np.ones((variance.shape[0], 1))
    slope[0] = link[0]
    return np.asarray((variance / slope) ** 2)


def _given_network(
    layers: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]] | None, n_inputs: int
) -> HiddenLayers | None:
    if layers is None:
        return None
    network = tuple((put(W, float), put(b, float)) for W, b in layers)
    if network and network[0][0].shape[0] != n_inputs:
        raise InputError(
            f"initial_network must take {n_inputs} inputs, one per attribute value; got "
            f"{network[0][0].shape[0]}."
        )
    return network


def _train_until_finite(
    model: Model,
    params: Params,
    state: Any,
    counts: Counts,
    n_steps: int,
    seed: int,
    jitters: tuple[float, ...],
    name: str,
) -> tuple[TrainedGP, float]:
    for jitter in jitters:
        run = train(model, params, state, counts, n_steps, seed, jitter)
        if bool(run.is_finite):
            return run, jitter
    raise ConvergenceError(
        f"the fit of {name!r} must stay finite; got a non-finite loss or gradient with jitters "
        f"{list(jitters)}. Lower learning_rate or n_inducing, or use width='float64'."
    )


def _chunks(X: FloatArray) -> list[tuple[slice, FloatArray]]:
    """Split ``X`` into parts of one padded shape, so that one compilation serves them all."""
    size = min(_ARMS_AT_ONCE, padded_size(X.shape[0]))
    parts = [slice(begin, min(begin + size, X.shape[0])) for begin in range(0, X.shape[0], size)]
    return [(part, pad_rows(X[part], size)) for part in parts]
