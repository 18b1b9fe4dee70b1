"""Measures of a session are those of the same rows outside one."""

import numpy as np
import polars as pl
import pytest
from surface_world import make_assay, make_rows

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.storage.memory import MemoryStore


def outside(measure: str | None, where: str | None = None) -> aa.AccuracySurface:
    pool = make_rows().rename({"truth": "gold", "good": "prediction"})
    labelled = pool[:80].with_columns(truth=pl.col("gold"))
    age = aa.Attribute("age", ("young", "middle", "old"))
    return aa.estimate(
        labelled,
        ["sex", age],
        y_true="truth",
        y_pred="prediction",
        measure=measure,
        where=where,
        pool=pool,
        estimator="beta-independent",
    )


@pytest.fixture(scope="module")
def assay() -> aa.Assay:
    return make_assay(80)


def test_a_condition_on_the_truth_needs_labels_at_random() -> None:
    sections = {"assay": {"name": "pets", "estimator": "beta-independent"}}
    with pytest.raises(InputError, match="such as recall:CLASS"):
        make_assay(40, **sections).measure(None, "good", where="truth == 'cat'")


@pytest.mark.parametrize("measure", ["recall:cat", "precision:dog", "false-positive-rate:cat"])
def test_measures_are_those_of_the_same_rows(assay: aa.Assay, measure: str) -> None:
    found, wanted = assay.measure(measure, "good"), outside(measure)
    assert found.mean.tolist() == pytest.approx(wanted.mean.tolist())
    assert found.support.tolist() == pytest.approx(wanted.support.tolist())
    assert found.measure == wanted.measure


def test_conditions_name_truth_and_prediction(assay: aa.Assay) -> None:
    where = "truth == 'cat' AND prediction <> 'bird' AND sex = 'f'"
    found = assay.measure(None, "good", where=where)
    assert found.overall.mean == pytest.approx(outside(None, where).overall.mean)
    assert found.measure == "accuracy"


def test_a_service_must_have_answered_what_is_labelled() -> None:
    rows = make_rows()
    spec = {
        "assay": {"estimator": "beta-independent", "strategy": "random"},
        "attribute": [{"name": "sex"}],
        "service": [{"name": "late", "callable": "math:sqrt"}],
        "label": {"choices": ["cat", "dog"]},
    }
    made = aa.Assay.create(MemoryStore(), spec, pool=rows.drop("good", "poor"))
    made.tell(rows["id"][:60], rows["truth"][:60], annotator="ann")
    with pytest.raises(InputError, match="must have predicted every labelled instance"):
        made.measure("precision:cat")


def test_without_labels_or_known_attributes_there_is_no_measure() -> None:
    with pytest.raises(InputError, match="must have labels; got none yet"):
        make_assay().measure("recall:cat", "good")
    rows = make_rows().with_columns(
        p_sex__f=pl.Series(np.full(120, 0.5)), p_sex__m=pl.Series(np.full(120, 0.5))
    )
    spec = {
        "assay": {"estimator": "beta-independent", "strategy": "random", "calibration": "raw"},
        "attribute": [{"name": "sex", "evidence": "p_sex__*", "values": ["f", "m"]}],
        "service": [{"name": "good", "column": "good"}],
        "label": {"choices": ["cat", "dog"]},
    }
    guessed = aa.Assay.create(MemoryStore(), spec, pool=rows)
    with pytest.raises(InputError, match="known for every row; got 'sex'"):
        guessed.measure("recall:cat")
