"""All tests of this room compute in float64, as a fit on a CPU does."""

from collections.abc import Iterator

import pytest

from accuracy_assay.runtime.precision import precision


@pytest.fixture(autouse=True)
def wide() -> Iterator[None]:
    with precision("float64"):
        yield
