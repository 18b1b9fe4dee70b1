"""Speed of ``beta-gp-slp`` on 4,096 arms, 500 of them observed, beside the same steps run eagerly.

A fit of 1 step is timed twice: the first pays for compilation (the cache on disk is off), the
second does not. A fit of 1,001 steps less one of 1 step is 1,000 steps. A round is a whole fit
from the previous surface, its 50 steps and the new surface of all arms. The eager side takes the
gradient of the same objective operation by operation, with the same Adam. Seconds are of the
clock; seconds of the processor stand beside them, because other work on the machine stretches the
first.
"""

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import replace

os.environ["ASSAY_COMPILATION_CACHE"] = "off"

import jax
import jax.numpy as jnp
import numpy as np
import optax

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.estimators.paper.beta_gp_slp import BetaGPSLP
from accuracy_assay.numerics.paper.svgp import Params, StepRows, negative_elbo
from accuracy_assay.runtime.precision import precision


def observe(n_attributes: int, n_observed: int, n_labels: int, seed: int) -> Observations:
    rng = np.random.default_rng(seed)
    space = AttributeSpace(tuple(Attribute(f"a{k}", (0, 1)) for k in range(n_attributes)))
    support = Support.count(space, None, np.arange(space.n_arms), np.full(space.n_arms, 25.0))
    chosen = rng.choice(space.n_arms, n_observed, replace=False)
    arms = np.concatenate([chosen, rng.choice(chosen, n_labels - n_observed)])
    scores = (rng.random(n_labels) < 0.8).astype(float)
    return Observations.from_instances(support, Affiliation.exact(arms), scores)


class Timed:
    """What a call took by the clock and by the processor."""

    def __init__(self, call: Callable[[], object]) -> None:
        clock, processor = time.perf_counter(), time.process_time()
        self.result = call()
        self.clock = time.perf_counter() - clock
        self.processor = time.process_time() - processor


def eager_step_seconds(surface: AccuracySurface, seen: Observations, n_steps: int) -> Timed:
    """Time ``n_steps`` of the same objective, operation by operation."""
    memory = surface.memory
    counts = seen.per_arm()
    codes = seen.space.codes(counts.arms)
    rest = np.random.default_rng(0).choice(seen.space.n_arms, memory.model.rest_per_step)
    X = np.concatenate([codes, seen.space.codes(rest)])
    X = np.stack([1.0 - X, X], axis=-1).reshape(X.shape[0], -1)
    n = np.concatenate([counts.n + 0.1, np.full(rest.size, 0.1)])
    c = np.concatenate([counts.correct + 0.08, np.full(rest.size, 0.08)])
    w = np.concatenate([np.ones(counts.n.size), np.full(rest.size, 28.0)])
    scale_w = np.where(np.arange(n.size) < counts.n.size, 1.0, 0.0)
    optimiser = optax.adam(memory.model.learning_rate)

    def run() -> Params:
        with precision("float64"):
            rows = StepRows(*(jnp.asarray(a) for a in (X, n, n, c, w, scale_w)))
            params, state = memory.params, optimiser.init(memory.params)
            total, jitter = jnp.asarray(counts.n.sum()), jnp.asarray(1e-6)
            slope_of = jax.grad(lambda p: negative_elbo(memory.model, p, rows, total, jitter))
            for _ in range(n_steps):
                update, state = optimiser.update(slope_of(params), state, params)
                params = optax.apply_updates(params, update)
            jax.block_until_ready(params)
        return params

    run()
    return Timed(run)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attributes", type=int, default=12, help="binary attributes")
    parser.add_argument("--observed", type=int, default=500)
    parser.add_argument("--labels", type=int, default=2_000)
    parser.add_argument("--eager-steps", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    seen = observe(options.attributes, options.observed, options.labels, options.seed)
    short = BetaGPSLP(first_steps=1)
    long = replace(short, first_steps=1_001)

    def fit(estimator: BetaGPSLP, previous: AccuracySurface | None = None) -> Timed:
        return Timed(lambda: estimator.fit(seen, np.random.default_rng(0), previous))

    cold = fit(short)
    base = min((fit(short) for _ in range(options.repeats)), key=lambda t: t.clock)
    run = min((fit(long) for _ in range(options.repeats)), key=lambda t: t.clock)
    surface = run.result
    assert isinstance(surface, AccuracySurface)
    warm = min((fit(long, surface) for _ in range(options.repeats)), key=lambda t: t.clock)
    eager = eager_step_seconds(surface, seen, options.eager_steps)

    def show(what: str, clock: float, processor: float, bar: str = "") -> None:
        print(f"{what}: {clock:.2f} s by the clock, {processor:.2f} s of the processor{bar}")

    print(f"{seen.space.n_arms:,} arms, {options.observed} observed, {options.labels:,} labels")
    show("compile", cold.clock - base.clock, cold.processor - base.processor, " (at most 8)")
    steps = run.clock - base.clock, run.processor - base.processor
    show("1,000 steps", *steps, " (at most 4)")
    show("round of 50 steps with its surface", warm.clock, warm.processor)
    round_steps = warm.clock - base.clock, warm.processor - base.processor
    show("round, the steps alone", *round_steps, " (at most 0.3)")
    each = eager.clock / options.eager_steps
    print(f"eager: {1e3 * each:.0f} ms per step, compiled {steps[0]:.2f} ms per step")
    print(f"ratio compiled to eager {steps[0] / (1_000 * each):.3f}")


if __name__ == "__main__":
    main()
