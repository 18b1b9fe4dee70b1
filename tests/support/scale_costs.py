"""Made costs of points of a curve, for tests that need curves and no clock."""

from assay_bench.scale import Curve
from assay_bench.scale_point import Cost
from assay_bench.scale_worlds import GROWTHS

__all__ = ["made_cost", "made_curves"]


def made_cost(size: int) -> Cost:
    """Return a cost that grows with the size: a hundredth of a second per unit."""
    seconds = 0.01 * size
    return Cost(seconds, 1.5 * seconds, 2.0 + seconds, 300.0 + 0.1 * size, 300.0)


def made_curves() -> list[Curve]:
    """Return a curve for every way to grow, at its full sizes."""
    return [
        Curve(growth, growth.sizes, tuple(made_cost(size) for size in growth.sizes))
        for growth in GROWTHS
    ]
