"""The methods that commands use when none is named."""

from accuracy_assay.registry import ESTIMATORS, STRATEGIES

__all__ = ["default_estimator", "default_strategy"]


def default_estimator() -> str:
    """Return the estimator to use."""
    return "anova-gp" if "anova-gp" in ESTIMATORS else "beta-independent"


def default_strategy() -> str:
    """Return the strategy to use."""
    return "variance-reduction" if "variance-reduction" in STRATEGIES else "largest-variance"
