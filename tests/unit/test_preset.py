"""The presets of the paper's system run as its text and as its authors' code describe it."""

import pytest

from accuracy_assay.calibration.full_2021 import Full2021
from accuracy_assay.registry import PRESETS, build_calibrator, build_estimator
from accuracy_assay.study.method import parse_method
from accuracy_assay.study.simulate import simulate
from accuracy_assay.tasks.synthetic import synthetic


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_a_whole_system(name: str) -> None:
    method = parse_method(name)
    assert (method.estimator, method.strategy, method.calibration, method.batch) == (
        *(name, "largest-variance", "full-2021"),
        12,
    )
    assert build_calibrator(method.calibration) == Full2021()
    assert build_estimator(method.estimator).name == name  # type: ignore[attr-defined]


def test_a_preset_takes_12_labels_a_round_and_the_steps_of_one() -> None:
    name = "aaa-2021"
    task = synthetic(rows=600, attributes=2, values=3)
    estimator = {"name": name, "first_steps": 120, "n_inducing": 9}
    settings = {**PRESETS[name], "estimator": estimator}
    history = simulate(task.rows, task.columns, **settings, seed_size=100, budget=24, seed=1)
    assert history.metrics["labels"].to_list() == [100, 112, 124]
    assert history.surface.details["estimator"] == name
    assert history.surface.details["steps"] == 50
    assert history.picks["row"].n_unique() == 24
