"""Every strategy of the registry keeps the laws of `accuracy_assay.testing`, for every goal.

A new strategy is picked up by its line in the registry.
"""

from typing import Any

from accuracy_assay.registry import STRATEGIES, build_estimator, build_strategy
from accuracy_assay.testing import StrategyLaws

MADE_FOR = {"variance-reduction": "anova-gp"}
"""The estimator whose surfaces a strategy expects, where it is not just any."""


GOALS: dict[str, dict[str, Any]] = {
    "overall": {},
    "worst": {},
    "mix": {"mix": {arm: 1.0 + arm for arm in range(12)}},
    "now": {"staleness": {arm: 1.0 + arm for arm in range(12)}},
    "threshold": {"bar": 0.8},
}
"""Goals of one service, with their settings; to compare takes two."""


def laws_of(name: str, **settings: Any) -> type[StrategyLaws]:
    body = {
        "make": lambda self: build_strategy(name, **settings),
        "made_for": lambda self: build_estimator(MADE_FOR.get(name, "beta-independent")),
    }
    return type(f"Test_{name}", (StrategyLaws,), body)


globals().update({f"Test_{name}": laws_of(name) for name in STRATEGIES})
globals().update(
    {
        f"Test_variance_reduction_{goal}": laws_of("variance-reduction", goal=goal, **settings)
        for goal, settings in GOALS.items()
    }
)
