"""``assay calibrate`` on an assay with a guessed attribute."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from accuracy_assay.calibration.fitted import FittedCalibration

SPEC = """
[assay]
name = "voices"
budget = 20
estimator = "beta-independent"
strategy = "random"
calibration = "{calibration}"

[pool]
path = "pool.parquet"
id = "id"
seed_set = "seed.parquet"

[[attribute]]
name = "sex"
evidence = "p_sex__*"

[[service]]
name = "good"
column = "good_pred"

[label]
choices = ["cat", "dog"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(0)
    n = 160
    sex = rng.integers(0, 2, n)
    said = np.where(rng.random(n) < 0.8, sex, 1 - sex)
    rows = pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(n)],
            "p_sex__f": np.where(said == 0, 0.9, 0.1),
            "p_sex__m": np.where(said == 1, 0.9, 0.1),
            "good_pred": rng.choice(["cat", "dog"], n),
        }
    )
    gold = {"sex": np.array(["f", "m"])[sex[:60]], "label": rng.choice(["cat", "dog"], 60)}
    rows.write_parquet(tmp_path / "pool.parquet")
    rows[:60].with_columns(**{k: pl.Series(v) for k, v in gold.items()}).write_parquet(
        tmp_path / "seed.parquet"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def store(assay, folder: Path) -> str:
    (folder / "assay.toml").write_text(SPEC.format(calibration="temperature"))
    made = assay("init", "voices.assay", "--spec", "assay.toml")
    assert made.code == 0, made.err
    return "voices.assay"


def test_it_writes_the_file_and_the_picture_and_shows_the_figures(
    assay, store: str, folder: Path
) -> None:
    answer = assay("calibrate", store, "--out", "v.calibration", "--picture", "v.png")
    assert answer.code == 0, answer.err
    assert "log_loss_before" in answer.out
    assert "predictor of attribute 'sex'" in answer.err
    assert (folder / "v.png").read_bytes().startswith(b"\x89PNG")
    loaded = FittedCalibration.load(folder / "v.calibration")
    assert loaded.method == "temperature"
    assert loaded.report.n_seed == 60
    # 0.9 was said where 0.8 is true.
    assert 1.0 < loaded.temperatures[0] < 3.0


def test_json_is_the_whole_report(assay, store: str) -> None:
    report = json.loads(assay("calibrate", store, "--json").out)
    assert report["method"] == "temperature"
    assert [q["name"] for q in report["attributes"]] == ["sex"]
    assert report["joint"]["log_loss_after"] > 0.0


def test_the_report_tells_of_a_calibration_file(assay, store: str, folder: Path) -> None:
    assert assay("calibrate", store, "--out", "v.calibration").code == 0
    assert assay("surface", store, "--out", "v.surface").code == 0
    answer = assay("report", "v.surface", "--calibration", "v.calibration")
    assert answer.code == 0, answer.err
    assert "Reliability of each guessed attribute" in (folder / "v.html").read_text()


def test_exact_attributes_need_no_calibration(assay, folder: Path) -> None:
    exact = SPEC.replace('evidence = "p_sex__*"', "")
    frame = pl.read_parquet("pool.parquet").with_columns(sex=pl.lit("f"))
    frame.write_parquet("pool.parquet")
    (folder / "exact.toml").write_text(exact.format(calibration="full"))
    made = assay("init", "exact.assay", "--spec", "exact.toml")
    assert made.code == 0, made.err
    assert "nothing to calibrate" in assay("calibrate", "exact.assay").out
