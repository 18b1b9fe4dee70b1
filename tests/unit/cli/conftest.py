"""The command line as a user meets it: arguments in, exit code and text out."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from command_line import Answer, assay

__all__ = ["assay", "rows", "saved"]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    sex = rng.choice(["F", "M"], 400)
    age = rng.integers(18, 80, 400)
    chance = np.where(sex == "F", 0.9, 0.6) - np.where(age >= 60, 0.3, 0.0)
    path = tmp_path / "rows.csv"
    correct = (rng.random(400) < chance).astype(int)
    pl.DataFrame({"sex": sex, "age": age, "correct": correct}).write_csv(path)
    return path


@pytest.fixture
def saved(assay: Callable[..., Answer], rows: Path, tmp_path: Path) -> Path:
    """A surface file of ``rows`` over sex and age, each arm estimated alone."""
    path = tmp_path / "s.surface"
    answer = assay(
        *("surface", rows, "-a", "sex", "-a", "age:30,60", "--score", "correct"),
        *("--estimator", "beta-independent", "--out", path),
    )
    assert answer.code == 0, answer.err
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: a pool of 80 instances, and a file of their labels."""
    rng = np.random.default_rng(0)
    n = 80
    truth = rng.choice(["cat", "dog"], n)
    pool = pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(n)],
            "sex": rng.choice(["f", "m"], n),
            "file": [f"{i}.wav" for i in range(n)],
            "good_pred": np.where(rng.random(n) < 0.9, truth, "cat"),
        }
    )
    pool.write_parquet(tmp_path / "pool.parquet")
    pl.DataFrame({"id": pool["id"], "label": truth}).write_csv(tmp_path / "labels.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def store(assay: Callable[..., Answer], folder: Path) -> str:
    """An assay of that pool with a budget of 30 labels and the cheapest methods."""
    assay("init", "--from", "pool.parquet")
    spec = folder / "assay.toml"
    text = spec.read_text().replace("anova-gp", "beta-independent").replace("1000", "30")
    spec.write_text(text.replace("variance-reduction", "random"))
    assert assay("init", "my.assay", "--spec", "assay.toml").code == 0
    return "my.assay"


@pytest.fixture
def refereed(rows: Path) -> Path:
    """The rows with the answers of a service and of two others."""
    frame = pl.read_csv(rows)
    rng = np.random.default_rng(0)
    said = {name: rng.choice(["a", "b"], frame.height) for name in ("own", "ibm", "acme")}
    frame.with_columns(**{name: pl.Series(s) for name, s in said.items()}).write_csv(rows)
    return rows


PROVIDERS = """
[assay]
estimator = "anova-gp"
strategy = "random"
budget = 30
[pool]
path = "judged.parquet"
[[attribute]]
name = "sex"
[[service]]
name = "good"
column = "good_pred"
[[service]]
name = "bad"
column = "bad_pred"
[[judge]]
name = "llm"
column = "opinion"
services = ["good"]
"""


@pytest.fixture
def providers(assay: Callable[..., Answer], folder: Path) -> str:
    """An assay of two services, one of them with a judge; no label yet."""
    pool, rng = pl.read_parquet(folder / "pool.parquet"), np.random.default_rng(1)
    opinion, said = rng.random(pool.height).round(2), rng.choice(["cat", "dog"], pool.height)
    judged = pool.with_columns(bad_pred=pl.Series(said), opinion=pl.Series(opinion))
    judged.write_parquet(folder / "judged.parquet")
    (folder / "providers.toml").write_text(PROVIDERS)
    assert assay("init", "providers.assay", "--spec", "providers.toml").code == 0
    return "providers.assay"
