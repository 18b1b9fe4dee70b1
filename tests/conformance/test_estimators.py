"""What every estimator of the registry keeps to, on a problem of twelve arms and sixty labels.

A new estimator is picked up by its line in the registry. What an estimator cannot keep to is
written down here, with the reason.
"""

from collections.abc import Iterable
from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import AssayError
from accuracy_assay.protocols import Estimator
from accuracy_assay.registry import ESTIMATORS, build_estimator

SPACE = AttributeSpace(
    (
        Attribute("sex", ("F", "M")),
        Attribute("accent", ("de", "en", "fr")),
        Attribute("noisy", (False, True), kind="boolean"),
    )
)
STRATA = AttributeSpace((Attribute("sure", ("no", "yes")),))
POOL = Support.count(SPACE, None, np.arange(12), np.full(12, 500.0))
RATE = np.linspace(0.95, 0.3, 12)

QUICK = {"first_steps": 150, "round_steps": 10, "n_inducing": 12}
"""Settings that keep a fit short, for estimators that have them."""

PAPER_FAMILY = ("bern-gp", "beta-gp", "beta-gp-ab", "beta-gp-sl", "beta-gp-slp")
ONE_NUMBER = {"constant": "it has one number for all arms"}
NOT_EQUIVARIANT = dict.fromkeys(
    PAPER_FAMILY, "its embedding starts from random weights, one for each value"
)
SPREAD_IS_ITS_OWN = dict.fromkeys(
    PAPER_FAMILY[1:], "the spread of its Beta is a function over arms, not a posterior of one"
)

every_estimator = pytest.mark.parametrize("name", list(ESTIMATORS))
every_machinery = pytest.mark.parametrize(
    "name", [name for name in ESTIMATORS if name not in PAPER_FAMILY[:-1]]
)
"""Laws of how a fit is set up, not of the model: one estimator of the paper stands for all."""


def make(name: str, **settings: object) -> Estimator:
    known = {field.name for field in fields(type(build_estimator(name)))}  # type: ignore[arg-type]
    return build_estimator(name, **{k: v for k, v in QUICK.items() if k in known} | settings)


def observe(arms: Iterable[int], scores: Iterable[float], support: Support = POOL) -> Observations:
    return Observations.from_instances(support, Affiliation.exact(list(arms)), list(scores))


