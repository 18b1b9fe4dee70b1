"""What is checked before an assay is created, opened or edited."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.agreement import AgreementWarning
from accuracy_assay.domain.events import Edited, PoolChanged
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.session.opening import checked_rows, edit_events, only_one
from accuracy_assay.spec.read import read_spec


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"assay": {"estimator": "anovagp"}}, "estimator .* got 'anovagp'"),
        ({"assay": {"strategy": "best"}}, "strategy .* got 'best'"),
        ({"attribute": [{"name": "sexx"}]}, "column of pool .* got 'sexx'"),
        ({"service": [{"name": "s", "column": "god"}]}, "got 'god'. Did you mean 'good'"),
        ({"judge": [{"name": "j", "column": "god", "services": ["bad"]}]}, "'god'. Did you mean"),
        (
            {"judge": [{"name": "j", "column": "silent", "services": ["bad"]}]},
            "an opinion on some of the pool; got none",
        ),
        ({"label": {"show": {"audio": "fil"}}}, "got 'fil'. Did you mean 'file'"),
        ({"label": {"show": {"text": ["file", "why"]}}}, "got 'why'. Rename"),
        ({"label": {"agreement": "equl"}}, "agreement .* got 'equl'"),
        ({"pool": {"id": "idd"}}, "column of pool .* got 'idd'"),
        ({"pool": {"id": "sex"}}, "unique values"),
        ({"attribute": [{"name": "y", "from_label": True}], "label": {}}, "must have values"),
    ],
)
def test_a_spec_that_does_not_fit_the_pool_creates_nothing(
    bench, sections: Mapping[str, Any], message: str
) -> None:
    bench.pool = bench.pool.with_columns(why=pl.lit("because"), silent=pl.lit(None, pl.Float64))
    with pytest.raises(InputError, match=message):
        bench.create(**sections)
    assert bench.open_store().list() == ()


HTTP: Mapping[str, Any] = {"name": "api", "response": {"prediction": "label"}}


@pytest.mark.parametrize(
    "service",
    [
        {"url": "http://localhost/p", "request": {"deep": [{"q": "say {fil}"}]}},
        {"url": "http://localhost/{fil}"},
        {"url": "http://localhost/p?text={fil}"},
        {"url": "http://localhost/p", "request": {"q": 1}, "headers": {"X-File": "{fil}"}},
    ],
)
def test_a_wrong_column_in_braces_is_found_when_the_assay_is_created(
    bench, service: Mapping[str, Any]
) -> None:
    message = r"column in braces of service 'api' .* got 'fil'\. Did you mean 'file'"
    with pytest.raises(UnknownNameError, match=message):
        bench.create(service=[{**HTTP, **service}])
    assert bench.open_store().list() == ()


def test_a_column_of_the_seed_set_alone_cannot_be_sent(bench) -> None:
    spec = {
        "attribute": [{"name": "sex"}],
        "service": [{**HTTP, "url": "http://localhost/p", "request": {"q": "{transcript}"}}],
        "label": {"column": "y"},
    }
    pool = pl.DataFrame({"id": ["a", "b"], "sex": ["f", "m"]})
    seed = pool.with_columns(y=pl.lit("cat"), transcript=pl.lit("miaow"))
    with pytest.raises(UnknownNameError, match=r"service 'api' .* got 'transcript'"):
        checked_rows(read_spec(spec), pool, seed)
    checked_rows(read_spec(spec), pool.with_columns(transcript=pl.lit("wuff")), seed)


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


def test_predictions_that_are_never_a_choice_are_said_aloud(bench) -> None:
    loud = r"'good' never predicts one of the choices \['Katze', 'Hund'\].*\['cat', 'dog'\]"
    with pytest.warns(AgreementWarning, match=loud):
        bench.create(
            label={"choices": ["Katze", "Hund"]}, service=[{"name": "good", "column": "good"}]
        )


@pytest.mark.parametrize("label", [{}, {"choices": ["cat", "cow"]}, {"agreement": "wer"}])
def test_predictions_that_may_be_choices_are_not_remarked_on(bench, label: Any) -> None:
    bench.create(label=label)


def test_numbers_and_booleans_are_choices_however_they_are_written(bench) -> None:
    bench.pool = bench.pool.with_columns(
        good=(pl.col("good") == "cat").cast(pl.Float64), bad=pl.col("bad") == "cat"
    )
    for column, choices in (("good", ["1", "0"]), ("bad", ["True", "False"])):
        service = [{"name": column, "column": column}]
        name = {"name": column}
        bench.create(assay=name, service=service, label={"choices": choices})


def test_the_columns_that_a_judge_is_sent_must_be_there_and_the_answer_is(bench) -> None:
    judge = {"name": "j", "url": "http://localhost/", "response": {"verdict": "v"}}
    bench.create(judge=[{**judge, "request": {"q": "{file}", "a": "{prediction}"}}])
    with pytest.raises(UnknownNameError, match=r"column in braces of judge 'j' .*'fil'"):
        bench.create(assay={"name": "other"}, judge=[{**judge, "request": {"q": "{fil}"}}])


def edited(bench, assay, changes):
    with assay.session.journal.reading() as ledger:
        rows = assay.session.parts().rows
        return edit_events(assay.spec, rows, (bench.pool, None, None), ledger, changes)


def test_nothing_is_written_where_all_was_so_already(bench) -> None:
    assay = bench.create()
    assert edited(bench, assay, {"assay": {"budget": assay.spec.assay.budget}}) == ()
    assert edited(bench, assay, assay.spec) == ()


def test_a_column_that_is_new_to_the_spec_gets_its_fingerprint(bench) -> None:
    assay = bench.create()
    (only,) = edited(bench, assay, {"assay": {"batch": 3}})
    assert isinstance(only, Edited)
    _, fresh = edited(bench, assay, {"service": [{"name": "new", "column": "truth"}]})
    assert isinstance(fresh, PoolChanged)
    assert set(fresh.columns) == {"truth"}


def test_choices_that_an_attribute_is_made_of_cannot_grow(bench) -> None:
    assay = bench.create(attribute=[{"name": "sex"}, {"name": "kind", "from_label": True}])
    with pytest.raises(InputError, match="attributes must keep their values"):
        edited(bench, assay, {"label": {"choices": ["cat", "dog", "cow"]}})


def test_a_mix_with_an_unknown_value_is_refused_by_name_when_the_assay_is_created(
    bench, tmp_path: Path
) -> None:
    path = tmp_path / "mix.csv"
    wanted = {"strategy": "variance-reduction", "goal": "mix", "mix": str(path)}
    path.write_text("sex,weight\nf,3\nx,1\n")
    with pytest.raises(InputError, match="'x'"):
        bench.create(assay=wanted)
    assert bench.open_store().list() == ()
    path.write_text("sex,weight\nf,3\nm,-1\n")
    with pytest.raises(InputError, match="weights of mix"):
        bench.create(assay=wanted)
    path.write_text("sex,weight\nf,3\nm,1\n")
    assay = bench.create(assay=wanted)
    assert assay.ask(5).height == 5
    status = assay.status()
    assert (status.goal, "mix of your own" in status.choosing) == ("mix", True)
    with pytest.raises(InputError, match="existing file"):
        assay.edit({"assay": {"mix": str(tmp_path / "none.csv")}})


def test_a_goal_needs_a_strategy_that_has_goals(bench) -> None:
    with pytest.raises(InputError, match=r"goal must go with a strategy.*'worst' and 'random'"):
        bench.create(assay={"strategy": "random", "goal": "worst"})
    assert bench.create(assay={"strategy": "random", "goal": "surface"}).ask(2).height == 2
