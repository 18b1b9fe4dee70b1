"""What services share and what is each one's own, on arms worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest
from toy_surface import toy

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.study.compare.joint_fit import JointFit, KnownRows, OwnFit, RowsByArm

SCORES = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
ARM = np.array([0, 0, 0, 1, 1])


def fitted(**changes: object) -> JointFit:
    values: dict[str, object] = {
        "n": np.array([3.0, 2.0, 0.0, 0.0]),
        "correct": np.array([1.5, 1.5, 0.0, 0.0]),
        "mean": np.full(4, 0.5),
        "lower": np.full(4, 0.1),
        "upper": np.full(4, 0.9),
    }
    shared = toy(details={"target": "pool"}, **values | changes)
    return JointFit(shared, RowsByArm(ARM, SCORES))


def _kept(alone: dict[str, AccuracySurface]) -> dict[str, OwnFit]:
    return {name: OwnFit.of(surface) for name, surface in alone.items()}


def test_services_lie_around_what_they_share() -> None:
    """Two services differ from their mean by as much, but for what 0 and 1 take back."""
    fit = fitted()
    assert fit.means.mean(axis=1) == pytest.approx(fit.shared.mean, abs=0.005)
    assert (fit.means[:, 0] >= fit.means[:, 1]).all()


def test_arms_whose_rows_are_all_labelled_are_what_was_counted() -> None:
    size = np.array([3.0, 2.0, 20.0, 0.0])
    fit = fitted(support=size, mean=np.array([0.5, 0.75, 0.5, 0.5]))
    assert fit.means[:2] == pytest.approx(np.array([[2.0 / 3.0, 1.0 / 3.0], [1.0, 0.5]]))
    ends = {"lower": np.zeros(4), "upper": np.ones(4)}
    counted = replace(fit.shared, mean=fit.means[:, 0], sd=np.zeros(4), **ends)
    alone = {"a": counted, "b": fit.shared}
    assert fit.surfaces(_kept(alone))["a"].lower[:2] == pytest.approx([2.0 / 3.0, 1.0])


def test_where_no_answer_differs_services_are_equally_accurate() -> None:
    scores = np.repeat(SCORES[:, :1], 2, axis=1)
    nothing = KnownRows(
        np.zeros(5, dtype=bool), np.full((5, 2), 0.9), np.zeros(4), np.zeros((4, 2))
    )
    fit = JointFit(fitted().shared, RowsByArm(ARM, scores, nothing))
    assert fit.means[:, 0] == pytest.approx(fit.means[:, 1], abs=1e-12)


def test_draws_have_the_means_and_deviations_of_the_surface() -> None:
    rng = np.random.default_rng(3)
    arm, skill = np.repeat(np.arange(3), 60), np.array([0.8, 0.6])
    scores = (rng.random((180, 2)) < skill).astype(float)
    shared = toy(
        details={"target": "population"},
        mean=np.full(4, 0.7),
        sd=np.full(4, 0.04),
        lower=np.full(4, 0.6),
        upper=np.full(4, 0.8),
    )
    fit = JointFit(shared, RowsByArm(arm, scores))
    alone = {"a": shared, "b": replace(shared, sd=np.full(4, 0.02))}
    for surface in fit.surfaces(_kept(alone)).values():
        drawn = surface.joint_draws
        # 512 draws know a deviation to 3%.
        assert drawn.mean(axis=0) == pytest.approx(surface.mean, abs=0.01)
        assert drawn.std(axis=0) == pytest.approx(surface.sd, rel=0.12)
        assert ((surface.lower <= surface.mean) & (surface.mean <= surface.upper)).all()


@pytest.mark.parametrize(("sd", "share"), [(1e-6, 0.25), (None, 0.5), (9.0, 0.75)])
def test_the_surer_fit_has_the_larger_share(sd: float | None, share: float) -> None:
    fit = fitted()
    mean = np.array([0.85, 0.8, 0.7, 0.6])
    never = np.zeros(4, dtype=bool)
    own = OwnFit(mean, fit.deviations[:, 0] if sd is None else np.full(4, sd), 0.05, never, never)
    found = fit.surfaces({"a": own, "b": own})["a"]
    assert found.mean == pytest.approx(share * fit.means[:, 0] + (1.0 - share) * mean, abs=1e-12)


def test_the_overall_accuracy_is_as_sure_as_that_of_the_fit_alone() -> None:
    rng = np.random.default_rng(3)
    arm = np.repeat(np.arange(3), 300)
    scores = (rng.random((900, 2)) < [0.8, 0.6]).astype(float)
    wide = {"mean": np.full(4, 0.7), "lower": np.zeros(4), "upper": np.ones(4)}
    shared = toy(details={"target": "population"}, sd=np.full(4, 0.08), **wide)
    alone = replace(shared, sd=np.full(4, 0.04))
    fit = JointFit(shared, RowsByArm(arm, scores))
    found = fit.surfaces(_kept({"a": alone, "b": alone}))
    assert alone.overall.sd < 0.6 * shared.overall.sd
    for surface in found.values():
        assert surface.overall.sd == pytest.approx(alone.overall.sd, rel=0.1)


def test_what_is_a_services_own_is_as_sure_overall_as_its_own_fit() -> None:
    """Few labels differ, so that the joint fit hardly knows what is each one's own."""
    scores = np.ones((12, 2))
    scores[0, 0] = 0.0
    sure = {"mean": np.full(4, 0.95), "lower": np.full(4, 0.9), "upper": np.ones(4)}
    shared = toy(details={"target": "population"}, sd=np.full(4, 0.01), **sure)
    fit = JointFit(shared, RowsByArm(np.repeat(np.arange(3), 4), scores))
    assert (fit.deviations > 0.03).all()
    for surface in fit.surfaces(_kept({"a": shared, "b": shared})).values():
        assert surface.overall.sd == pytest.approx(shared.overall.sd, rel=0.3)


def test_an_interval_ends_at_1_where_that_of_the_own_fit_does() -> None:
    fit = fitted(support=np.full(4, 100.0))
    first = np.arange(4) == 0
    own = OwnFit(np.full(4, 0.9), np.full(4, 0.05), 0.05, ~np.ones(4, dtype=bool), first)
    found = fit.surfaces({"a": own, "b": own})["a"]
    assert found.upper[0] > 0.98  # one labelled row of a hundred is wrong
    assert (found.upper[1:] < 0.98).all()
