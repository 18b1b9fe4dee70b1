"""Every calibration of the registry keeps the laws of `accuracy_assay.testing`.

A new calibration is picked up by its line in the registry.
"""

from accuracy_assay.registry import CALIBRATIONS, build_calibrator
from accuracy_assay.testing import CalibratorLaws

QUICK = {"full": {"widths": ()}}
"""Settings that keep a fit short: no network."""


def laws_of(name: str) -> type[CalibratorLaws]:
    body = {"make": lambda self: build_calibrator({"name": name, **QUICK.get(name, {})})}
    return type(f"Test_{name}", (CalibratorLaws,), body)


globals().update({f"Test_{name}": laws_of(name) for name in CALIBRATIONS})
