"""The command line as a user meets it: arguments in, exit code and text out."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from accuracy_assay.cli import main


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


@pytest.fixture
def assay(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Answer]:
    def call(*arguments: object) -> Answer:
        monkeypatch.setattr(sys, "argv", ["assay", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return call


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
