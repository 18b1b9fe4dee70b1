"""Bad input gets an error that names the value and says what to do, before any work is done.

Each case goes through the call that a user types; the command line shows the same message.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay import registry
from accuracy_assay.errors import InputError, MissingExtraError, UnknownNameError

N_ROWS = 40


def table(**columns: Any) -> pl.DataFrame:
    base: dict[str, Any] = {
        "id": [f"x{i}" for i in range(N_ROWS)],
        "sex": ["F", "M"] * (N_ROWS // 2),
        "age": ["young", "young", "old", "old"] * (N_ROWS // 4),
        "p_sex__F": [0.8, 0.3] * (N_ROWS // 2),
        "p_sex__M": [0.2, 0.7] * (N_ROWS // 2),
        "correct": [1.0, 0.0, 1.0, 1.0] * (N_ROWS // 4),
    }
    return pl.DataFrame(base | columns)


def with_one(name: str, row: int, value: Any) -> pl.DataFrame:
    """Return the table with one value replaced."""
    values = table().get_column(name).to_list()
    values[row] = value
    return table(**{name: values})


SPEC: dict[str, Any] = {
    "assay": {"name": "pets", "budget": 5, "estimator": "constant", "strategy": "random"},
    "attribute": [{"name": "sex"}],
    "service": [{"name": "reader", "column": "said"}],
}


def written(path: Path, *values: str) -> Path:
    """Write JSON lines whose attribute ``sex`` has these values, as they are, in turn."""
    rows = zip(range(N_ROWS), (values * N_ROWS)[:N_ROWS], strict=True)
    path.write_text(
        "".join(
            f'{{"id": "x{i}", "sex": {value}, "age": {i % 3}, "correct": {i % 2}, '
            f'"said": "cat", "label": "cat", "meta": {{"a": [{i}]}}}}\n'
            for i, value in rows
        )
    )
    return path


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (['{"v": "f"}'], "must hold one value per row; got \"{'v': 'f'}\""),
        (['"m"', '{"v": "f"}'], 'must hold one value per row; got \'{"v": "f"}\''),
        (['"m"', '["f", "m"]'], 'must hold one value per row; got \'["f", "m"]\''),
    ],
)
def test_objects_and_lists_are_no_values_of_an_attribute(
    tmp_path: Path, values: list[str], message: str
) -> None:
    rows = written(tmp_path / "rows.jsonl", *values)
    spec = {**SPEC, "pool": {"path": str(rows)}, "label": {"choices": ["cat", "dog"]}}
    calls: list[Callable[[], object]] = [
        lambda: estimate(rows, attributes=["sex"]),
        lambda: estimate(rows, attributes=["age", "sex"]),
        lambda: aa.estimate(rows, ["sex"], y_true="label", y_pred="said", estimator="constant"),
        lambda: aa.Assay.create(tmp_path / "pets.assay", spec),
    ]
    for call in calls:
        with pytest.raises(InputError) as refused:
            call()
        assert f"attribute 'sex' {message}" in str(refused.value)
    assert not (tmp_path / "pets.assay").exists()
    found = estimate(rows, attributes=["age"])  # what is not used may be anything
    assert found.space.names == ("age",)


@pytest.mark.parametrize("name", ["label", "said"])
def test_objects_are_no_answers(tmp_path: Path, name: str) -> None:
    rows = written(tmp_path / "rows.jsonl", '"f"', '"m"')
    rows.write_text(rows.read_text().replace(f'"{name}": "cat"', f'"{name}": {{"v": "cat"}}'))
    with pytest.raises(InputError, match=f"column '{name}' .*holds objects"):
        aa.estimate(rows, ["sex"], y_true="label", y_pred="said", estimator="constant")


@pytest.mark.parametrize("half", [r"f\ud800", r"\ud83dx", r"\udc00"])
def test_half_a_character_is_no_value(tmp_path: Path, half: str) -> None:
    rows = written(tmp_path / "rows.jsonl", '"m"', f'"{half}"')
    for call in (
        lambda: estimate(rows, attributes=["sex"]),
        lambda: aa.Assay.create(tmp_path / "pets.assay", {**SPEC, "pool": {"path": str(rows)}}),
    ):
        with pytest.raises(InputError) as refused:
            call()
        assert "must hold whole characters; got " in str(refused.value)
        assert f'"sex": "{half[: half.index("u") + 5]} in line 2' in str(refused.value)
    assert not (tmp_path / "pets.assay").exists()


def test_an_object_is_no_label(tmp_path: Path) -> None:
    rows = written(tmp_path / "rows.jsonl", '"f"', '"m"')
    with aa.Assay.create(tmp_path / "pets.assay", SPEC, pool=rows) as assay:
        for label in ({"v": "cat"}, ["cat", "dog"]):
            with pytest.raises(InputError, match="label must be one text, number or boolean"):
                assay.tell(["x1"], [label], "ann")
        assert assay.status().labels == 0


def estimate(rows: Any, **options: Any) -> object:
    settings = {"attributes": ["sex", "age"], "score": "correct", "estimator": "constant"}
    return aa.estimate(rows, **settings | options)


def simulate(rows: Any, **options: Any) -> object:
    settings = {"strategy": "random", "seed_size": 10, "budget": 10, "batch": 5}
    settings |= {"attributes": ["sex", "age"], "score": "correct", "estimator": "constant"}
    return aa.simulate(rows, **settings | options)


both = pytest.mark.parametrize("call", [estimate, simulate])
declared_age = aa.Attribute("age", ("young", "middle"))


@both
@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (table(), {"attributes": ["sex", "Age"]}, r"'Age'. Did you mean 'age'\?"),
        (table(), {"score": "corect"}, r"got 'corect'. Did you mean 'correct'\?"),
        (table(), {"signals": ["confidence"]}, "got 'confidence'"),
        (table(), {"attributes": ["sex", declared_age]}, "'age' must be one of .*; got 'old'"),
        (with_one("correct", 3, float("nan")), {}, r"in \[0, 1\]; got nan in row 3"),
        (with_one("correct", 3, float("inf")), {}, r"in \[0, 1\]; got inf in row 3"),
        (with_one("correct", 7, 1.5), {}, r"in \[0, 1\]; got 1.5 in row 7"),
        (with_one("correct", 7, -0.1), {}, r"in \[0, 1\]; got -0.1 in row 7"),
        (table(correct=["yes", "no"] * 20), {}, "must hold numbers .* got String"),
        (with_one("age", 21, None), {}, "'age' must have a value in every row; .* in row 21"),
        (table().head(0), {}, "rows must have at least one row; got an empty table"),
        (with_one("id", 5, "x2"), {"id": "id"}, "unique values; got 'x2' 2 times. Drop"),
        (table(), {"id": "key"}, "got 'key'"),
        (table(age="old"), {}, r"'age' must have at least two values; got \['old'\]. Drop it"),
        (table(), {"attributes": "sex"}, "attributes must be a list of columns"),
        (table(), {"attributes": []}, "at least one column; got none"),
        (table(), {"attributes": ["sex", "sex"]}, "different columns; got"),
        (table(), {"estimator": "constnat"}, r"'constnat'. Did you mean 'constant'\?"),
        (table(), {"estimator": 3}, "estimator must be a name .*; got 3"),
        (table(), {"target": "pole"}, r"target must be one of \[pool, population\]; got 'pole'"),
        (table(), {"prior_strength": -1.0}, "prior_strength must be at least 0; got -1"),
        (table(), {"score": None}, "rows must be scored by score=<column>"),
        (
            table(),
            {"score": None, "y_true": "sex", "y_pred": "age", "agreement": "equals"},
            r"'equals'. Did you mean 'equal'\?",
        ),
        (table().to_dict(), {}, "rows must be a pandas, Polars or PyArrow frame"),
        (None, {}, "rows must be a pandas, Polars or PyArrow frame, .*; got NoneType"),
        ("missing.csv", {}, "rows must be an existing file; got 'missing.csv'"),
        ("rows.xlsx", {}, r"file type of rows \(rows.xlsx\) must be one of \[.csv"),
    ],
)
def test_bad_input_is_named(call: Any, rows: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(rows, **options)


def test_a_simulation_must_know_every_score() -> None:
    with pytest.raises(InputError, match=r"in \[0, 1\]; got nan in row 3"):
        simulate(with_one("correct", 3, None))


@both
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x9,F,old,1,0,1,extra", "rows.csv. must have .*; got 7 fields instead of 6 in line 12"),
        ("x9,F,old", "rows.csv. must have .*; got 3 fields instead of 6 in line 12"),
    ],
)
def test_a_csv_with_a_ragged_row_is_refused(
    call: Any, line: str, message: str, tmp_path: Path
) -> None:
    lines = table().write_csv().splitlines()
    (tmp_path / "rows.csv").write_text("\n".join([*lines[:11], line, *lines[12:], ""]))
    with pytest.raises(InputError, match=message):
        call(tmp_path / "rows.csv")


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        (table().head(0), "pool must have at least one row"),
        (table().drop("age"), "column of pool must be one of .*; got 'age'"),
        (with_one("id", 5, "x2"), "column 'id' of pool must have unique values; got 'x2'"),
        (with_one("sex", 30, None), "'sex' must have a value in every row; .* in row 30"),
    ],
)
def test_a_bad_pool_is_named(pool: pl.DataFrame, message: str) -> None:
    with pytest.raises(InputError, match=message):
        estimate(table(), pool=pool, id="id")


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (with_one("p_sex__F", 4, 0.1), {}, "'sex' in row 4 must sum to one; got"),
        (with_one("p_sex__F", 4, -0.8), {}, "'sex' in row 4 must not be negative"),
        (with_one("p_sex__F", 4, float("nan")), {}, "'sex' in row 4 must be numbers"),
        (table(), {"evidence": {"sex": "q_sex__*"}}, "q_sex__"),
        (table(), {"evidence": {"colour": "p_sex__*"}}, "got 'colour'"),
        (table().drop("p_sex__M"), {}, "'M'|p_sex__M"),
    ],
)
def test_bad_evidence_is_named(rows: pl.DataFrame, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        simulate(rows, **{"evidence": {"sex": "p_sex__*"}, **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "rnadom"}, r"'rnadom'. Did you mean 'random'\?"),
        ({"strategy": np.mean}, "strategy must be a name"),
        ({"from_label": ["colour"]}, "got 'colour'"),
        ({"batch": 0}, "batch must be a whole number from 1; got 0"),
        ({"seed_size": 41}, "seed_size must be a whole number from 0 to 40; got 41"),
        ({"seed": -1}, "seed must be a whole number from 0; got -1"),
    ],
)
def test_a_bad_plan_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        simulate(table(), **options)


def test_a_missing_extra_names_itself_and_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needs_an_extra.py").write_text("import torchvision.models\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(__import__("sys").modules, "torchvision", None)
    monkeypatch.setitem(registry.ESTIMATORS, "deep", "needs_an_extra:Deep")  # type: ignore[arg-type]
    remedy = r"extra 'vision'; .* pip install 'accuracy-assay\[vision\]'"
    with pytest.raises(MissingExtraError, match=remedy):
        estimate(table(), estimator="deep")


def test_an_unknown_name_is_an_input_error_so_that_one_handler_serves() -> None:
    with pytest.raises(UnknownNameError) as caught:
        estimate(table(), attributes=["colour"])
    assert isinstance(caught.value, aa.AssayError)
    assert isinstance(caught.value, InputError)
