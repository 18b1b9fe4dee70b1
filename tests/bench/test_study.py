"""A study: its draws and how they are summed up are one value."""

from dataclasses import FrozenInstanceError

import polars as pl
import pytest

from assay_bench.study import Study


def test_a_study_never_changes() -> None:
    study = Study("A title", lambda *_: pl.DataFrame(), lambda d: {"All": d}, 2, (10,))
    with pytest.raises(FrozenInstanceError):
        study.n_draws = 3  # type: ignore[misc]
