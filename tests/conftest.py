"""Fixtures that every test may use."""

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    """The one source of randomness of the tests."""
    return np.random.default_rng(20211206)
