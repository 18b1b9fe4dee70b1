"""Differences of two services are counted against the truth."""

import numpy as np
import polars as pl

from accuracy_assay.tasks.task import Task
from assay_bench.differences import DIFFERENCE_COUNTS, count_differences

NONE = dict.fromkeys((name for pair in DIFFERENCE_COUNTS.values() for name in pair), 0.0)


def two_services(rng: np.random.Generator, **given: object) -> Task:
    """Two services that are right in 60% and 90% of 400 rows, over four arms."""
    n = 400
    truth = rng.integers(0, 2, n)
    rows = pl.DataFrame(
        {
            "id": np.arange(n).astype(str),
            "a": rng.choice(["x", "y"], n),
            "b": rng.choice(["u", "v"], n),
            "truth": truth.astype(str),
            "one": np.where(rng.random(n) < 0.6, truth, 1 - truth).astype(str),
            "two": np.where(rng.random(n) < 0.9, truth, 1 - truth).astype(str),
        }
    ).with_columns(correct=(pl.col("one") == pl.col("truth")).cast(pl.Float64))
    known = {"y_true": "truth", "y_pred": "one", "services": {"second": "two", "first": "one"}}
    return Task("two", "Two services.", rows, ("a", "b"), **(known | given))  # type: ignore[arg-type]


def test_each_question_is_asked_once_and_most_intervals_hold(rng: np.random.Generator) -> None:
    counts = count_differences(two_services(rng), "anova-gp", range(150))
    asked = {of: counts[names[0]] for of, names in DIFFERENCE_COUNTS.items()}
    assert asked == {"pool": 1.0, "value": 4.0, "arm": 4.0}
    held = sum(counts[names[1]] for names in DIFFERENCE_COUNTS.values())
    assert 6.0 <= held <= 9.0  # of nine that go up and down together


def test_all_labels_leave_nothing_to_miss(rng: np.random.Generator) -> None:
    counts = count_differences(two_services(rng), "anova-gp", range(400))
    assert all(counts[held] == counts[asked] > 0.0 for asked, held in DIFFERENCE_COUNTS.values())


def test_without_a_second_service_or_labels_nothing_is_counted(rng: np.random.Generator) -> None:
    assert count_differences(two_services(rng), "anova-gp", ()) == NONE
    alone = two_services(rng, services={"first": "one"})
    assert count_differences(alone, "anova-gp", range(50)) == NONE
    hidden = two_services(rng, from_label=("b",))
    assert count_differences(hidden, "anova-gp", range(50)) == NONE
