"""What an object lacks of a Protocol is said part by part."""

from typing import Any

import pytest

from accuracy_assay.protocols import Calibrator, Estimator, SharedStrategy, Strategy
from accuracy_assay.runtime.contracts import missing_part


class WithoutArguments:
    def fit(self) -> None: ...


class WithoutPrevious:
    def fit(self, observations: Any, rng: Any) -> None: ...


class OtherNames:
    def fit(self, seen: Any, random: Any, last: Any = None) -> None: ...


class ByNameOnly:
    def fit(self, seed: Any, gold: Any, pool: Any, rng: Any, *, on_steps: Any = None) -> None: ...


class TakesAll:
    is_random = True

    def fit(self, *arguments: Any, **options: Any) -> None: ...

    def choose(self, *arguments: Any) -> None: ...


class NoMethod:
    fit = 3


@pytest.mark.parametrize(
    ("thing", "protocol", "lacking"),
    [
        (object(), Estimator, "no method 'fit'"),
        (NoMethod(), Estimator, "a 'fit' that is no method"),
        (WithoutArguments(), Estimator, "cannot be called with the argument 'observations'"),
        (WithoutPrevious(), Estimator, "cannot be called with the argument 'previous'"),
        (object(), Strategy, "no property 'is_random'"),
        (TakesAll(), SharedStrategy, "no method 'choose_shared'"),
        (WithoutPrevious(), Calibrator, "cannot be called with the argument 'seed'"),
    ],
)
def test_the_first_missing_part_is_named(thing: object, protocol: type, lacking: str) -> None:
    assert lacking in str(missing_part(thing, protocol))


@pytest.mark.parametrize(
    ("thing", "protocol"),
    [
        (OtherNames(), Estimator),
        (TakesAll(), Estimator),
        (TakesAll(), Strategy),
        (ByNameOnly(), Calibrator),
    ],
)
def test_nothing_is_missing_where_a_call_would_succeed(thing: object, protocol: type) -> None:
    assert missing_part(thing, protocol) is None
