"""The version of this package, for modules that must not know the package as a whole."""

import sys

__all__ = ["own_version"]


def own_version() -> str:
    """Return ``accuracy_assay.__version__``; the package is loaded before any module of it."""
    return str(sys.modules["accuracy_assay"].__version__)
