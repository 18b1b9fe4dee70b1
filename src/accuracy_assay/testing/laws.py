"""What all classes of laws share: exceptions that are written down with their reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import pytest

__all__ = ["Laws"]


class Laws:
    """A class of laws; ``exceptions`` maps the name of a law to why it does not hold."""

    exceptions: ClassVar[Mapping[str, str]] = {}

    @pytest.fixture(autouse=True)
    def _skip_exceptions(self, request: pytest.FixtureRequest) -> None:
        """Skip a law that is an exception; refuse an exception to a law that there is not."""
        unknown = [law for law in self.exceptions if not hasattr(self, law)]
        if unknown:
            pytest.fail(f"exceptions must name laws of {type(self).__name__}; got {unknown}.")
        reason = self.exceptions.get(request.function.__name__)
        if reason is not None:
            pytest.skip(reason)
