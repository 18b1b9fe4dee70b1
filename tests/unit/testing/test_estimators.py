"""Each law of an estimator is broken by an estimator that was made to break it, and only then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.estimators.beta_independent import BetaIndependent
from accuracy_assay.testing import EstimatorLaws

Change = Callable[[AccuracySurface, Observations, np.random.Generator, "Bent"], AccuracySurface]


@dataclass(frozen=True)
class Bent:
    """A good estimator whose surfaces are changed afterwards."""

    change: Change
    level: float = 0.9
    kept: list[Any] = field(default_factory=list, compare=False)

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        made = BetaIndependent(self.level).fit(observations, rng)
        return self.change(made, observations, rng, self)


def flat(s: AccuracySurface, *_: Any) -> AccuracySurface:
    middle = np.full_like(s.mean, s.overall.mean)
    return replace(s, mean=middle, lower=np.minimum(s.lower, middle), upper=np.ones_like(middle))


def nameless(s: AccuracySurface, *_: Any) -> AccuracySurface:
    return replace(s, details={})


def beside(s: AccuracySurface, *_: Any) -> AccuracySurface:
    return replace(s, lower=s.upper.copy())


def random(s: AccuracySurface, o: Any, rng: Any, *_: Any) -> AccuracySurface:
    return replace(s, mean=np.clip(s.mean + np.random.default_rng().normal(0, 1e-3), 0, 1))


def remembering(s: AccuracySurface, o: Any, rng: Any, own: Bent) -> AccuracySurface:
    own.kept.append(1)
    return replace(s, mean=s.mean / len(own.kept))


def widening(s: AccuracySurface, *_: Any) -> AccuracySurface:
    return replace(s, sd=s.n.copy())


def sure(s: AccuracySurface, *_: Any) -> AccuracySurface:
    return replace(s, lower=s.mean, upper=s.mean)


def by_place(s: AccuracySurface, *_: Any) -> AccuracySurface:
    return replace(s, sd=s.sd + np.arange(s.sd.size))


def of_one_level(s: AccuracySurface, *_: Any) -> AccuracySurface:
    return replace(s, level=0.9)


def unsaved(s: AccuracySurface, *_: Any) -> AccuracySurface:
    return replace(s, details={**s.details, "pair": (1, 2)})


def pessimistic(s: AccuracySurface, *_: Any) -> AccuracySurface:
    return replace(s, mean=0.2 * s.mean, lower=0.0 * s.mean, upper=0.5 + 0.0 * s.mean)


def shuffled_counts(s: AccuracySurface, *_: Any) -> AccuracySurface:
    return replace(s, n=s.n + 1.0)


@pytest.mark.parametrize(
    ("law", "change", "arguments"),
    [
        ("an_estimator_follows_the_protocol_and_names_itself", nameless, ()),
        ("the_surface_is_sound", beside, ()),
        ("the_surface_is_sound", shuffled_counts, ()),
        ("the_same_seed_gives_the_same_surface", random, ()),
        ("a_fit_changes_nothing_that_it_was_given", remembering, ()),
        ("arms_that_differ_are_told_apart", flat, ()),
        ("more_labels_on_an_arm_narrow_it", widening, ()),
        ("a_single_label_is_enough_for_a_surface", beside, (0.5,)),
        ("labels_that_all_agree_give_a_surface", pessimistic, (1.0,)),
        ("no_label_gives_a_surface_or_a_clear_error", sure, ()),
        ("guessed_attributes_give_a_surface", shuffled_counts, ()),
        ("signals_are_averaged_out", shuffled_counts, ()),
        ("a_huge_space_costs_no_more_than_its_pool", shuffled_counts, (True,)),
        ("relabelling_the_values_permutes_the_surface", by_place, ()),
        ("a_fit_may_start_from_the_surface_before", shuffled_counts, ()),
        ("a_wider_level_gives_wider_intervals", of_one_level, ()),
        ("the_surface_survives_its_file", unsaved, ("tmp_path",)),
    ],
)
def test_a_law_can_be_broken(
    law: str, change: Change, arguments: tuple[Any, ...], request
) -> None:
    class Broken(EstimatorLaws):
        def make(self) -> Bent:
            return Bent(change)

    class Kept(EstimatorLaws):
        def make(self) -> BetaIndependent:
            return BetaIndependent()

    values = [request.getfixturevalue(a) if isinstance(a, str) else a for a in arguments]
    getattr(Kept(), f"test_{law}")(*values)
    with pytest.raises((AssertionError, InputError)):  # a surface refuses much by itself
        getattr(Broken(), f"test_{law}")(*values)


def test_every_law_has_a_case_above() -> None:
    cases = test_a_law_can_be_broken.pytestmark[0].args[1]  # type: ignore[attr-defined]
    laws = {name.removeprefix("test_") for name in dir(EstimatorLaws) if name.startswith("test_")}
    assert laws == {law for law, *_ in cases}


def test_a_name_is_checked_where_one_is_given() -> None:
    class Named(EstimatorLaws):
        name = "mine"

        def make(self) -> BetaIndependent:
            return BetaIndependent()

    with pytest.raises(AssertionError):
        Named().test_an_estimator_follows_the_protocol_and_names_itself()
