from pathlib import Path

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.study.method import parse_method
from assay_bench.run import Run, perform

TASK = "synthetic:rows=2000,attributes=2,values=3"


def run(**changes: object) -> Run:
    settings = {
        "task": TASK,
        "method": parse_method("beta-independent/largest-variance"),
        "seed": 0,
        "mode": "sizes",
        "sizes": (100, 250, 400),
        "seed_size": 100,
        "batch": 50,
    }
    return Run(**(settings | changes))  # type: ignore[arg-type]


def test_sizes_are_the_wanted_ones_in_order() -> None:
    assert [row["labels"] for row in perform(run(), None)] == [100, 250, 400]


def test_a_size_alone_gives_one_row() -> None:
    assert [row["labels"] for row in perform(run(sizes=(400,)), None)] == [400]


def test_rounds_go_on_to_the_last_size() -> None:
    rows = perform(run(mode="rounds", sizes=(220,)), None)
    assert [row["labels"] for row in rows] == [100, 150, 200, 220]


def test_the_same_run_gives_the_same_errors_and_another_seed_others() -> None:
    first, again, other = (perform(r, None)[-1]["macro_mse"] for r in (run(), run(), run(seed=1)))
    assert first == again
    assert first != other


def test_signals_are_used_only_when_named() -> None:
    without, with_them = (
        perform(run(method=parse_method(name), sizes=(400,)), None)[0]
        for name in ("eb-regression", "eb-regression+signals")
    )
    assert without["labels"] == with_them["labels"]
    assert without["macro_mse"] != with_them["macro_mse"]


def test_fewer_labels_than_the_seed_set_are_refused() -> None:
    with pytest.raises(InputError, match=r"seed set of 100; got \[50\]"):
        run(sizes=(50,))


def test_referees_are_part_of_a_runs_key_only_where_they_are_used() -> None:
    assert "use_referees" not in run().key()["method"]
    assert run(method=parse_method("constant+referees")).key()["method"]["use_referees"]


def test_a_run_uses_the_answers_of_other_services(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    n, names = 300, ("google", "microsoft", "ibm", "deepspeech")
    digit = rng.integers(0, 10, n)
    columns = {"id": np.arange(n), "digit": digit, "attr_train": np.zeros(n, dtype=bool)}
    for name in ("gender", "accent_group", "age_band", "duration_band", "loudness_band"):
        values = {"age_band": ["22_24", "30p"], "duration_band": ["short", "long"]}
        columns[name] = rng.choice(values.get(name, ["quiet", "loud"]), n)
    for name in names:
        said = np.where(rng.random(n) < 0.8, digit, rng.integers(0, 10, n))
        columns |= {f"{name}_pred": said, f"{name}_correct": (said == digit).astype(int)}
        columns[f"{name}_confidence"] = rng.random(n)
    (tmp_path / "audiomnist").mkdir()
    pl.DataFrame(columns).write_parquet(tmp_path / "audiomnist" / "pool.parquet")
    plain, refereed = (
        perform(run(task="am3g", method=parse_method(m), sizes=(200,), seed_size=0), tmp_path)[0]
        for m in ("anova-gp", "anova-gp+referees")
    )
    assert refereed["macro_mse"] < 0.8 * plain["macro_mse"]
    with pytest.raises(InputError, match="coverage experiment must be without referees"):
        perform(run(method=parse_method("constant+referees"), mode="coverage"), tmp_path)
