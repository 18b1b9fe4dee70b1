"""What "rests mostly on arms like it" says of real arms is true of them."""

import numpy as np
import pytest

import accuracy_assay as aa
from accuracy_assay.tasks.registry import load_task


@pytest.fixture(scope="module", params=[300, 1000])
def surface(request: pytest.FixtureRequest) -> aa.AccuracySurface:
    task = load_task("digits-exact")
    labelled = task.rows.sample(request.param, seed=2)
    return aa.estimate(labelled, list(task.attributes), task.score, pool=task.rows)


def test_no_arm_with_many_labels_rests_on_others(surface: aa.AccuracySurface) -> None:
    assert surface.n[surface.status == 1].max() < 12


def test_arms_that_rest_on_others_are_not_the_better_known_ones(
    surface: aa.AccuracySurface,
) -> None:
    width = surface.upper - surface.lower
    rests, others = (np.median(width[surface.status == s]) for s in (1, 0))
    assert rests >= others


def test_nearly_every_arm_that_is_not_known_is_among_them(surface: aa.AccuracySurface) -> None:
    is_wide = (surface.upper - surface.lower > 0.5) & (surface.support > 0.0)
    assert np.mean(surface.status[is_wide] == 1) > 0.95


def test_too_few_labels_never_stand_above_clear_arms(surface: aa.AccuracySurface) -> None:
    assert surface.tells_arms_apart or not surface.side.any()
