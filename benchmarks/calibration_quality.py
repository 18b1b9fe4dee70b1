"""Log-loss of P(a|x) by calibration, on all rows outside the seed set, and the seconds of a fit.

Tasks with guessed attributes: ``digits`` (embedded) and, with a data folder, ``am1n``. For each
seed 500 gold rows are the seed set; the evidence of all rows is the pool. Shown are mean and
standard deviation over seeds of the joint log-loss, of that once the label has revealed what it
reveals, and of the excess over ``raw`` (the predictors' own probabilities), measured in one run.
"""

import argparse
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.registry import CALIBRATIONS, build_calibrator
from accuracy_assay.tasks.registry import load_task

SEED_ROWS = 500
"""As many gold rows as the paper has."""


def measure(evidence: Evidence, gold: np.ndarray, revealed: list[int], seed: int) -> np.ndarray:
    """Return (calibrations, 3): joint log-loss, the same given the label, seconds of the fit."""
    order = np.random.default_rng(seed).permutation(evidence.n_rows)
    known, rest = order[:SEED_ROWS], order[SEED_ROWS:]
    other = evidence.take(rest)
    columns = list(other.columns)
    for k in revealed:
        columns[k] = gold[rest, k]
    labelled = Evidence(evidence.space, tuple(columns))
    rows = []
    for name in CALIBRATIONS:
        started = time.perf_counter()
        fitted = build_calibrator(name).fit(
            evidence.take(known), gold[known], evidence, np.random.default_rng(seed)
        )
        took = time.perf_counter() - started
        says = replace(fitted, method="temperature") if name == "raw" else fitted
        losses = [-says.log_probability(e, gold[rest]).mean() for e in (other, labelled)]
        rows.append([*losses, took])
    return np.array(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the real tables")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in ("digits", *(("am1n",) if options.data else ())):
        task = load_task(name, options.data)
        space = task.space
        evidence = Evidence.from_frame(task.rows, space, task.evidence, from_label=task.from_label)
        revealed = [space.names.index(a) for a in task.from_label]
        gold = space.encode(task.rows)
        runs = np.stack([measure(evidence, gold, revealed, s) for s in range(options.seeds)])
        spread = runs.std(axis=0, ddof=1) if options.seeds > 1 else np.zeros(runs.shape[1:])
        for k, calibration in enumerate(CALIBRATIONS):
            mean, sd = runs[:, k].mean(axis=0), spread[k]
            gain = runs[:, 0, 0].mean() - mean[0]
            print(
                f"{name} {calibration:<12} joint log-loss {mean[0]:.3f} ± {sd[0]:.3f}, given the "
                f"label {mean[1]:.3f} ± {sd[1]:.3f}, gain over raw {gain:+.3f}, {mean[2]:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
