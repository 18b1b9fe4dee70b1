"""How many more labels would halve the error."""

from dataclasses import replace

import numpy as np
import pytest

import accuracy_assay as aa
from accuracy_assay.metrics.labels_to_halve import labels_to_halve
from accuracy_assay.tasks.digits import digits


@pytest.mark.parametrize("power", [0.5, 1.0, 1.4])
def test_a_power_law_is_carried_on(power: float) -> None:
    n = np.array([300.0, 400.0, 500.0, 650.0])
    more = labels_to_halve(n.tolist(), (7.0 * n**-power).tolist())
    assert more is not None
    assert (650.0 / (650.0 + more)) ** power == pytest.approx(0.5, rel=1e-6)


def test_old_rounds_count_no_more() -> None:
    n = [10.0, 20.0, 500.0, 600.0, 700.0]
    e = [9.0, 9.0, 5.0, 5.0 * 5 / 6, 5.0 * 5 / 7]
    assert labels_to_halve(n, e) == pytest.approx(700.0)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([], []),
        ([100, 112], [3.0, 2.9]),
        ([100, 200, 300], [2.0, 2.0, 2.1]),
        ([5, 5, 5], [3, 2, 1]),
    ],
)
def test_without_a_fall_there_is_no_forecast(labels: list[float], expected: list[float]) -> None:
    assert labels_to_halve(labels, expected) is None


def test_random_labels_are_expected_to_help_less() -> None:
    rounds = [300.0, 310.0, 320.0], [2.0, 1.99, 1.9]
    by_choice, by_chance = (labels_to_halve(*rounds, is_random=r) for r in (False, True))
    assert by_choice is not None
    assert by_chance is not None
    assert by_chance > 1.5 * by_choice


@pytest.mark.slow
def test_forecasts_mostly_come_true_on_digits() -> None:
    task = digits(n_rows=8_000)
    columns = replace(task.columns, evidence={}, from_label=())
    came_true: dict[str, list[bool]] = {"expected_macro_mse": [], "macro_mse": []}
    ratio = []
    for seed in range(2):
        metrics = aa.simulate(
            task.rows, columns, seed_size=300, budget=900, batch=60, seed=seed
        ).metrics
        labels, more = metrics["labels"].to_numpy(), metrics["labels_to_halve"].to_numpy()
        ratio.extend(metrics["expected_macro_mse"] / metrics["macro_mse"])
        for name, found in came_true.items():
            curve = metrics[name].to_numpy()
            for at in range(2, curve.size):
                halved = labels[curve <= 0.5 * curve[at]]
                if halved.size and not np.isnan(more[at]):
                    found.append(1 / 1.5 < more[at] / (halved[0] - labels[at]) < 1.5)
    for found in came_true.values():
        assert len(found) >= 9
        assert np.mean(found) >= 2 / 3
    # What the estimator expects of itself is close to what it gets wrong.
    assert 1 / 1.5 < np.median(ratio) < 1.5
