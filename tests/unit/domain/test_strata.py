"""Signals are cut into strata that are all used, finer where services err."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.space import MISSING
from accuracy_assay.domain.strata import CROWD, clusters_of, stratify
from accuracy_assay.errors import InputError


def test_classes_are_strata_as_they_are() -> None:
    pool = pl.DataFrame({"says": ["b", "a", "b"], "sure": [True, False, True]})
    strata = stratify(pool, ["says", "sure"])
    assert strata is not None
    assert strata.shape == (2, 2)
    assert strata.attribute("says").values == ("a", "b")


def test_numbers_are_cut_finer_where_they_are_low() -> None:
    strata = stratify(pl.DataFrame({"confidence": np.arange(1000) / 1000}), ["confidence"])
    assert strata is not None
    edges = strata.attributes[0].edges
    assert edges == pytest.approx((0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75), abs=1e-9)


@pytest.mark.parametrize(
    "numbers",
    [
        np.concatenate([np.ones(990), np.linspace(0.1, 0.2, 30)]),
        np.concatenate([np.zeros(990), np.linspace(0.1, 0.2, 30)]),
        1.0 - np.arange(100) * 1e-12,
    ],
    ids=["nearly always sure", "nearly always unsure", "sure to twelve digits"],
)
def test_lopsided_numbers_still_fall_into_strata_that_are_all_used(numbers: np.ndarray) -> None:
    pool = pl.DataFrame({"confidence": numbers})
    strata = stratify(pool, ["confidence"])
    assert strata is not None
    used = np.unique(strata.attributes[0].encode(pool.get_column("confidence")))
    assert used.tolist() == list(range(strata.n_arms))


def test_a_class_that_is_missing_is_a_stratum_of_its_own() -> None:
    said = pl.Series("says", ["a", None, "b", None])
    strata = stratify(pl.DataFrame({"says": said}), ["says"])
    assert strata is not None
    assert strata.attributes[0].values == ("a", "b", MISSING)
    assert strata.encode(pl.DataFrame({"says": said}))[:, 0].tolist() == [0, 2, 1, 2]


def test_a_few_whole_numbers_may_be_missing_and_measurements_may_not() -> None:
    few = stratify(pl.DataFrame({"x": [1, 2, None]}), ["x"])
    assert few is not None
    assert few.attributes[0].values == (1, 2, MISSING)
    many = pl.DataFrame({"x": [*range(30), None]})
    with pytest.raises(InputError, match="must be known for every pool row"):
        stratify(many, ["x"])


def test_a_signal_that_never_varies_is_left_out() -> None:
    pool = pl.DataFrame({"same": [1.0, 1.0], "says": ["a", "b"]})
    strata = stratify(pool, ["same", "says"])
    assert strata is not None
    assert strata.names == ("says",)
    assert stratify(pool, ["same"]) is None
    assert stratify(pool, []) is None


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([0.5, None], "signal 'x' must be known for every pool row"),
        ([0.5, float("nan")], "signal 'x' must be known for every pool row"),
        ([str(i) for i in range(201)], "at most 200 classes; got 201"),
    ],
)
def test_a_signal_that_cannot_be_cut_is_refused(column: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        stratify(pl.DataFrame({"x": column}), ["x"])


def test_a_value_that_many_rows_share_is_a_stratum_of_its_own() -> None:
    silent = np.zeros(300)  # "nothing recognised"
    pool = pl.DataFrame({"confidence": np.concatenate([silent, np.linspace(0.01, 1.0, 700)])})
    strata = stratify(pool, ["confidence"])
    assert strata is not None
    code = strata.attributes[0].encode(pool.get_column("confidence"))
    assert np.unique(code[:300]).size == 1
    assert not np.isin(code[300:], code[0]).any()


def test_few_distinct_numbers_are_classes_and_more_are_cut() -> None:
    for n_numbers, kind in ((20, "categorical"), (21, "continuous")):
        strata = stratify(pl.DataFrame({"x": np.arange(400) % n_numbers}), ["x"])
        assert strata is not None
        assert strata.attributes[0].kind == kind


def test_clusters_come_last_and_are_those_of_all_rows() -> None:
    pool = pl.DataFrame({"says": ["b", "a", "b"]})
    strata = stratify(pool, ["says"], pl.Series("speaker", [2, 1, 10, 2]))
    assert strata is not None
    assert strata.names == ("says", "speaker")
    assert strata.attributes[-1].kind == "cluster"
    assert strata.attributes[-1].encode(pl.Series([1, 10, 2])).tolist() == [0, 1, 2]


def test_more_clusters_than_values_of_an_attribute_are_no_obstacle() -> None:
    assert clusters_of(pl.Series("speaker", np.arange(3_000))).size == 3_000


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["ann", None, "bo"], "'speaker' must be known for every row; got 1 without a value"),
        (["ann", " ", "bo"], "got 1 without a value. Give each its own"),
        ([1.0, float("nan"), 2.0], "got 1 without a value"),
        (["ann", "ann "], r"at least two values; got \['ann'\]"),
        ([[1], [2]], r"one value per row; got '\[1\]'"),
    ],
)
def test_rows_without_a_cluster_or_with_the_same_are_refused(column: list, message: str) -> None:
    with pytest.raises(InputError, match=message):
        clusters_of(pl.Series("speaker", column))


def test_classes_whose_order_is_declared_keep_it() -> None:
    sizes = pl.Enum(["small", "medium", "large"])
    strata = stratify(pl.DataFrame({"size": pl.Series(["large", "small"], dtype=sizes)}), ["size"])
    assert strata is not None
    assert strata.attribute("size").kind == "ordinal"
    assert strata.attribute("size").values == ("small", "medium", "large")


def test_what_people_answered_is_cut_at_equal_steps() -> None:
    pool = pl.DataFrame({CROWD: np.linspace(-4.0, 2.0, 50)})
    strata = stratify(pool, [CROWD])
    assert strata is not None
    found = strata.attributes[0]
    assert found.kind == "log-odds"
    assert found.is_ordered
    assert np.diff(found.edges) == pytest.approx(0.75)
