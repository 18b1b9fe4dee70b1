"""The version of this package, below every module that names it."""

__all__ = ["__version__"]

__version__ = "0.1.0"
