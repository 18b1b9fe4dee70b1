"""What every estimator keeps to, on a problem of twelve arms and sixty labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import AssayError
from accuracy_assay.protocols import Estimator
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.contracts import missing_part
from accuracy_assay.testing.laws import Laws

__all__ = ["EstimatorLaws", "check_surface"]

_SPACE = AttributeSpace(
    (
        Attribute("sex", ("F", "M")),
        Attribute("accent", ("de", "en", "fr")),
        Attribute("noisy", (False, True), kind="boolean"),
    )
)
_STRATA = AttributeSpace((Attribute("sure", ("no", "yes")),))
_POOL = Support.count(_SPACE, None, np.arange(12), np.full(12, 500.0))
_RATE = np.linspace(0.95, 0.3, 12)
_COLUMNS = ("mean", "sd", "lower", "upper")

_ROUNDING = 1e-12
"""How far two fits of the same labels may lie apart: the order of a sum depends on memory."""

_OPTIMISER = 2e-3
"""How far a fit may move when values are renamed: an optimiser then stops at another point."""


class EstimatorLaws(Laws):
    """Laws of an `Estimator`; derive from it and say how yours is made.

    ``name`` is what its surfaces call it, where you want that checked. `with_level` needs a
    frozen dataclass with a field ``level``, as all estimators here are, or your own version.
    """

    name: ClassVar[str | None] = None

    def make(self) -> Estimator:
        """Return the estimator, anew at each call."""
        raise NotImplementedError("say how the estimator is made")

    def with_level(self, level: float) -> Estimator:
        """Return the estimator with intervals of another probability."""
        estimator: Any = self.make()
        changed: Estimator = replace(estimator, level=level)
        return changed

    def fit(self, seen: Observations, seed: int = 0) -> AccuracySurface:
        """Return the surface of a fresh estimator."""
        return self.make().fit(seen, np.random.default_rng(seed))

    def usual(self) -> AccuracySurface:
        """Return the surface of sixty labels, fitted once for all laws."""
        return _usual(type(self))  # type: ignore[arg-type]  # a class is hashable

    def test_an_estimator_follows_the_protocol_and_names_itself(self) -> None:
        """A surface says which estimator made it."""
        assert missing_part(self.make(), Estimator) is None
        named = self.usual().details.get("estimator")
        assert isinstance(named, str)
        assert named
        assert self.name in (None, named)

    def test_the_surface_is_sound(self) -> None:
        """Counts are those of the labels; means and intervals are in order."""
        check_surface(self.usual(), _observe(*_labels()))

    def test_the_same_seed_gives_the_same_surface(self) -> None:
        """All randomness comes from the generator."""
        again = self.fit(_observe(*_labels()))
        for column in _COLUMNS:
            first, second = getattr(self.usual(), column), getattr(again, column)
            np.testing.assert_allclose(second, first, rtol=0.0, atol=_ROUNDING)

    def test_a_fit_changes_nothing_that_it_was_given(self) -> None:
        """Neither the observations nor the estimator change."""
        seen = _observe(*_labels())
        estimator = self.make()
        before = [a.copy() for a in _arrays(seen)]
        twice = [estimator.fit(seen, np.random.default_rng(0)).mean for _ in range(2)]
        for old, new in zip(before, _arrays(seen), strict=True):
            np.testing.assert_array_equal(old, new)
        np.testing.assert_allclose(twice[0], twice[1], rtol=0.0, atol=_ROUNDING)
        assert estimator == self.make()

    def test_arms_that_differ_are_told_apart(self) -> None:
        """With forty labels per arm, the means follow the rates."""
        arms = np.repeat(np.arange(12), 40)
        scores = np.tile(np.arange(40), 12) < np.repeat(40 * _RATE, 40)
        surface = self.fit(_observe(arms, scores.astype(float)))
        assert surface.mean[0] > surface.mean[6] > surface.mean[11]
        assert np.corrcoef(surface.mean, _RATE)[0, 1] > 0.9

    def test_more_labels_on_an_arm_narrow_it(self) -> None:
        """Sixty labels leave less doubt than two."""
        arms, scores = _labels()
        others = arms != 3
        few, many = (
            self.fit(
                _observe([*arms[others], *[3] * n], [*scores[others], *[1.0, 0.0] * (n // 2)])
            )
            for n in (2, 60)
        )
        assert many.upper[3] - many.lower[3] < few.upper[3] - few.lower[3]
        assert many.sd[3] < few.sd[3]

    @pytest.mark.parametrize("score", [1.0, 0.0, 0.5], ids=["right", "wrong", "half right"])
    def test_a_single_label_is_enough_for_a_surface(self, score: float) -> None:
        """One label is no obstacle, whatever it says."""
        seen = _observe([4], [score])
        check_surface(self.fit(seen), seen)

    @pytest.mark.parametrize("score", [0.0, 1.0])
    def test_labels_that_all_agree_give_a_surface(self, score: float) -> None:
        """A service that is always right, or always wrong, is no obstacle."""
        arms, _ = _labels()
        seen = _observe(arms, [score] * len(arms))
        surface = self.fit(seen)
        check_surface(surface, seen)
        assert abs(surface.overall.mean - score) < 0.25

    def test_no_label_gives_a_surface_or_a_clear_error(self) -> None:
        """Without a label nothing is known: wide intervals, or an error that speaks of labels."""
        seen = _observe([], [])
        try:
            surface = self.fit(seen)
        except AssayError as error:
            assert "label" in str(error)  # noqa: PT017
        else:
            check_surface(surface, seen)
            assert (surface.upper - surface.lower).min() > 0.3

    def test_guessed_attributes_give_a_surface(self) -> None:
        """A label may belong to several arms, each with a weight."""
        arms, scores = _labels()
        cells = np.stack([arms, (arms + 1) % 12], axis=1).reshape(-1)
        rows = Affiliation(np.arange(61) * 2, cells, np.tile([0.7, 0.3], 60))
        seen = Observations.from_instances(_POOL, rows, scores)
        check_surface(self.fit(seen), seen)

    def test_signals_are_averaged_out(self) -> None:
        """With signals a cell is an arm and a stratum; the surface is over arms."""
        support = Support.count(_SPACE, _STRATA, np.arange(24), np.tile([30.0, 70.0], 12))
        arms, scores = _labels()
        seen = _observe(2 * arms + scores.astype(int), scores, support)
        check_surface(self.fit(seen), seen)

    @pytest.mark.parametrize("is_pool", [True, False])
    def test_a_huge_space_costs_no_more_than_its_pool(self, is_pool: bool) -> None:
        """A space of more than a thousand million arms, of which forty are in the pool."""
        # Seven attributes in order are seven inputs of an embedding, as in _SPACE: compiled once.
        many = tuple(range(20))
        space = AttributeSpace(tuple(Attribute(f"a{k}", many, kind="ordinal") for k in range(7)))
        rng = np.random.default_rng(3)
        cells = rng.integers(0, space.n_arms, 40)
        support = Support.count(space, None, cells, np.full(40, 3.0), is_pool=is_pool)
        seen = _observe(cells[:30], rng.integers(0, 2, 30), support)
        surface = self.fit(seen)
        check_surface(surface, seen)
        assert surface.arms.size == 40

    def test_relabelling_the_values_permutes_the_surface(self) -> None:
        """The names and the order of values mean nothing."""
        codes = _SPACE.codes(np.arange(12))
        moved = _SPACE.arm_index(
            np.stack([1 - codes[:, 0], (codes[:, 1] + 1) % 3, codes[:, 2]], axis=1)
        )
        arms, scores = _labels()
        other = self.fit(_observe(moved[arms], scores))
        for column in _COLUMNS:
            ours, theirs = getattr(self.usual(), column), getattr(other, column)[moved]
            np.testing.assert_allclose(theirs, ours, atol=_OPTIMISER)

    def test_a_fit_may_start_from_the_surface_before(self) -> None:
        """A surface of fewer labels may be handed over, with or without what it remembers."""
        seen = _observe(*_labels(72))
        for previous in (self.usual(), self.usual().forget()):
            warm = self.make().fit(seen, np.random.default_rng(0), previous)
            check_surface(warm, seen)

    def test_a_wider_level_gives_wider_intervals(self) -> None:
        """The surface says its level, and a higher one holds a lower one."""
        seen = _observe(*_labels())
        half, most = (
            self.with_level(level).fit(seen, np.random.default_rng(0)) for level in (0.5, 0.99)
        )
        assert (half.level, most.level) == (0.5, 0.99)
        assert (half.upper - half.lower <= most.upper - most.lower + 1e-9).all()

    def test_the_surface_survives_its_file(self, tmp_path: Path) -> None:
        """What was saved is loaded equal, details included; averages to 2% of their width."""
        self.usual().save(tmp_path / "s.surface")
        loaded = AccuracySurface.load(tmp_path / "s.surface")
        assert loaded.to_frame().equals(self.usual().to_frame())
        assert loaded.details == dict(self.usual().details)
        before, after = self.usual().overall, loaded.overall
        assert after.mean == before.mean
        room = 0.02 * (before.upper - before.lower)
        assert abs(after.lower - before.lower) <= room
        assert abs(after.upper - before.upper) <= room


def check_surface(surface: AccuracySurface, seen: Observations) -> None:
    """Assert what makes a surface usable, whatever it was made from."""
    np.testing.assert_array_equal(surface.arms, seen.support.listed_arms)
    counts = seen.per_arm().on(surface.arms)
    np.testing.assert_allclose(surface.n, counts.n)
    np.testing.assert_allclose(surface.correct, counts.correct)
    np.testing.assert_allclose(surface.support, seen.support.size_of(surface.arms))
    for column in _COLUMNS:
        assert getattr(surface, column).dtype == np.float64
    assert (surface.mean >= 0.0).all()
    assert (surface.mean <= 1.0).all()
    assert (surface.sd >= 0.0).all()
    assert (surface.lower <= surface.mean + 1e-6).all()
    assert (surface.mean <= surface.upper + 1e-6).all()
    assert 0.0 <= surface.overall.lower <= surface.overall.upper <= 1.0
    expected = surface.expected_macro_mse
    assert expected is None or 0.0 <= expected < np.inf


@cache
def _usual(laws: type[EstimatorLaws]) -> AccuracySurface:
    return laws().fit(_observe(*_labels()))


def _labels(n: int = 60) -> tuple[IntArray, FloatArray]:
    """Return labels spread over the arms 0 to 10, with the rates of ``_RATE``; arm 11 has none."""
    rng = np.random.default_rng(11)
    arms = rng.integers(0, 11, n)
    return arms, (rng.random(n) < _RATE[arms]).astype(float)


def _observe(arms: Iterable[Any], scores: Iterable[Any], support: Support = _POOL) -> Observations:
    return Observations.from_instances(support, Affiliation.exact(list(arms)), list(scores))


def _arrays(seen: Observations) -> tuple[FloatArray, ...]:
    return (seen.count, seen.score, seen.score_sq, seen.affiliation.weights)
