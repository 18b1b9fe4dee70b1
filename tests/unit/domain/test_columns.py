"""What columns mean is said once, and parts that exclude each other are refused."""

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from accuracy_assay.domain.answer_form import ANSWER_FORM
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.history import HISTORY
from accuracy_assay.domain.missing_answers import MissingAnswers
from accuracy_assay.domain.referees import REFEREES
from accuracy_assay.domain.space import Attribute
from accuracy_assay.domain.text.attribute import TextAttribute
from accuracy_assay.errors import InputError

GIVEN: dict[str, Any] = {
    "score": "right",
    "y_pred": "said",
    "signals": ["sure"],
    "referees": ["other"],
    "judges": ["judge"],
    "history": ["old", "older"],
    "answer_form": True,
    "cluster": "who",
}


def make(**changes: Any) -> Columns:
    return Columns.of(["sex"], **{**GIVEN, **changes})


def test_names_are_those_of_columns_declared_attributes_and_texts() -> None:
    texts = TextAttribute("said", "question")
    assert Columns.of(["sex", Attribute("age", (1, 2)), texts]).names == ("sex", "age", "question")


def test_lists_and_none_are_taken_where_columns_are_tuples() -> None:
    columns = make(signals=None, evidence=None)
    assert (columns.signals, columns.judges, columns.evidence) == ((), ("judge",), {})


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("sex", "attributes must be a list of columns; got 'sex' alone"),
        (Attribute("sex", ("F", "M")), "attributes must be a list of columns; got Attribute"),
        ([3], "column names or Attribute values; got 3"),
        (["sex", "sex"], "attributes must name different columns"),
        ([], "at least one column; got none"),
        (
            [Attribute("age", (1, 2), kind="cluster")],
            r"'age' must be of kind .*got 'cluster'.* cluster='age'",
        ),
        (
            [Attribute("age", kind="log-odds", edges=(1.0, 2.0))],
            "'age' must be of kind .*got 'log-odds'",
        ),
    ],
)
def test_what_cannot_be_an_attribute_is_refused(attributes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Columns.of(attributes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"signals": "sure"}, "signals must be a list of columns; got the text 'sure'"),
        ({"referees": "ibm"}, "referees must be a list of columns; got the text 'ibm'"),
        ({"judges": "llm"}, "judges must be a list of columns; got the text 'llm'"),
        ({"from_label": "digit"}, "from_label must be a list of columns; got the text 'digit'"),
        ({"signals": ["sure", "sure"]}, "signals must name different columns"),
        ({"signals": ["sex"]}, "got 'sex', which is an attribute"),
        ({"signals": ["right"]}, "got 'right', which is the score"),
        ({"referees": ["sex"]}, "got 'sex', which is an attribute"),
        ({"referees": ["right"]}, "got 'right', which is the score"),
        ({"referees": ["truth"], "y_true": "truth"}, "got 'truth', which is the truth"),
        ({"referees": ["said"]}, "got 'said', which is the prediction itself"),
        ({"referees": ["other", "other"]}, "referees must name different columns"),
        (
            {"y_pred": None, "answer_form": False},
            "referees must have a prediction to look at; got none",
        ),
        ({"judges": ["judge", "judge"]}, "judges must name different columns"),
        ({"judges": ["sex"]}, "'sex', which is an attribute"),
        ({"judges": ["sure"]}, "'sure', which is a signal"),
        ({"judges": ["other"]}, "'other', which is a referee"),
        ({"judges": ["right"]}, "'right', which is the score"),
        ({"judges": ["said"]}, "'said', which is the prediction itself"),
        ({"history": "old"}, "history must be a list of columns; got the text 'old'"),
        ({"history": ["old", "old"]}, "history must name different columns"),
        ({"history": ["sex"]}, "history must be scores of .*got 'sex', which is an attribute"),
        ({"history": ["right"]}, "'right', which is the score"),
        ({"history": ["said"]}, "'said', which is the prediction itself"),
        ({"history": ["sure"]}, "'sure', which is a signal"),
        ({"history": ["other"]}, "'other', which is a referee"),
        ({"history": ["judge"]}, "'judge', which is a judge"),
        ({"cluster": "old"}, "got 'old', which is of the history"),
        ({"y_true": "judge"}, "'judge', which is the truth"),
        ({"y_pred": None, "referees": None}, "answer_form must have a prediction"),
        ({"cluster": "sex"}, "cluster must be a column other .*got 'sex', which is an attribute"),
        ({"cluster": "sure"}, "got 'sure', which is a signal"),
        ({"cluster": "judge"}, "got 'judge', which is a judge"),
        ({"cluster": "said"}, "got 'said', which is the prediction itself"),
        ({"cluster": "right"}, "got 'right', which is the score"),
        ({"cluster": ["who"]}, r"cluster must be the name of one column; got \['who'\]"),
    ],
)
def test_parts_that_exclude_each_other_are_refused(changes: dict[str, Any], message: str) -> None:
    make()
    with pytest.raises(InputError, match=message):
        make(**changes)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("score", ["right"], r"score must be the name of one column; got \['right'\]"),
        ("y_true", 3, "y_true must be the name of one column; got 3"),
        ("evidence", ["p"], r"evidence must map guessed attributes to patterns .*got \['p'\]"),
        ("signals", "sure", "signals must be a list of columns; got the text 'sure'"),
        ("attributes", None, "attributes must be a list of columns; got None alone"),
    ],
)
def test_a_field_of_another_kind_is_refused(field: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Columns(**{"attributes": ("sex",), field: value})


def test_a_value_is_a_value() -> None:
    given = {"signals": ["sure"], "evidence": {"sex": "p__*"}}
    assert Columns(["sex"], **given) == Columns.of(("sex",), **given)  # type: ignore[arg-type]
    assert hash(Columns(("sex",), evidence={"sex": "p__*"})) == hash(Columns(("sex",)))


def test_a_question_refuses_what_it_cannot_take_into_account() -> None:
    make().refuse("a plan", "weight", "evidence")
    with pytest.raises(InputError, match=r"judges must be left out of a plan; got \['judge'\]"):
        make().refuse("a plan", "weight", "judges")


def test_a_change_is_checked_as_the_whole_was() -> None:
    with pytest.raises(InputError, match="'judge', which is the truth"):
        replace(make(), y_true="judge")


def test_every_kind_of_signal_has_a_column() -> None:
    assert make().asked_for == ("sure", "judge", "other", ANSWER_FORM, "old", "older")
    made = ("sure", "judge", REFEREES, ANSWER_FORM, HISTORY)
    assert make().signal_columns == made
    assert not make().is_plain
    plain = make(referees=None, judges=None, history=None, answer_form=False)
    assert not replace(plain, history=("old",)).is_plain
    assert plain.is_plain
    assert plain.signal_columns == ("sure",)


def test_attributes_are_exact_unless_they_are_guessed_or_revealed() -> None:
    asked = ["sex", "age", "digit", Attribute("place", ("a", "b"), missing="guess")]
    columns = Columns.of(asked, evidence={"age": "p__*"}, from_label=["digit"], cluster="who")
    assert columns.exact == ("sex",)
    assert columns.hidden == ("digit", "age", "place")
    assert columns.needed == ("sex", "place", "who")


def test_scores_come_from_a_column_or_from_truth_and_prediction() -> None:
    rows = pl.DataFrame({"sex": ["F", "M"], "truth": ["a", "b"], "said": ["a", "c"]})
    compared = Columns.of(["sex"], y_true="truth", y_pred="said")
    assert compared.scores(rows).to_list() == [1.0, 0.0]
    assert (compared.label, compared.scored_by) == ("truth", ("truth", "said"))
    assert (make().label, make().scored_by) == ("right", ("right",))


def test_columns_are_given_whole_or_one_by_one() -> None:
    columns = make()
    assert Columns.of(columns, score=None, agreement="equal", signals=()) is columns
    with pytest.raises(InputError, match="as a whole; got Columns and y_true"):
        Columns.of(columns, y_true="truth")


SILENT = pl.DataFrame(
    {"sex": ["f", "m", "f"], "truth": ["a", "b", None], "said": ["a", " ", None]}
)


def silent(rule: Any, **given: Any) -> Columns:
    return Columns.of(["sex"], y_true="truth", y_pred="said", missing_prediction=rule, **given)


def test_rows_without_an_answer_stay_unless_they_are_left_out() -> None:
    assert silent("wrong").answered(SILENT).height == 3
    assert silent("drop").answered(SILENT)["said"].to_list() == ["a"]
    assert silent("drop").answered(SILENT.drop("said")).height == 3


def test_labelled_rows_without_an_answer_are_counted() -> None:
    assert silent("wrong").missing_answers(SILENT[:2]) == MissingAnswers("wrong", 1, 2)
    assert silent("wrong").missing_answers(SILENT.drop("said")) is None
    scored = Columns.of(["sex"], score="right", y_pred="said")
    assert scored.missing_answers(SILENT) is None


def test_the_rule_of_a_whole_stands_beside_the_usual_one() -> None:
    whole = silent("drop")
    assert Columns.of(whole, missing_prediction="wrong") is whole
    with pytest.raises(InputError, match="got Columns and missing_prediction"):
        Columns.of(whole, missing_prediction="refuse")


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(InputError, match="missing_prediction"):
        silent("skip")
