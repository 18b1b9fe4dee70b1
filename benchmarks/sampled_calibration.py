"""What ``full-2021`` learns where arms are too many to list: log-loss and temperatures.

Made worlds of 17 binary attributes, 131,072 arms: a hidden class of four sets how frequent each
value is, and the predictor of each attribute has a temperature of its own between 0.6 and 2.5.
Log-loss is that of new rows, beside ``temperature`` in the same run; the last column is the mean
factor by which temperatures are off.
"""

import argparse
import time
import warnings

import numpy as np

from accuracy_assay.calibration.full_2021 import Full2021
from accuracy_assay.calibration.report import CalibrationWarning
from accuracy_assay.calibration.temperature import Temperature
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import Attribute, AttributeSpace

N_ATTRIBUTES, STRENGTH = 17, 1.2
SPACE = AttributeSpace(tuple(Attribute(f"a{k}", ("no", "yes")) for k in range(N_ATTRIBUTES)))


class World:
    """How frequent values are in each hidden class, and the true temperatures."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.rate = rng.beta(0.6, 0.6, (4, N_ATTRIBUTES)).clip(0.03, 0.97)
        self.temperatures = np.exp(rng.uniform(np.log(0.6), np.log(2.5), N_ATTRIBUTES))

    def draw(self, n: int, rng):  # type: ignore[no-untyped-def]
        """Return evidence of n instances and their gold codes."""
        hidden = rng.integers(0, 4, n)
        gold = (rng.random((n, N_ATTRIBUTES)) < self.rate[hidden]).astype(int)
        columns = []
        for k, temperature in enumerate(self.temperatures):
            signal = STRENGTH * (STRENGTH * np.eye(2)[gold[:, k]] + rng.normal(size=(n, 2)))
            away = signal - signal.max(axis=1, keepdims=True)
            score = np.exp(temperature * away).clip(1e-5)
            columns.append(score / score.sum(axis=1, keepdims=True))
        return Evidence(SPACE, tuple(columns)), gold


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, nargs="+", default=[0, 1, 2, 3])
    parser.add_argument("--gold", type=int, default=500)
    args = parser.parse_args()
    warnings.simplefilter("ignore", CalibrationWarning)
    for number in args.worlds:
        world, rng = World(number), np.random.default_rng([number, 1])
        (seed, gold), (pool, _), (new, new_gold) = (
            world.draw(n, rng) for n in (args.gold, 5_000, 3_000)
        )
        for name, calibrator in (("temperature", Temperature()), ("full-2021", Full2021((16,)))):
            started = time.process_time()
            fitted = calibrator.fit(seed, gold, pool, np.random.default_rng([number, 2]))
            loss = -fitted.log_probability(new, new_gold)
            off = np.exp(np.abs(np.log(fitted.temperatures / world.temperatures)).mean())
            print(
                f"world {number}, {name}: {loss.mean():.3f}, temperatures off by {off:.2f}, "
                f"{time.process_time() - started:.0f} s of processor time",
                flush=True,
            )


if __name__ == "__main__":
    main()