def labels(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Labels spread over the arms 0 to 10, with the rates of ``RATE``; arm 11 has none."""
    rng = np.random.default_rng(11)
    arms = rng.integers(0, 11, n)
    return arms, (rng.random(n) < RATE[arms]).astype(float)


def fit(name: str, seen: Observations, seed: int = 0) -> AccuracySurface:
    return make(name).fit(seen, np.random.default_rng(seed))


@cache
def usual(name: str) -> AccuracySurface:
    return fit(name, observe(*labels()))


def check(surface: AccuracySurface, seen: Observations) -> None:
    """Check what makes a surface usable, whatever it was made from."""
    np.testing.assert_array_equal(surface.arms, seen.support.listed_arms)
    counts = seen.per_arm().on(surface.arms)
    np.testing.assert_allclose(surface.n, counts.n)
    np.testing.assert_allclose(surface.correct, counts.correct)
    np.testing.assert_allclose(surface.support, seen.support.size_of(surface.arms))
    for column in (surface.mean, surface.sd, surface.lower, surface.upper):
        assert column.dtype == np.float64
    assert (surface.mean >= 0.0).all()
    assert (surface.mean <= 1.0).all()
    assert (surface.sd >= 0.0).all()
    assert (surface.lower <= surface.mean + 1e-6).all()
    assert (surface.mean <= surface.upper + 1e-6).all()
    assert 0.0 <= surface.overall.lower <= surface.overall.upper <= 1.0


@every_estimator
def test_an_estimator_follows_the_protocol_and_names_itself(name: str) -> None:
    assert isinstance(make(name), Estimator)
    assert usual(name).details["estimator"] == name


@every_estimator
def test_the_surface_is_sound(name: str) -> None:
    check(usual(name), observe(*labels()))


@every_estimator
def test_the_same_seed_gives_the_same_surface(name: str) -> None:
    again = fit(name, observe(*labels()))
    for column in ("mean", "sd", "lower", "upper"):
        # But for rounding: the order of a sum depends on where the memory happens to lie.
        first, second = getattr(usual(name), column), getattr(again, column)
        np.testing.assert_allclose(second, first, rtol=0.0, atol=1e-12)


@every_machinery
def test_a_fit_changes_nothing_that_it_was_given(name: str) -> None:
    seen = observe(*labels())
    estimator = make(name)
    before = [a.copy() for a in (seen.count, seen.score, seen.score_sq, seen.affiliation.weights)]
    twice = [estimator.fit(seen, np.random.default_rng(0)).mean for _ in range(2)]
    after = (seen.count, seen.score, seen.score_sq, seen.affiliation.weights)
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(old, new)
    np.testing.assert_allclose(*twice, rtol=0.0, atol=1e-12)
    assert estimator == make(name)


@every_estimator
def test_arms_that_differ_are_told_apart(name: str) -> None:
    if name in ONE_NUMBER:
        pytest.skip(ONE_NUMBER[name])
    arms = np.repeat(np.arange(12), 40)
    scores = np.tile(np.arange(40), 12) < np.repeat(40 * RATE, 40)
    surface = fit(name, observe(arms, scores.astype(float)))
    assert surface.mean[0] > surface.mean[6] > surface.mean[11]
    assert np.corrcoef(surface.mean, RATE)[0, 1] > 0.9


@every_estimator
def test_more_labels_on_an_arm_narrow_it(name: str) -> None:
    if name in SPREAD_IS_ITS_OWN:
        pytest.skip(SPREAD_IS_ITS_OWN[name])
    arms, scores = labels()
    others = arms != 3
    few, many = (
        fit(name, observe([*arms[others], *[3] * n], [*scores[others], *[1.0, 0.0] * (n // 2)]))
        for n in (2, 60)
    )
    assert many.upper[3] - many.lower[3] < few.upper[3] - few.lower[3]
    assert many.sd[3] < few.sd[3]


@every_estimator
@pytest.mark.parametrize(
    ("arms", "scores"),
    [([4], [1.0]), ([4], [0.0]), ([4], [0.5])],
    ids=["right", "wrong", "half right"],
)
def test_a_single_label_is_enough_for_a_surface(
    name: str, arms: list[int], scores: list[float]
) -> None:
    seen = observe(arms, scores)
    check(fit(name, seen), seen)


@every_estimator
@pytest.mark.parametrize("score", [0.0, 1.0])
def test_labels_that_all_agree_give_a_surface(name: str, score: float) -> None:
    arms, _ = labels()
    seen = observe(arms, [score] * len(arms))
    surface = fit(name, seen)
    check(surface, seen)
    assert abs(surface.overall.mean - score) < 0.25


@every_estimator
def test_no_label_gives_a_surface_or_a_clear_error(name: str) -> None:
    seen = observe([], [])
    try:
        surface = fit(name, seen)
    except AssayError as error:
        assert "label" in str(error)  # noqa: PT017
    else:
        check(surface, seen)
        assert (surface.upper - surface.lower).min() > 0.3


@every_machinery
def test_guessed_attributes_give_a_surface(name: str) -> None:
    arms, scores = labels()
    indptr = np.arange(61) * 2
    cells = np.stack([arms, (arms + 1) % 12], axis=1).reshape(-1)
    weights = np.tile([0.7, 0.3], 60)
    rows = Affiliation(indptr, cells, weights)
    seen = Observations.from_instances(POOL, rows, scores)
    check(fit(name, seen), seen)


@every_machinery
def test_signals_are_averaged_out(name: str) -> None:
    support = Support.count(SPACE, STRATA, np.arange(24), np.tile([30.0, 70.0], 12))
    arms, scores = labels()
    seen = observe(2 * arms + scores.astype(int), scores, support)
    check(fit(name, seen), seen)


@every_machinery
@pytest.mark.parametrize("is_pool", [True, False])
def test_a_huge_space_costs_no_more_than_its_pool(name: str, is_pool: bool) -> None:
    # Seven attributes in order are seven inputs of an embedding, as in SPACE: compiled once.
    many = tuple(range(20))
    space = AttributeSpace(tuple(Attribute(f"a{k}", many, kind="ordinal") for k in range(7)))
    rng = np.random.default_rng(3)
    cells = rng.integers(0, space.n_arms, 40)
    support = Support.count(space, None, cells, np.full(40, 3.0), is_pool=is_pool)
    seen = observe(cells[:30], rng.integers(0, 2, 30), support)
    surface = fit(name, seen)
    check(surface, seen)
    assert surface.arms.size == 40


@every_estimator
def test_relabelling_the_values_permutes_the_surface(name: str) -> None:
    if name in NOT_EQUIVARIANT:
        pytest.skip(NOT_EQUIVARIANT[name])
    codes = SPACE.codes(np.arange(12))
    moved = SPACE.arm_index(
        np.stack([1 - codes[:, 0], (codes[:, 1] + 1) % 3, codes[:, 2]], axis=1)
    )
    arms, scores = labels()
    other = fit(name, observe(moved[arms], scores))
    for column in ("mean", "sd", "lower", "upper"):
        ours, theirs = getattr(usual(name), column), getattr(other, column)[moved]
        np.testing.assert_allclose(theirs, ours, atol=2e-3)


@every_machinery
def test_a_fit_may_start_from_the_surface_before(name: str) -> None:
    arms, scores = labels(72)
    seen = observe(arms, scores)
    warm = make(name).fit(seen, np.random.default_rng(0), usual(name))
    check(warm, seen)
    forgetful = make(name).fit(seen, np.random.default_rng(0), usual(name).forget())
    check(forgetful, seen)


@every_machinery
def test_a_wider_level_gives_wider_intervals(name: str) -> None:
    seen = observe(*labels())
    half, most = (
        make(name, level=level).fit(seen, np.random.default_rng(0)) for level in (0.5, 0.99)
    )
    assert (half.level, most.level) == (0.5, 0.99)
    assert (half.upper - half.lower <= most.upper - most.lower + 1e-9).all()


@every_machinery
def test_the_surface_survives_its_file(name: str, tmp_path: Path) -> None:
    usual(name).save(tmp_path / "s.surface")
    loaded = AccuracySurface.load(tmp_path / "s.surface")
    assert loaded.to_frame().equals(usual(name).to_frame())
    assert loaded.details == dict(usual(name).details)
    assert loaded.overall == usual(name).overall
