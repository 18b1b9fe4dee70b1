"""Every measure of the registry keeps the laws of `accuracy_assay.testing`."""

from accuracy_assay.registry import MEASURES, build_measure
from accuracy_assay.testing import MeasureLaws


def laws_of(name: str) -> type[MeasureLaws]:
    return type(
        f"Test_{name}", (MeasureLaws,), {"make": lambda self: build_measure(f"{name}:yes")}
    )


globals().update({f"Test_{name}": laws_of(name) for name in MEASURES})
