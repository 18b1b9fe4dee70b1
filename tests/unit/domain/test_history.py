"""A history says how hard a row is: the mean of earlier scores, in ordered classes."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.history import (
    HISTORY,
    check_history,
    refuse_own_scores,
    with_history,
)
from accuracy_assay.errors import InputError, UnknownNameError

NAMES = ["ada", "bob", "cyd"]


def table(**scores: object) -> pl.DataFrame:
    return pl.DataFrame({name: scores.get(name, [0.0, 1.0, 0.0, 1.0]) for name in NAMES})


def level(*tables: pl.DataFrame) -> list[int]:
    column = with_history(tables, NAMES)[-1].get_column(HISTORY)
    return column.to_physical().to_list()


def test_a_row_that_more_services_get_right_is_in_a_higher_class() -> None:
    rows = table(ada=[0, 1, 1, 0], bob=[0, 1, 0, 0], cyd=[0, 1, 0, 0])
    assert level(rows) == [0, 2, 1, 0]


def test_classes_are_ordered_and_of_about_equal_size(rng: np.random.Generator) -> None:
    rows = pl.DataFrame({"ada": rng.random(1_200)})
    column = with_history([rows], ["ada"])[0].get_column(HISTORY)
    assert isinstance(column.dtype, pl.Enum)
    assert column.value_counts().get_column("count").to_list() == [100] * 12
    by_class = rows.with_columns(column).group_by(HISTORY).agg(pl.col("ada").mean()).sort(HISTORY)
    assert by_class.get_column("ada").is_sorted()


def test_a_missing_score_is_left_out_whatever_the_level_of_its_service() -> None:
    """A strong service that is missing makes its row no harder than where it scores as usual."""
    rows = pl.DataFrame({"ada": [0.8, 0.8, 0.7, 0.9], "bob": [0.2, None, 0.1, 0.3]})
    (found,) = with_history([rows], ["ada", "bob"])
    assert found.get_column(HISTORY).to_physical().to_list() == [1, 1, 0, 2]


def test_a_row_without_any_score_is_an_average_one() -> None:
    rows = pl.DataFrame({"ada": [0.0, 0.5, 1.0, None], "bob": [0.0, 0.5, 1.0, float("nan")]})
    (found,) = with_history([rows], ["ada", "bob"])
    assert found.get_column(HISTORY).to_physical().to_list() == [0, 1, 2, 1]


def test_all_tables_are_cut_where_the_pool_is() -> None:
    pool = table(ada=[0.1, 0.4, 0.6, 0.9], bob=[0.1, 0.4, 0.6, 0.9], cyd=[0.1, 0.4, 0.6, 0.9])
    labelled = table(ada=[0.9, 0.1], bob=[0.9, 0.1], cyd=[0.9, 0.1])
    assert level(pool) == [0, 1, 2, 3]
    assert level(pool, labelled) == [3, 0]


def test_booleans_and_numbers_say_the_same() -> None:
    numbers = table(ada=[0, 1, 1, 0], bob=[0, 1, 0, 0])
    booleans = numbers.with_columns(pl.col(NAMES).cast(pl.Boolean))
    made = [with_history([rows], NAMES)[0].drop(NAMES) for rows in (numbers, booleans)]
    assert made[0].equals(made[1])


@pytest.mark.parametrize("scores", [[0.5] * 4, [None] * 4])
def test_scores_that_say_nothing_make_a_constant_signal(
    scores: list[float | None],
) -> None:
    rows = pl.DataFrame({name: pl.Series(scores, dtype=pl.Float64) for name in NAMES})
    (found,) = with_history([rows], NAMES)
    assert found.get_column(HISTORY).n_unique() == 1


def test_tables_stay_as_they_are_without_a_history() -> None:
    assert with_history([table()], [])[0].equals(table())


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (["yes", "no", "no", "yes"], r"history 'ada' must hold scores in \[0, 1\].*got String"),
        ([0.0, 1.0, 2.0, 0.5], r"history 'ada' must be a finite number in \[0, 1\]; got 2.0"),
        ([0.0, 1.0, float("inf"), 0.5], "got inf"),
    ],
)
def test_what_is_no_score_is_refused(scores: list[object], message: str) -> None:
    check_history(table(ada=[None, True, False, True]), NAMES)
    with pytest.raises(InputError, match=message):
        check_history(table(ada=scores), NAMES)


def test_a_missing_column_is_named() -> None:
    with pytest.raises(UnknownNameError, match="eve"):
        check_history(table(), ["eve"])


def test_the_services_own_scores_are_refused_once_chance_is_ruled_out() -> None:
    scores = pl.Series([0.0, 1.0] * 100)
    rows = pl.DataFrame({"ada": scores.cast(pl.Boolean)})
    refuse_own_scores(rows[:50], scores[:50], ["ada"])
    refuse_own_scores(pl.DataFrame({"ada": [None, *scores[1:]]}), scores, ["ada"])
    with pytest.raises(InputError, match="must hold the scores of another service; got the score"):
        refuse_own_scores(rows, scores, ["ada"])
