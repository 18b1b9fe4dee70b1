"""The version that reports name is that of the package."""

import accuracy_assay
from accuracy_assay.runtime.version import own_version


def test_the_version_is_that_of_the_package() -> None:
    assert own_version() == accuracy_assay.__version__
