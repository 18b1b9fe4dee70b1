"""One draw of the check of intervals."""

from dataclasses import replace

import numpy as np
import pytest

from accuracy_assay.study.method import parse_method
from accuracy_assay.tasks.registry import load_task
from assay_bench.coverage import COVERAGE_METRICS, labels_alone, replay, stops

TASK = load_task("synthetic-exact:rows=600,attributes=2,values=3")


def labels(method: str, *sizes: int) -> list[int]:
    return [row["labels"] for row in replay(TASK, parse_method(method), sizes, seed=0)]


def test_every_size_has_every_metric() -> None:
    rows = replay(TASK, parse_method("beta-independent"), (30, 10), seed=0)
    assert [row["labels"] for row in rows] == [10, 30]
    assert all(set(row) == {"labels", *COVERAGE_METRICS} for row in rows)


def test_chosen_labels_come_in_twelves_and_then_in_quarters() -> None:
    assert list(stops((30, 100, 200), is_random=False)) == [
        *(0, 12, 24, 30, 42, 54, 66, 78, 90, 100),
        *(125, 156, 195, 200),
    ]
    assert list(stops((30, 100, 200), is_random=True)) == [30, 100, 200]


@pytest.mark.parametrize("strategy", ["random", "largest-variance"])
def test_sizes_beyond_the_pool_are_passed_over(strategy: str) -> None:
    assert labels(f"beta-independent/{strategy}", 24, 600, 601) == [24, 600]


def test_methods_of_a_seed_share_their_random_labels() -> None:
    ours, theirs, other = (
        replay(TASK, parse_method(name), (50,), seed)[0]
        for name, seed in (("constant", 0), ("beta-independent", 0), ("constant", 1))
    )
    assert ours["wilson_width"] == theirs["wilson_width"]
    assert ours["wilson_width"] != other["wilson_width"]


def test_sizes_are_nested_in_a_draw() -> None:
    method = parse_method("beta-independent")
    alone = replay(TASK, method, (100,), seed=0)[0]
    last = replay(TASK, method, (24, 100), seed=0)[-1]
    assert alone["wilson_width"] == last["wilson_width"]
    assert alone["macro_mse"] == last["macro_mse"]


def test_an_estimator_that_is_sure_and_wrong_never_holds() -> None:
    sure = replace(TASK, rows=TASK.rows.with_columns(correct=1.0), score="correct")
    (row,) = replay(sure, parse_method("beta-independent"), (600,), seed=0)
    assert (row["arms_90"], row["overall_90"], row["wilson_90"]) == (100.0, 100.0, 100.0)
    (wrong,) = replay(TASK, parse_method("constant"), (600,), seed=0)
    assert wrong["arms_90"] < 100.0


def test_signals_of_a_task_without_any_give_no_rows() -> None:
    bare = replace(TASK, signals=())
    assert replay(bare, parse_method("beta-independent+signals"), (24,), seed=0) == []
    assert replay(bare, parse_method("beta-independent"), (24,), seed=0) != []


@pytest.mark.parametrize(
    "task", ["synthetic:rows=600,attributes=2,values=3,distance=3", "digits-known:n_rows=600"]
)
def test_attributes_that_are_not_known_are_simulated(task: str) -> None:
    method = parse_method("beta-independent/random@raw")
    small, large = replay(load_task(task), method, (60, 300), seed=0)
    assert (small["labels"], large["labels"]) == (60, 300)
    assert large["overall_width"] < small["overall_width"]
    assert 0.0 <= large["arms_90"] <= 100.0


def test_labels_alone_give_wilsons_interval() -> None:
    ten = np.array([1.0] * 9 + [0.0])
    # By hand, z^2 = 2.7055: middle (9 + 1.3528) / 12.7055 = 0.8148, and to either side
    # sqrt(2.7055 (0.9 + 0.6764)) / 12.7055 = 0.1625.
    assert labels_alone(ten, 0.7)["wilson_width"] == pytest.approx(2 * 0.1625, abs=2e-4)
    assert labels_alone(ten, 0.65)["wilson_90"] == 0.0
    assert labels_alone(ten, 0.67)["wilson_90"] == 100.0


def test_fractions_have_the_interval_of_their_mean() -> None:
    four = np.array([0.2, 0.4, 0.6, 0.8])
    reach = 1.6449 * np.sqrt(0.2 / 3) / 2
    found = labels_alone(four, 0.5 + 0.99 * reach)
    assert found["wilson_width"] == pytest.approx(2 * reach, rel=1e-3)
    assert found["wilson_90"] == 100.0
    assert labels_alone(four, 0.5 + 1.01 * reach)["wilson_90"] == 0.0
    assert labels_alone(four[:1], 0.9)["wilson_width"] == 1.0
