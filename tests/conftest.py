"""Fixtures and settings that every test shares."""

import numpy as np
import pytest
from hypothesis import settings

# The same examples in every run, and no clock: a busy machine must not fail a law.
settings.register_profile("project", derandomize=True, deadline=None, database=None)
settings.load_profile("project")


@pytest.fixture
def rng() -> np.random.Generator:
    """The one source of randomness of the tests."""
    return np.random.default_rng(20211206)
