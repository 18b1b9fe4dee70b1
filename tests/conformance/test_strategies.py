"""Every strategy of the registry keeps the laws of `accuracy_assay.testing`.

A new strategy is picked up by its line in the registry.
"""

from accuracy_assay.registry import STRATEGIES, build_estimator, build_strategy
from accuracy_assay.testing import StrategyLaws

MADE_FOR = {"variance-reduction": "anova-gp"}
"""The estimator whose surfaces a strategy expects, where it is not just any."""


def laws_of(name: str) -> type[StrategyLaws]:
    body = {
        "make": lambda self: build_strategy(name),
        "made_for": lambda self: build_estimator(MADE_FOR.get(name, "beta-independent")),
    }
    return type(f"Test_{name}", (StrategyLaws,), body)


globals().update({f"Test_{name}": laws_of(name) for name in STRATEGIES})
