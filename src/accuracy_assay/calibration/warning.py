"""The warning of this package."""

__all__ = ["CalibrationWarning"]


class CalibrationWarning(UserWarning):
    """Something about predictors or seed set that makes P(a|x) less trustworthy."""
