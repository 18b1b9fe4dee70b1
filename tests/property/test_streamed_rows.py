"""Whatever a table holds, its Parquet gives the surface of its rows, or is refused as they are.

Where several things are wrong, which of them is named first may differ.
"""

import tempfile
import warnings
from pathlib import Path
from typing import Any

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from observed_rows import assert_same, observed

from accuracy_assay.domain.observations import Observations
from accuracy_assay.errors import InputError

TEXTS = st.sampled_from(["a", "b", " a", "2", "2.0", "TRUE", "true", "é", "e\u0301", "x'y\"z", ""])
WHOLE = st.integers(-2, 2)
FRACTIONS = st.sampled_from([0.0, -0.0, 0.5, 1.0, 2.5] * 20 + [float("nan"), float("inf")])
COLUMNS = st.sampled_from([(TEXTS, pl.String), (WHOLE, pl.Int32), (FRACTIONS, pl.Float32)])
SCORES = st.sampled_from([0.0, 1.0, 0.25, 0.5])


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """Draw a table of messy columns, some of them with missing values."""
    n = draw(st.integers(6, 14))
    columns = {}
    for name in ("a", "A", "signal", "truth", "said"):
        values, dtype = draw(COLUMNS)
        if draw(st.integers(0, 9)) == 0:
            values = values | st.none()
        drawn = draw(st.lists(values, min_size=n, max_size=n))
        columns[name] = pl.Series(drawn, dtype=dtype)
    scores = SCORES | st.none() if draw(st.booleans()) else SCORES
    columns["score"] = pl.Series(draw(st.lists(scores, min_size=n, max_size=n)), dtype=pl.Float64)
    return pl.DataFrame(columns)


OPTIONS = st.sampled_from(
    [
        {"score": "score"},
        {"score": "score", "signals": ["signal"]},
        {"score": "score", "cluster": "signal"},
        {"y_true": "truth", "y_pred": "said"},
        {"y_true": "truth", "y_pred": "said", "signals": ["signal"]},
    ]
)


def outcome(rows: Any, options: dict[str, Any]) -> Observations | None:
    """Return what an estimator is given, None where it is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return observed(rows, attributes=["a", "A"], **options)
        except InputError:
            return None


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(frame=tables(), options=OPTIONS)
def test_parquet_is_its_rows(frame: pl.DataFrame, options: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for k, part in enumerate(frame.iter_slices(5)):
            part.write_parquet(Path(folder) / f"{k}.parquet", row_group_size=2)
        streamed = outcome(folder, options)
    in_memory = outcome(frame, options)
    assert (streamed is None) == (in_memory is None)
    if streamed is not None and in_memory is not None:
        assert_same(streamed, in_memory)
