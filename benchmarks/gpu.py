"""Speed of both families of estimators on a GPU or on the processor, as figures in a file.

::

    python benchmarks/gpu.py --device gpu --out docs/assets/speed-gpu.json
    python benchmarks/gpu.py --device cpu --cells 4000 --arms 100000 --steps 100 \
        --peak 0 --out docs/assets/speed-cpu.json
    python benchmarks/gpu.py --page

The first two measure, each in one run; the third writes the tables of docs/speed.md from the two
files. The worlds are made up: attributes of 3, 4 or 10 values whose effects add up, every cell of
the pool ten rows. ``anova-gp`` is fitted in processes of its own, once with no compiled code on
disk and once more with what the first left there; then again in the same process, from nothing and
from the fit before. ``beta-gp-slp`` has one label of every arm.

The dense part of a fit is timed alone: the search for the mode (a Cholesky factor per Newton
curvature, then an inverse) and what it says of the pool (one product). Beside it stands one
Cholesky factor of the same size, and the share of the peak that ``--peak`` gives in TFLOP/s.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "speed.md"
FIGURES = {name: ROOT / "docs" / "assets" / f"speed-{name}.json" for name in ("gpu", "cpu")}
BEGIN, END = "<!-- figures of benchmarks/gpu.py -->", "<!-- end of the figures -->"
BATCH = 12
"""Labels per round, as in the paper."""
LABELS_PER_CELL = 3
ROWS_PER_ARM = 10.0
CELL_SIZES = (4, 4, 4, 4, 3, 3, 3, 3)
"""20,736 arms, of which the first so many in a random order are observed."""
STRIP_SHARE = 0.5625
"""Of the product with the pool's cells, what is left without the zeros (8 strips)."""


