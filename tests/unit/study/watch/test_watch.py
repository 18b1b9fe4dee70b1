import numpy as np
import polars as pl
import pytest
from drifting_rows import drifting_rows

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.study.watch.watch import watch

CALL = {"time": "day", "baseline": 9}


def found_in(rows: pl.DataFrame, **options: object):
    return watch(rows, ["region", "sex"], "right", **{**CALL, **options})


def test_a_loss_in_one_slice_is_found_there_dated_and_measured() -> None:
    found = found_in(drifting_rows())
    assert found.verdict == "alarm"
    first = found.alarms.row(0, named=True)
    assert first["slice"] == "region = north"
    assert 20 <= first["time"] <= 24
    assert abs(first["since"] - 20) <= 1
    assert first["lower"] < 0.4 < first["upper"]


def test_a_gain_is_no_alarm() -> None:
    found = found_in(drifting_rows(lost=-0.19))
    assert found.verdict == "no alarm"
    assert "region = north" in found.gains["slice"].to_list()


def test_a_loss_within_tolerance_is_no_alarm() -> None:
    assert found_in(drifting_rows(lost=0.4), tolerance=0.5).verdict == "no alarm"


def test_the_order_of_the_rows_and_the_kind_of_the_frame_change_nothing_but_the_frame() -> None:
    rows = drifting_rows(n=1500).with_columns(day=pl.int_range(pl.len()))
    plain = found_in(rows, baseline=499)
    shuffled = found_in(rows.sample(fraction=1.0, shuffle=True, seed=1), baseline=499)
    assert shuffled.alarms.equals(plain.alarms)
    as_pandas = found_in(rows.to_pandas(), baseline=499)
    assert as_pandas.alarms["slice"].tolist() == plain.alarms["slice"].to_list()


def test_few_labels_are_said_and_no_alarm() -> None:
    found = found_in(drifting_rows(n=40, lost=0.0), baseline=25)
    assert found.verdict == "not enough labels"
    assert str(found).startswith("Not enough labels")


def test_graded_scores_and_truth_with_prediction_are_watched() -> None:
    rows = drifting_rows()
    graded = found_in(rows.with_columns(right=0.2 + 0.6 * pl.col("right")))
    assert graded.alarms["slice"][0] == "region = north"
    said = rows.with_columns(truth=pl.lit("a"), answer=pl.when(right=1).then(pl.lit("a")))
    found = watch(said, ["region", "sex"], y_true="truth", y_pred="answer", **CALL)
    assert found.alarms.equals(found_in(rows).alarms)
    assert any("no answer and count as wrong" in text for text in found.remarks)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tolerance": 2}, "tolerance"),
        ({"false_alarm": 0}, "false_alarm"),
        ({"order": 3}, "order"),
        ({"every": 0}, "every"),
        ({"time": "sex"}, "another role"),
        ({"time": "date"}, "date"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        found_in(drifting_rows(n=200), **options)


def test_a_value_that_the_baseline_lacks_is_not_watched_and_it_is_said() -> None:
    rows = drifting_rows(n=900)
    late = pl.when(pl.col("day") > 15, pl.col("sex") == "F").then(pl.lit("west coast"))
    found = found_in(rows.with_columns(region=late.otherwise("region")))
    assert any("region = west coast, which the baseline has no" in text for text in found.remarks)


def test_weights_and_evidence_are_shown_for_every_slice() -> None:
    found = found_in(drifting_rows(n=900))
    assert found.slices["weight"].sum() == pytest.approx(1.0)
    assert found.slices["slice"][0] == "overall"
    assert found.slices["labels"][0] == found.labels[1]


def test_the_top_level_name_is_this_function() -> None:
    assert aa.watch is watch


@pytest.mark.slow
def test_a_stable_service_alarms_in_at_most_so_many_watches() -> None:
    worlds, alarms = 60, 0
    for seed in range(worlds):
        rows = drifting_rows(seed, n=600, lost=0.0)
        found = watch(rows, ["region"], "right", **CALL, tolerance=0.0, every=5)
        alarms += found.verdict == "alarm"
    # At most 5%; three standard errors are 8 points.
    assert alarms / worlds <= 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / worlds)
