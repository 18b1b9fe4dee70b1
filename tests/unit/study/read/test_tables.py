"""Tables are read and checked once, and every signal becomes a column."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.columns import Columns
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.study.read.tables import (
    cluster_column,
    divide,
    read_tables,
    refuse_leaks,
    require_signals,
    with_signals,
)

ROWS = pl.DataFrame(
    {
        "sex": ["f", "m"] * 30,
        "said": ["unknown", "yes"] * 30,
        "other": ["unknown", "no"] * 30,
        "sure": [0.5, 0.75] * 30,
        "judge": ["good", "bad"] * 30,
        "right": [1.0, 0.0, 1.0] * 20,
    }
)
GIVEN: dict[str, Any] = {
    "signals": ["sure"],
    "referees": ["other"],
    "judges": ["judge"],
    "answer_form": True,
    "score": "right",
    "y_pred": "said",
}


def make(**changes: Any) -> Columns:
    return Columns.of(["sex"], **{**GIVEN, **changes})


def test_every_kind_becomes_a_column() -> None:
    names = make().signal_columns
    require_signals(make(), ROWS)
    whole, part = with_signals(make(), [ROWS, ROWS[:5]])
    assert set(names) <= set(whole.columns)
    assert part.select(names).equals(whole[:5].select(names))


def test_nothing_asked_for_changes_nothing() -> None:
    columns = make(signals=None, referees=None, judges=None, answer_form=False)
    assert with_signals(columns, [ROWS])[0].columns == ROWS.columns


def test_a_missing_column_is_named_by_what_it_is() -> None:
    with pytest.raises(UnknownNameError, match="column of a judge in pool"):
        require_signals(make(), ROWS.drop("judge"), "pool")
    with pytest.raises(UnknownNameError, match="column of pool"):
        require_signals(make(), ROWS.drop("other"), "pool")


def test_the_form_leaks_where_the_prediction_would() -> None:
    columns = Columns.of(["said"], score="right", answer_form=True, y_pred="other")
    scores = (ROWS["said"] == ROWS["other"]).cast(pl.Float64)
    with pytest.raises(InputError, match="signal 'other' must not reveal the score"):
        refuse_leaks(columns, ROWS, scores)


def test_rows_without_a_label_are_the_pool_unless_all_must_have_one() -> None:
    columns = Columns(("sex",), "right")
    rows = ROWS.with_columns(right=pl.when(pl.int_range(pl.len()) < 40).then("right"))
    tables = read_tables(columns, rows)
    assert [part.height for part in tables.parts] == [60, 40]
    assert tables.scores.len() == 40
    whole = read_tables(columns, rows, has_all_labels=True)
    assert whole.pool is None
    assert whole.scores.null_count() == 20


def test_clusters_are_read_off_all_the_tables() -> None:
    number, text = pl.DataFrame({"who": [1, 2]}), pl.DataFrame({"who": ["2.0", "ann"]})
    assert cluster_column(None, number) is None
    column = cluster_column("who", number, text)
    assert column is not None
    assert column.to_list() == ["1", "2", "2", "ann"]


def test_strata_are_cut_by_the_pool_and_hold_every_row() -> None:
    strata, stratum = divide([ROWS[:30], ROWS[30:]], ["said", "judge"])
    assert strata is not None
    assert stratum is not None
    assert strata.names == ("said", "judge")
    np.testing.assert_array_equal(stratum, strata.arm_index(strata.encode(ROWS)))
    assert divide([ROWS], []) == (None, None)