def world(sizes: tuple[int, ...], n_observed: int, labels_per_cell: int) -> Any:
    """Return labels of ``n_observed`` arms of a pool that has every arm."""
    from accuracy_assay.domain.affiliation import Affiliation
    from accuracy_assay.domain.cells import Support
    from accuracy_assay.domain.observations import Observations
    from accuracy_assay.domain.space import Attribute, AttributeSpace

    rng = np.random.default_rng(0)
    attributes = (Attribute(f"a{k}", tuple(range(size))) for k, size in enumerate(sizes))
    space = AttributeSpace(tuple(attributes))
    every = np.arange(space.n_arms)
    codes = space.codes(every)
    effects = [rng.normal(0.0, 0.6, size)[codes[:, k]] for k, size in enumerate(sizes)]
    eta = 1.0 + sum(effects) + rng.normal(0.0, 0.4, every.size)
    observed = rng.permutation(every)[:n_observed]
    more = rng.choice(observed, (labels_per_cell - 1) * n_observed)
    arms = np.concatenate([observed, more])
    scores = (rng.random(arms.size) < 1.0 / (1.0 + np.exp(-eta[arms]))).astype(float)
    support = Support.count(space, None, every, np.full(every.size, ROWS_PER_ARM))
    return Observations.from_instances(support, Affiliation.exact(arms), scores)


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long a call took, with what it returned."""
    began = time.perf_counter()
    found = call()
    return round(time.perf_counter() - began, 3), found


def fit_cells(n_cells: int, *, is_whole: bool, peak: float) -> dict[str, Any]:
    """Return the seconds of a first fit, and of what follows it where all is asked for."""
    import jax

    from accuracy_assay.estimators.anova.anova_gp import AnovaGP

    seen = world(CELL_SIZES, n_cells, LABELS_PER_CELL)
    estimator = AnovaGP(growth=0.0)
    jax.device_put(0.0).block_until_ready()  # the device is there
    first, surface = seconds(lambda: estimator.fit(seen, np.random.default_rng(0)))
    found: dict[str, Any] = {"first_s": first}
    if not is_whole:
        return found
    found["again_s"], _ = seconds(lambda: estimator.fit(seen, np.random.default_rng(0)))
    found["refit_s"], _ = seconds(lambda: estimator.fit(seen, np.random.default_rng(0), surface))
    found["overall_s"], _ = seconds(lambda: surface.overall)
    found |= picks(surface, seen)
    found["dense"] = dense_part(surface, peak) if peak else {}
    found["peak_gb"] = peak_gb()
    return found


def picks(surface: Any, seen: Any) -> dict[str, float]:
    """Return the seconds of a batch of variance reduction, the first time and again."""
    from accuracy_assay.domain.affiliation import Affiliation
    from accuracy_assay.exploration.variance_reduction import VarianceReduction
    from accuracy_assay.protocols import Candidates

    arms = np.repeat(np.arange(seen.space.n_arms), 5)
    candidates = Candidates(np.arange(arms.size), Affiliation.exact(arms))
    strategy = VarianceReduction(least_rows=0.0)

    def choose() -> object:
        return strategy.choose(surface, candidates, BATCH, np.random.default_rng(0))

    return {"picks_first_s": seconds(choose)[0], "picks_s": seconds(choose)[0]}


def dense_part(surface: Any, peak: float) -> dict[str, float]:
    """Return how fast the dense part of the fit is, and one Cholesky factor of its size."""
    import jax
    import jax.numpy as jnp

    from accuracy_assay.estimators.anova.node import Node
    from accuracy_assay.numerics.gp import laplace, marginal_likelihood, posterior
    from accuracy_assay.runtime.precision import precision
    from accuracy_assay.runtime.programs import program

    model = surface.memory
    node = model.nodes[0]
    if not isinstance(node, Node):
        return {}
    fitted = node.fitted
    with precision():
        labels = model.rows.as_labels()
        K = marginal_likelihood._kernel(fitted.tables, fitted.cells, fitted.cells)
        start = jnp.zeros(K.shape[0])
        n, n_targets = K.shape[0], node.pool.arm.shape[0]

        def done(call: Callable[[], Any]) -> Callable[[], Any]:
            return lambda: jax.block_until_ready(call())

        def best(call: Callable[[], Any]) -> float:
            return min(seconds(done(call))[0] for _ in range(4))

        factor = program(laplace._factorise)
        unit = best(lambda: factor(K, jnp.ones(n)))
        mode_s = best(lambda: marginal_likelihood._find_mode(K, laplace_mean(), labels, start))
        prior = posterior._prior(fitted, node.pool)

        def pool() -> Any:
            H, is_lower = fitted.mode.H, fitted.has_lower_root
            return posterior._condition(
                laplace_mean(), *prior, H, fitted.weights, is_lower=is_lower
            )

        pool_s = best(pool)
        n_factors = count_factors(K, labels, start)
    flops = n_factors * n**3 / 3.0 + n**3
    flops += 2.0 * n_targets * n**2 * (STRIP_SHARE if jax.default_backend() == "gpu" else 1.0)
    rates = {"cholesky": n**3 / 3.0 / unit / 1e12, "dense": flops / (mode_s + pool_s) / 1e12}
    return {
        "size": n,
        "factors": n_factors,
        "cholesky_s": unit,
        "mode_s": mode_s,
        "pool_s": pool_s,
        **{f"{name}_tflops": round(rate, 3) for name, rate in rates.items()},
        **{f"{name}_share": round(rate / peak, 3) for name, rate in rates.items()},
    }


def laplace_mean() -> float:
    from accuracy_assay.numerics.gp.anova import MEAN_LOGIT

    return MEAN_LOGIT


def count_factors(K: Any, labels: Any, start: Any) -> int:
    """Return how many Cholesky factors a search for the mode makes."""
    import jax

    from accuracy_assay.numerics.gp import laplace

    made: list[int] = []
    plain = laplace._factorise

    def counted(K: Any, G: Any) -> Any:
        jax.debug.callback(lambda: made.append(1))
        return plain(K, G)

    def search(K: Any) -> Any:  # a new function, so that JAX looks at it anew
        return laplace.find_mode(K, laplace_mean(), labels, start)

    with mock.patch.object(laplace, "_factorise", counted):
        jax.block_until_ready(jax.jit(search)(K))
    jax.effects_barrier()
    return len(made)


def fit_arms(n_arms: int, n_steps: int) -> dict[str, Any]:
    """Return the seconds of a fit of ``beta-gp-slp``, one label of every arm, and its steps'."""
    from accuracy_assay.estimators.paper import variational
    from accuracy_assay.estimators.paper.beta_gp_slp import BetaGPSLP

    seen = world((10,) * round(np.log10(n_arms)), n_arms, 1)
    steps: list[float] = []
    plain = variational.train

    def twice(*arguments: Any) -> Any:
        for _ in range(2):
            taken, run = seconds(lambda: _finished(plain(*arguments)))
            steps.append(taken)
        return run

    estimator = BetaGPSLP(first_steps=n_steps)
    with mock.patch.object(variational, "train", twice):
        whole, surface = seconds(lambda: estimator.fit(seen, np.random.default_rng(0)))
    return {
        "steps": n_steps,
        "first_s": round(whole - steps[1], 3),
        "first_steps_s": steps[0],
        "steps_s": steps[1],
        "is_finite": bool(np.isfinite(surface.mean).all() and np.isfinite(surface.sd).all()),
        "peak_gb": peak_gb(),
    }


