"""Guessed attributes through ``simulate``, as a user types them, and what is refused."""

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.calibration.full import Full
from accuracy_assay.calibration.report import CalibrationWarning
from accuracy_assay.errors import AssayError, InputError

NO_NETWORK = Full(widths=())


def rows(n: int = 400) -> pl.DataFrame:
    """Sex is guessed by a predictor that is right in 85 % of the cases; the label is the digit."""
    rng = np.random.default_rng(0)
    sex, digit = rng.integers(0, 2, n), rng.integers(0, 3, n)
    said = np.where(rng.random(n) < 0.85, sex, 1 - sex)
    return pl.DataFrame(
        {
            "sex": np.array(["f", "m"])[sex],
            "digit": digit,
            "p_sex__f": np.where(said == 0, 0.95, 0.05),
            "p_sex__m": np.where(said == 1, 0.95, 0.05),
            "correct": (rng.random(n) < 0.5 + 0.4 * sex).astype(float),
        }
    )


def replay(frame: pl.DataFrame, **changes: object) -> pl.DataFrame:
    settings = {
        "evidence": {"sex": "p_sex__*"},
        "from_label": ["digit"],
        "estimator": "beta-independent",
        "strategy": "random",
        "calibration": NO_NETWORK,
        "seed_size": 100,
        "budget": 200,
        "batch": 200,
    }
    return aa.simulate(frame, ["digit", "sex"], "correct", **(settings | changes)).metrics


def test_a_perfect_predictor_is_as_good_as_knowing() -> None:
    is_female = (pl.col("sex") == "f").cast(pl.Float64)
    frame = rows().with_columns(p_sex__f=is_female, p_sex__m=1.0 - is_female)
    known = replay(frame, evidence=None, from_label=())
    guessed = replay(frame, calibration="raw")
    assert guessed["macro_mse"].to_list() == pytest.approx(known["macro_mse"].to_list())


def test_gold_attributes_outside_the_seed_set_are_never_seen() -> None:
    """Other gold for unseen rows may change the metrics, never what the loop chose or learned."""
    frame = rows()
    picked = np.random.default_rng(0).spawn(4)[0].permutation(400)[:100]
    is_seed = np.isin(np.arange(400), picked)
    other = frame.with_columns(
        sex=pl.when(pl.Series(is_seed)).then(pl.col("sex")).otherwise(pl.lit("f"))
    )
    settings = {
        "evidence": {"sex": "p_sex__*"},
        "estimator": "beta-independent",
        "strategy": "random",
        "calibration": NO_NETWORK,
        "seed_size": 100,
        "budget": 50,
        "batch": 50,
    }
    one, two = (
        aa.simulate(f, ["digit", "sex"], "correct", **settings).surface for f in (frame, other)
    )
    np.testing.assert_array_equal(one.mean, two.mean)


def test_no_seed_set_falls_back_to_raw_with_a_warning() -> None:
    with pytest.warns(CalibrationWarning, match="Fell back to 'raw'"):
        metrics = replay(rows(), seed_size=0)
    assert metrics["labels"].to_list() == [0, 200]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (pl.col("p_sex__f").alias("p_sex__x"), "p_sex__"),
        (pl.lit(0.0).alias("p_sex__f"), "attribute 'sex' in row"),
        (pl.lit(float("nan")).alias("p_sex__f"), "must be numbers"),
        (pl.lit(-0.5).alias("p_sex__f"), "attribute 'sex' in row"),
    ],
)
def test_bad_evidence_is_refused_by_name(change: pl.Expr, text: str) -> None:
    with pytest.raises(InputError, match=text):
        replay(rows().with_columns(change))


def test_rows_of_zeros_are_refused() -> None:
    zeros = pl.lit(0.0)
    with pytest.raises(InputError, match="row 0 must not be all zero"):
        replay(rows().with_columns(zeros.alias("p_sex__f"), zeros.alias("p_sex__m")))


def test_an_unknown_calibration_is_refused_with_the_known_ones() -> None:
    with pytest.raises(AssayError, match="temperature"):
        replay(rows(), calibration="temprature")
