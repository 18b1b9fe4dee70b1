"""What is checked before an assay is created or opened."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.assay.opening import checked_rows, only_one
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.spec.read import read_spec


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"assay": {"estimator": "anovagp"}}, "estimator .* got 'anovagp'"),
        ({"assay": {"strategy": "best"}}, "strategy .* got 'best'"),
        ({"attribute": [{"name": "sexx"}]}, "column of pool .* got 'sexx'"),
        ({"service": [{"name": "s", "column": "god"}]}, "got 'god'. Did you mean 'good'"),
        ({"label": {"show": {"audio": "fil"}}}, "got 'fil'. Did you mean 'file'"),
        ({"label": {"show": {"text": ["file", "why"]}}}, "got 'why'. Rename"),
        ({"label": {"agreement": "equl"}}, "agreement .* got 'equl'"),
        ({"pool": {"id": "idd"}}, "column of pool .* got 'idd'"),
        ({"pool": {"id": "sex"}}, "no value twice"),
        ({"attribute": [{"name": "y", "from_label": True}], "label": {}}, "must have values"),
    ],
)
def test_a_spec_that_does_not_fit_the_pool_creates_nothing(
    bench, sections: Mapping[str, Any], message: str
) -> None:
    bench.pool = bench.pool.with_columns(why=pl.lit("because"))
    with pytest.raises(InputError, match=message):
        bench.create(**sections)
    assert bench.open_store().list() == ()


def test_which_assay_must_be_said_where_there_are_several(bench) -> None:
    bench.create()
    bench.create(assay={"name": "others"})
    with pytest.raises(InputError, match="which assay"):
        aa.Assay.open(bench.open_store(), pool=bench.pool)
    assert aa.Assay.open(bench.open_store(), "others", pool=bench.pool).name == "others"
    with pytest.raises(UnknownNameError, match=r"got 'other'\. Did you mean 'others'"):
        aa.Assay.open(bench.open_store(), "other", pool=bench.pool)
    with pytest.raises(InputError, match="new name; got 'pets'"):
        bench.create()


def test_the_only_assay_of_a_store_needs_no_name() -> None:
    assert only_one(("pets",), None) == only_one(("pets",), "pets") == "pets"
    assert only_one(("others", "pets"), "pets") == "pets"
    with pytest.raises(InputError, match=r"none or several; got a store with \[\]"):
        only_one((), None)


def test_a_calibration_is_checked_even_where_none_is_needed(bench) -> None:
    with pytest.raises(UnknownNameError, match=r"calibration .* got 'ful'\. Did you mean 'full'"):
        bench.create(assay={"calibration": "ful"})


def test_a_service_of_another_package_is_built_before_anything_is_written(bench) -> None:
    service = [{"name": "s", "kind": "no_such_module:Service"}]
    with pytest.raises(InputError, match="no_such_module"):
        bench.create(service=service)
    assert bench.open_store().list() == ()


def test_methods_are_checked_before_tables_are_read(guessed) -> None:
    spec = read_spec(guessed.spec | {"assay": {"estimator": "anovagp"}})
    with pytest.raises(UnknownNameError, match="estimator"):
        checked_rows(spec, "no_such_file.csv", None)
    rows = checked_rows(read_spec(guessed.spec), guessed.pool, guessed.seed)
    assert (rows.n_pool, rows.n_rows) == (80, 120)