def _finished(run: Any) -> Any:
    import jax

    return jax.block_until_ready(run)


def peak_gb() -> float:
    """Return the most memory that was in use: the GPU's, or the process's."""
    import jax

    stats = jax.devices()[0].memory_stats()
    if stats:
        return round(stats["peak_bytes_in_use"] / 1e9, 1)
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 1)


def in_its_own_process(cache: str, *task: object) -> dict[str, Any]:
    """Run one task of this file in a new process with a cache of compiled code."""
    command = [sys.executable, __file__, *map(str, task)]
    settings = {**os.environ, "ASSAY_COMPILATION_CACHE": cache}
    began = time.perf_counter()
    run = subprocess.run(command, env=settings, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    found["process_s"] = round(time.perf_counter() - began, 1)
    print(*task, found, file=sys.stderr, flush=True)
    return found


def measure(options: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {"device": describe_device(), "cells": {}, "arms": {}}
    for n_cells in options.cells:
        with tempfile.TemporaryDirectory() as cache:
            cold = in_its_own_process(cache, "--fit-cells", n_cells)
            warm = in_its_own_process(cache, "--fit-cells", n_cells)
            whole = in_its_own_process(
                cache, "--fit-cells", n_cells, "--whole", "--peak", options.peak
            )
        found["cells"][n_cells] = {"cold": cold, "warm": warm, "whole": whole}
    for n_arms in options.arms:
        with tempfile.TemporaryDirectory() as cache:
            task = ("--fit-arms", n_arms, "--steps", options.steps)
            found["arms"][n_arms] = in_its_own_process(cache, *task)
    return found


def describe_device() -> dict[str, Any]:
    """Return what a reader needs to judge the figures; asked of a process that ends."""
    code = "import jax, json; d = jax.devices()[0]; "
    code += "print(json.dumps([d.platform, d.device_kind, jax.__version__]))"
    run = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    platform, kind, version = json.loads(run.stdout)
    return {"platform": platform, "kind": kind, "cores": os.cpu_count(), "jax": version}


def page() -> str:
    """Return the tables of the page from the two files of figures."""
    gpu, cpu = (json.loads(FIGURES[name].read_text()) for name in ("gpu", "cpu"))
    lines = [
        f"Measured with JAX {gpu['device']['jax']} on one {gpu['device']['kind']}, and on the "
        f"{cpu['device']['cores']} cores of a processor"
        + (" of the same machine" if cpu["device"]["cores"] == gpu["device"]["cores"] else "")
        + f" with JAX {cpu['device']['jax']}; one run each.",
        "",
        "| `anova-gp`, seconds | GPU | processor |",
        "|---|---|---|",
    ]
    rows = (
        ("first fit, nothing compiled", "cold", "first_s"),
        ("first fit of a new process, compiled code on disk", "warm", "first_s"),
        ("the same fit again", "whole", "again_s"),
        ("refit from it", "whole", "refit_s"),
        ("`overall`, the first time", "whole", "overall_s"),
        ("12 picks of `variance-reduction`, the first time", "whole", "picks_first_s"),
        ("12 picks again", "whole", "picks_s"),
    )
    for size in gpu["cells"]:
        for words, run, key in rows:
            here = [_shown(d["cells"].get(size, {}).get(run, {}).get(key)) for d in (gpu, cpu)]
            lines.append(f"| {int(size):,} cells: {words} | {here[0]} | {here[1]} |")
    lines += ["", "| `beta-gp-slp`, one label of every arm, seconds | GPU | processor |"]
    lines.append("|---|---|---|")
    rows_of_arms = (
        ("1,000 steps", "steps_s", True),
        ("whole fit, nothing compiled", "first_s", False),
    )
    for n_arms in gpu["arms"]:
        for words, key, is_per_step in rows_of_arms:
            here = [_of_steps(d["arms"].get(n_arms), key, is_per_step) for d in (gpu, cpu)]
            lines.append(f"| {int(n_arms):,} arms: {words} | {here[0]} | {here[1]} |")
    lines += ["", *_dense_lines(gpu), ""]
    return "\n".join(lines)


def _shown(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _of_steps(run: dict[str, Any] | None, key: str, is_per_step: bool) -> str:
    if run is None or (run["steps"] != 1000 and not is_per_step):
        return ""
    scaled = _shown(run[key] * 1000 / run["steps"] if is_per_step else run[key])
    return scaled if run["steps"] == 1000 else f"{scaled} (from {run['steps']})"


def _dense_lines(gpu: dict[str, Any]) -> list[str]:
    lines = [
        "| dense part, float64 | seconds | TFLOP/s | share of the peak |",
        "|---|---|---|---|",
    ]
    for size, runs in gpu["cells"].items():
        d = runs["whole"].get("dense") or {}
        if not d:
            continue
        share = {name: f"{100 * d[f'{name}_share']:.0f}%" for name in ("cholesky", "dense")}
        lines += [
            f"| {int(size):,} cells: one Cholesky factor of {d['size']:,} rows | "
            f"{d['cholesky_s']:.3f} | {d['cholesky_tflops']:.1f} | {share['cholesky']} |",
            f"| the whole: {d['factors']} factors, the inverse, the pool's cells | "
            f"{d['mode_s'] + d['pool_s']:.2f} | {d['dense_tflops']:.1f} | {share['dense']} |",
        ]
    return lines


def write_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{page()}\n{END}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="auto", help="cpu, gpu or auto")
    parser.add_argument("--cells", type=int, nargs="*", default=[4_000, 20_000])
    parser.add_argument("--arms", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--steps", type=int, default=1_000, help="of beta-gp-slp")
    parser.add_argument(
        "--peak", type=float, default=67.0, help="float64 TFLOP/s of the device; 0: unknown"
    )
    parser.add_argument("--out", type=Path, help="file of the figures")
    parser.add_argument("--page", action="store_true", help="write the page's tables alone")
    parser.add_argument("--fit-cells", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--fit-arms", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--whole", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.page:
        write_page()
    elif options.fit_cells:
        print(json.dumps(fit_cells(options.fit_cells, is_whole=options.whole, peak=options.peak)))
    elif options.fit_arms:
        print(json.dumps(fit_arms(options.fit_arms, options.steps)))
    else:
        from accuracy_assay.runtime.device_choice import choose_device, share_gpu_memory

        share_gpu_memory()
        if options.device == "cpu":
            choose_device("cpu")
        found = json.dumps(measure(options), indent=1)
        print(found)
        if options.out is not None:
            options.out.write_text(found + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
