"""The preset of the paper's system runs as the paper describes it."""

from accuracy_assay.bench.method import parse_method
from accuracy_assay.registry import PRESETS
from accuracy_assay.study.simulate import simulate
from accuracy_assay.tasks.synthetic import Shape, synthetic


def test_aaa_2021_is_the_papers_system() -> None:
    method = parse_method("aaa-2021")
    assert (method.estimator, method.strategy, method.calibration, method.batch) == (
        *("beta-gp-slp", "largest-variance", "full"),
        12,
    )


def test_aaa_2021_takes_12_labels_a_round_and_50_steps_after_the_first_1000() -> None:
    task = synthetic(Shape(rows=600, attributes=2, values=3))
    history = simulate(
        task.rows, **task.arguments(), **PRESETS["aaa-2021"], seed_size=100, budget=24, seed=1
    )
    assert history.metrics["labels"].to_list() == [100, 112, 124]
    assert history.surface.details["estimator"] == "beta-gp-slp"
    assert history.surface.details["steps"] == 50
    assert history.picks["row"].n_unique() == 24
