"""How much each signal helped, judged without any truth."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.study.judges.signal_report import signal_report


def make_rows(n: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    sure = rng.choice([0.1, 0.5, 0.9], n)
    return pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "sure": sure,
            "noise": rng.choice(["a", "b"], n),
            "correct": (rng.random(n) < 0.05 + 0.9 * sure).astype(float),
        }
    )


def test_a_signal_is_judged_by_the_fits_with_and_without_it() -> None:
    rows = make_rows()
    options: dict[str, Any] = {"pool": rows, "attributes": ["sex"], "score": "correct"}
    report = signal_report(rows[:150], signals=["sure", "noise"], **options)
    assert report.columns == ["signal", "expected_macro_mse", "without", "log_evidence_gain"]
    assert report["signal"].to_list() == ["sure", "noise"]
    sure, noise = report.iter_rows(named=True)
    both = aa.estimate(rows[:150], signals=["sure", "noise"], **options)
    alone = aa.estimate(rows[:150], signals=["sure"], **options)
    assert sure["expected_macro_mse"] == noise["expected_macro_mse"] == both.expected_macro_mse
    assert noise["without"] == alone.expected_macro_mse
    gain = both.details["log_evidence"] - alone.details["log_evidence"]
    assert noise["log_evidence_gain"] == pytest.approx(gain)
    assert abs(noise["log_evidence_gain"]) < 2.0
    assert sure["log_evidence_gain"] > 10.0
    assert sure["without"] > 1.2 * sure["expected_macro_mse"]


def test_no_signal_is_nothing_to_judge() -> None:
    with pytest.raises(InputError, match="signals must name at least one column"):
        signal_report(make_rows(20), ["sex"], "correct", signals=[])


def test_an_estimator_that_expects_nothing_is_named() -> None:
    with pytest.raises(InputError, match="got neither from 'beta-independent'"):
        signal_report(
            make_rows(20), ["sex"], "correct", signals=["sure"], estimator="beta-independent"
        )


def make_refereed(n: int = 300) -> pl.DataFrame:
    """Return rows with a service, a referee that is mostly right and one that tosses coins."""
    rng = np.random.default_rng(1)
    truth = rng.choice(["a", "b", "c"], n)
    said = {name: rng.choice(["a", "b", "c"], n) for name in ("own", "good", "coin")}
    is_right = {"own": rng.random(n) < 0.6, "good": rng.random(n) < 0.9}
    said |= {name: np.where(right, truth, said[name]) for name, right in is_right.items()}
    return make_rows(n).with_columns(
        truth=pl.Series(truth), **{k: pl.Series(v) for k, v in said.items()}
    )


def test_referees_are_judged_together_and_each() -> None:
    rows = make_refereed()
    options: dict[str, Any] = {"pool": rows, "attributes": ["sex"]}
    options |= {"y_true": "truth", "y_pred": "own"}
    report = signal_report(rows[:150], referees=["good", "coin"], **options)
    assert report["signal"].to_list() == ["agreement of the referees", "good", "coin"]
    both, good, coin = report.iter_rows(named=True)
    alone = aa.estimate(rows[:150], **options)
    assert both["without"] == alone.expected_macro_mse
    assert both["log_evidence_gain"] > 5.0
    assert good["log_evidence_gain"] > 5.0
    assert abs(coin["log_evidence_gain"]) < 2.0


def test_one_referee_is_judged_once_beside_the_signals() -> None:
    rows = make_refereed(120)
    options: dict[str, Any] = {"pool": rows, "attributes": ["sex"], "y_true": "truth"}
    report = signal_report(rows, signals=["sure"], referees=["good"], y_pred="own", **options)
    assert report["signal"].to_list() == ["sure", "agreement of the referees"]


def test_judges_and_the_form_of_answers_are_judged() -> None:
    said = pl.when(pl.col("noise") == "a").then(pl.lit("unknown")).otherwise(pl.lit("the one"))
    rows = make_rows(200).with_columns(said=said, judge="sure")
    options: dict[str, Any] = {"pool": rows, "attributes": ["sex"], "score": "correct"}
    found = signal_report(rows[:100], judges=["judge"], answer_form=True, y_pred="said", **options)
    assert found["signal"].to_list() == ["judge", "form of the answer"]
    assert found["log_evidence_gain"][0] > 5.0
    assert abs(found["log_evidence_gain"][1]) < 2.0
