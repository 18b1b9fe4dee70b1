"""The laws of every extension point, for packages that bring their own.

A class of laws is a pytest class without the word Test: derive from it, say how your object is
made, and pytest runs every law over it. It needs pytest, and nothing else of ours imports it::

    class TestMine(EstimatorLaws):
        def make(self):
            return Mine()

A law that your object cannot keep is written down with the reason, and is skipped::

        exceptions = {"test_more_labels_on_an_arm_narrow_it": "its spread is not a posterior"}
"""

from accuracy_assay.errors import MissingExtraError

try:
    import pytest
except ModuleNotFoundError:
    raise MissingExtraError("accuracy_assay.testing", "testing") from None

# Asserts of these modules then show their values, as those of a test do.
pytest.register_assert_rewrite(
    *(
        f"accuracy_assay.testing.{name}"
        for name in (
            *("laws", "estimators", "strategies", "calibrations", "services", "labelers"),
            *("measures", "readers", "stores"),
        )
    ),
)

from accuracy_assay.testing.calibrations import CalibratorLaws  # noqa: E402
from accuracy_assay.testing.estimators import EstimatorLaws, check_surface  # noqa: E402
from accuracy_assay.testing.labelers import LabelerLaws  # noqa: E402
from accuracy_assay.testing.measures import MeasureLaws  # noqa: E402
from accuracy_assay.testing.readers import ReaderLaws  # noqa: E402
from accuracy_assay.testing.services import ServiceLaws  # noqa: E402
from accuracy_assay.testing.stores import StoreLaws  # noqa: E402
from accuracy_assay.testing.strategies import StrategyLaws  # noqa: E402

__all__ = [
    "CalibratorLaws",
    "EstimatorLaws",
    "LabelerLaws",
    "MeasureLaws",
    "ReaderLaws",
    "ServiceLaws",
    "StoreLaws",
    "StrategyLaws",
    "check_surface",
]
