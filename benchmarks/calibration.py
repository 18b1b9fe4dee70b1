"""Speed and memory of the calibration ``full`` and of affiliation, on worlds of binary attributes.

Training: 500 seed rows, 50,000 pool rows, 12 attributes (4,096 arms). Affiliation: 1,000,000 rows
of the same attributes, with ``temperature`` (a product, listed best first) and ``full`` (a joint
table). Each is shown as a ratio to one dense pass over a sample of the rows (all arms of every
row, scaled up to all rows), measured in the same run. Seconds are those on the clock and, since a
busy machine stretches them, those of the processor; peak memory is that of the whole process.
"""

import argparse
import resource
import time
import warnings

import numpy as np

from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.full import Full
from accuracy_assay.calibration.temperature import Temperature
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import Attribute, AttributeSpace

SAMPLE = 2_000
"""Rows of the dense pass: seconds with 4,096 arms, where all rows would take minutes."""

CHUNK = 500
"""Rows per step of that pass: 16 MB of weights, so that memory decides nothing."""

LARGEST_DENSE_ARMS = 2**14
"""With more arms even the sample would take minutes, so that no ratio is shown."""


def make_space(n_attributes: int) -> AttributeSpace:
    return AttributeSpace(tuple(Attribute(f"a{k}", (0, 1)) for k in range(n_attributes)))


def make_world(
    space: AttributeSpace, n_rows: int, rng: np.random.Generator
) -> tuple[Evidence, np.ndarray]:
    """Attributes from 12 hidden classes; predictors of mixed quality with wrong temperatures."""
    n_attributes, shape = len(space.shape), np.random.default_rng(7)
    rates = shape.beta(0.35, 0.6, (12, n_attributes))
    signal, distortion = (
        shape.uniform(1.2, 2.4, n_attributes),
        shape.uniform(0.6, 1.8, n_attributes),
    )
    codes = (rng.random((n_rows, n_attributes)) < rates[rng.integers(0, 12, n_rows)]).astype(int)
    x = signal * (2 * codes - 1) + rng.normal(size=codes.shape)
    p = 1.0 / (1.0 + np.exp(-2.0 * signal * x * distortion))
    columns = tuple(np.stack([1.0 - p[:, k], p[:, k]], axis=1) for k in range(n_attributes))
    return Evidence(space, columns), codes


def dense_seconds(evidence: Evidence, n_rows: int) -> float:
    """Time all arms of ``SAMPLE`` rows the plain way and scale up to ``n_rows``."""
    some = evidence.take(slice(0, SAMPLE))
    codes = some.space.codes(np.arange(some.space.n_arms))
    started = time.perf_counter()
    for start in range(0, SAMPLE, CHUNK):
        scores = sum(
            np.log(column[start : start + CHUNK])[:, codes[:, k]]
            for k, column in enumerate(some.columns)
        )
        weights = np.exp(scores)
        weights /= weights.sum(axis=1, keepdims=True)
        np.sort(weights, axis=1)
    return (time.perf_counter() - started) * n_rows / SAMPLE


def peak_gb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def affiliate(name: str, fitted: FittedCalibration, evidence: Evidence, dense: float) -> None:
    started, cpu = time.perf_counter(), time.process_time()
    rows = fitted.affiliation(evidence)
    took, cpu = time.perf_counter() - started, time.process_time() - cpu
    print(
        f"affiliation, {name}: {rows.n_rows:,} rows, {rows.indices.size / rows.n_rows:.1f} "
        f"arms per row, dropped at most {rows.dropped:.4f}: {took:.1f} s (at most 60), "
        f"{cpu:.1f} CPU s, ratio to a dense pass {took / dense:.2f}, "
        f"peak {peak_gb():.2f} GB (at most 2)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--attributes", type=int, default=12)
    parser.add_argument("--seed-rows", type=int, default=500)
    parser.add_argument("--pool-rows", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(options.seed)
    space = make_space(options.attributes)
    seed, gold = make_world(space, options.seed_rows, rng)
    pool, _ = make_world(space, options.pool_rows, rng)
    fits = {}
    for name, calibrator in (("temperature", Temperature()), ("full", Full())):
        started, cpu = time.perf_counter(), time.process_time()
        fits[name] = calibrator.fit(seed, gold, pool, np.random.default_rng(options.seed))
        took, cpu = time.perf_counter() - started, time.process_time() - cpu
        joint = fits[name].report.joint
        assert joint is not None
        print(
            f"train {name}: {took:.1f} s (at most 60), {cpu:.1f} CPU s, joint log-loss on "
            f"held-out rows {joint.log_loss_before:.3f} -> {joint.log_loss_after:.3f}, "
            f"peak {peak_gb():.2f} GB"
        )
    del pool
    many, _ = make_world(space, options.rows, rng)
    dense = (
        dense_seconds(many, options.rows) if space.n_arms <= LARGEST_DENSE_ARMS else float("nan")
    )
    for name, fitted in fits.items():
        affiliate(name, fitted, many, dense)


if __name__ == "__main__":
    main()
