"""Services of a session that are fitted together: which, over which cells, by what."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.session.together import may_share

from .conftest import Bench

NAMES = [f"s{i}" for i in range(6)]
SERVICES = [{"name": name, "column": name} for name in NAMES]
ANOVA = {"estimator": "anova-gp"}


@pytest.fixture
def six(bench: Bench) -> Bench:
    rng, truth = np.random.default_rng(2), bench.pool["truth"].to_numpy()
    other = np.where(truth == "cat", "dog", "cat")
    right = rng.random((truth.size, 6)) < np.linspace(0.5, 0.9, 6)
    bench.pool = bench.pool.with_columns(
        pl.Series(name, np.where(right[:, i], truth, other)) for i, name in enumerate(NAMES)
    )
    return bench


def fitted(assay: Any) -> list[Any]:
    parts = assay.session.parts()
    return [parts.fits.cold(service) for service in parts.spec.service]


def tell(six: Bench, assay: Any, n: int) -> None:
    ids = six.pool["id"][:n]
    assay.tell(ids, six.truth(ids))


def test_many_services_are_one_fit_over_shared_cells(six: Bench) -> None:
    with six.create(service=SERVICES, assay=ANOVA) as assay:
        tell(six, assay, 20)
        fits = fitted(assay)
        assert len({id(fit.joint) for fit in fits}) == 1
        assert len({id(fit.solved.problem) for fit in fits}) == 1
        assert {fit.made.n_labels for fit in fits} == {20}


def test_a_label_makes_all_of_them_anew(six: Bench) -> None:
    with six.create(service=SERVICES, assay=ANOVA) as assay:
        tell(six, assay, 20)
        before = fitted(assay)
        assert [a is b for a, b in zip(fitted(assay), before, strict=True)] == [True] * 6
        tell(six, assay, 21)
        assert {fit.made.n_labels for fit in fitted(assay)} == {21}


@pytest.mark.parametrize(
    "sections",
    [
        {"service": SERVICES[:4]},
        {"service": SERVICES, "assay": {"estimator": "beta-independent"}},
        {"service": SERVICES, "assay": {**ANOVA, "referees": []}},
        {"service": [{**SERVICES[0], "confidence": "sure"}, *SERVICES[1:]]},
    ],
    ids=["few", "estimator", "referees", "confidence"],
)
def test_others_are_fitted_one_by_one(six: Bench, sections: dict[str, Any]) -> None:
    given = {"assay": ANOVA, **sections}
    with six.create(**given) as assay:
        tell(six, assay, 20)
        assert fitted(assay)[0].joint is None


def test_a_guessed_attribute_is_not_shared(guessed) -> None:
    assay = guessed.create()
    assert not may_share(assay.spec, assay.session.parts().rows)


def test_without_labels_all_have_what_is_assumed_before_any(six: Bench) -> None:
    with six.create(service=SERVICES, assay=ANOVA) as assay:
        overall = {assay.surface(name).overall.mean for name in NAMES}
        assert len(overall) == 1
        apart = assay.compare().difference("s0", "s5")
        assert apart.lower < 0.0 < apart.upper


def test_with_the_pool_labelled_each_is_as_accurate_as_was_counted(six: Bench) -> None:
    with six.create(service=SERVICES, assay={**ANOVA, "budget": 60}) as assay:
        tell(six, assay, 60)
        for name in NAMES:
            gold = float((six.pool[name] == six.pool["truth"]).mean())
            assert assay.surface(name).overall.mean == pytest.approx(gold, abs=1e-9)


def test_services_that_have_not_answered_the_labels_wait(six: Bench) -> None:
    """The others are fitted together without them."""
    called = {"name": "late", "callable": "builtins:len"}
    with six.create(service=[*SERVICES, called], assay=ANOVA) as assay:
        tell(six, assay, 20)
        parts = assay.session.parts()
        fit = parts.fits.cold(parts.spec.service[0])
        assert set(fit.joint.surfaces) == set(NAMES)


def test_for_the_goal_compare_a_row_that_all_answer_alike_is_worth_nothing(six: Bench) -> None:
    alike = pl.when(pl.col("sex") == "f").then(pl.lit("cat"))
    six.pool = six.pool.with_columns(alike.otherwise(pl.col(n)).alias(n) for n in NAMES)
    with six.create(
        service=SERVICES, assay={**ANOVA, "strategy": "variance-reduction", "goal": "compare"}
    ) as assay:
        tell(six, assay, 20)
        posterior = fitted(assay)[0].guide("compare").memory.posterior
        is_alike = posterior.support.space.matches(
            posterior.support.arms[posterior.support.arm_of_cell], {"sex": "f"}
        )
        assert posterior.is_of_order
        assert posterior.label_variance[is_alike].max() < 1e-5
        assert posterior.label_variance[~is_alike].max() > 0.01


@pytest.mark.parametrize("services", [SERVICES, SERVICES[:3]], ids=["together", "one by one"])
def test_asking_ends_once_the_first_are_settled_or_tied(
    six: Bench, services: list[dict[str, str]]
) -> None:
    goal = {**ANOVA, "budget": 60, "refit_every": 1, "stop": {"half_width": 0.4, "for": "ranking"}}
    with six.create(service=services, assay=goal) as assay:
        tell(six, assay, 10)
        assert assay.end() is None  # one look is not enough
        for n in (40, 41, 42):
            tell(six, assay, n)
            assay.session.parts().asking.is_reached()
        assert assay.end() == "the goal is reached: the first 3 are settled, or tied within 40.0%"
        widths = {s.half_width for s in assay.status().services}
        assert None not in widths
        assert max(widths) <= 0.4


def test_an_order_that_is_open_is_asked_on(six: Bench) -> None:
    goal = {**ANOVA, "refit_every": 1, "stop": {"half_width": 0.001, "for": "ranking"}}
    with six.create(service=SERVICES, assay=goal) as assay:
        for n in (20, 21, 22):
            tell(six, assay, n)
            assert not assay.session.parts().asking.is_reached()


def test_a_ranking_needs_two_services(six: Bench) -> None:
    stop = {"half_width": 0.1, "for": "ranking"}
    with pytest.raises(InputError, match="two services or more"):
        six.create(service=SERVICES[:1], assay={**ANOVA, "stop": stop})
