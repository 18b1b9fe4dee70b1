"""The forgiving front: what may be named, and what gives the answer away."""

from typing import Any

import polars as pl
import pytest

from accuracy_assay.domain.space import Attribute
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.study.read.prepare import (
    SignalWarning,
    attribute_names,
    check_target,
    cluster_column,
    cluster_name,
    guessed_space,
    known_codes,
    referee_columns,
    refuse_leak,
    resolve_space,
    signal_names,
    warn_of_blurred_signals,
)

FRAME = pl.DataFrame({"sex": ["F", "M"], "age": [1, 2], "n": [1, 2]})


def test_values_come_from_all_the_tables() -> None:
    space = resolve_space(["sex", "age"], FRAME, FRAME.with_columns(age=pl.Series([2, 3])))
    assert space.shape == (2, 3)


def test_a_declared_attribute_is_taken_as_it_is() -> None:
    declared = Attribute("age", (1, 2, 3), kind="ordinal")
    assert resolve_space([declared], FRAME).attributes == (declared,)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("sex", "attributes must be a list of columns; got 'sex' alone"),
        (Attribute("sex", ("F", "M")), "attributes must be a list of columns; got Attribute"),
        ([3], "column names or Attribute values; got 3"),
        (["sex", "sex"], "attributes must name different columns"),
        ([], "at least one column; got none"),
        (["Sex"], r"got 'Sex'. Did you mean 'sex'\?"),
        (["n"], "differ from the surface's columns"),
    ],
)
def test_what_cannot_span_a_space_is_refused(attributes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        resolve_space(attributes, FRAME)


def test_names_of_columns_and_declared_attributes_mix() -> None:
    assert attribute_names(["sex", Attribute("age", (1, 2))]) == ["sex", "age"]


@pytest.mark.parametrize(
    ("signals", "message"),
    [
        ("sure", "signals must be a list of columns; got the text 'sure'"),
        (["sure", "sure"], "signals must name different columns"),
        (["sex"], "got 'sex', which is an attribute"),
        (["correct"], "got 'correct', which is the score"),
    ],
)
def test_what_cannot_be_a_signal_is_refused(signals: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        signal_names(signals, ["sex"], "correct")


def test_no_signals_are_fine() -> None:
    assert signal_names(None, ["sex"], None) == []
    assert signal_names(("sure",), ["sex"], None) == ["sure"]


def test_there_are_two_targets() -> None:
    check_target("pool")
    check_target("population")
    with pytest.raises(UnknownNameError, match=r"got 'pol'. Did you mean 'pool'\?"):
        check_target("pol")


GUESSES = pl.DataFrame({"p_sex__m": [0.2, 0.7], "p_sex__f": [0.8, 0.3], "age": [1, 2]})
GOLD = GUESSES.with_columns(sex=pl.Series(["m", None]))
LABELLED = GOLD.with_columns(digit=pl.Series([7, 3]))


def test_values_of_a_guess_are_read_off_its_pattern() -> None:
    space = guessed_space(["sex", "age"], [GUESSES], {"sex": "p_sex__*"})
    assert [a.values for a in space.attributes] == [("f", "m"), (1, 2)]


def test_gold_that_names_all_values_says_how_they_are_written() -> None:
    tables = [GUESSES.rename({"p_sex__m": "p_sex__2", "p_sex__f": "p_sex__10"}).drop("age")]
    as_texts = guessed_space(["sex"], tables, {"sex": "p_sex__*"})
    assert as_texts.attributes[0].values == ("10", "2")
    gold = tables[0].with_columns(sex=pl.Series([10, 2]))
    assert guessed_space(["sex"], [*tables, gold], {"sex": "p_sex__*"}).attributes[0].values == (
        2,
        10,
    )


@pytest.mark.parametrize("gold", [["m", None], [None, None]])
def test_gold_of_few_values_leaves_the_pattern_its_own(gold: list[str | None]) -> None:
    table = GUESSES.with_columns(sex=pl.Series(gold, dtype=pl.String))
    space = guessed_space(["sex"], [table], {"sex": "p_sex__*"})
    assert space.attributes[0].values == ("f", "m")


def test_a_declared_guess_keeps_its_order_and_a_revealed_one_comes_from_any_table() -> None:
    declared = Attribute("sex", ("m", "f"))
    space = guessed_space([declared, "digit"], [GUESSES, LABELLED], {"sex": "p_sex__*"})
    assert space.attributes[0] == declared
    assert space.attributes[1].values == (3, 7)
    with pytest.raises(UnknownNameError, match="got 'digit'"):
        guessed_space(["digit"], [GUESSES], {})


def test_evidence_of_no_attribute_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"got 'sexx'\. Did you mean 'sex'\?"):
        guessed_space(["sex"], [FRAME], {"sexx": "p_sex__*"})
    with pytest.raises(InputError, match="differ from the surface's columns"):
        guessed_space(["n"], [FRAME], {})


def test_codes_are_known_where_a_table_has_a_value() -> None:
    space = guessed_space(["sex", "age", "digit"], [LABELLED], {"sex": "p_sex__*"})
    assert known_codes(space, LABELLED).tolist() == [[1, 0, 1], [-1, 1, 0]]
    assert known_codes(space, GUESSES).tolist() == [[-1, 0, -1], [-1, 1, -1]]


def test_signals_beside_guesses_are_warned_of_and_either_alone_is_not() -> None:
    warn_of_blurred_signals(["sure"], [])
    warn_of_blurred_signals([], ["sex"])
    with pytest.warns(SignalWarning, match=r"\['sure'\] with guessed attributes \['sex'\]"):
        warn_of_blurred_signals(["sure"], ["sex"])


LABEL = [0, 1, 2, 0, 1, 2] * 4
GUESS = [0, 1, 1, 0, 2, 2] * 4
EQUAL = [float(a == b) for a, b in zip(LABEL, GUESS, strict=True)]


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64, pl.String])
def test_a_label_beside_the_predicted_class_gives_the_answer_away(dtype: Any) -> None:
    frame = pl.DataFrame({"digit": LABEL, "said": pl.Series(GUESS).cast(dtype)})
    with pytest.raises(InputError, match="signal 'said' must not reveal the score; got attribute"):
        refuse_leak(frame, pl.Series(EQUAL), ["digit"], ["said"])


def test_named_columns_are_enough_to_see_a_leak() -> None:
    frame = pl.DataFrame({"digit": LABEL[:3], "said": GUESS[:3]})
    scores = pl.Series(EQUAL[:3])
    refuse_leak(frame, scores, ["digit"], ["said"])
    with pytest.raises(InputError, match="must not reveal the score"):
        refuse_leak(frame, scores, ["digit"], ["said"], y_true="digit", y_pred="said")


def test_the_predicted_class_alone_is_no_leak() -> None:
    frame = pl.DataFrame({"colour": ["r", "g"] * 12, "said": GUESS})
    refuse_leak(frame, pl.Series(EQUAL), ["colour"], ["said"], y_true="digit", y_pred="said")


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        ("sex", "cluster must be another column .*got 'sex', which is an attribute"),
        ("sure", "got 'sure', which is a signal"),
        ("right", "got 'right', which is the score, the truth or the prediction"),
        (["who"], r"cluster must be the name of one column; got \['who'\]"),
    ],
)
def test_a_cluster_is_a_column_of_its_own(cluster: Any, message: str) -> None:
    assert cluster_name("who", ["sex"], ["sure"], "right", None) == ["who"]
    assert cluster_name(None, ["sex"], ["sure"], "right") == []
    with pytest.raises(InputError, match=message):
        cluster_name(cluster, ["sex"], ["sure"], "right", None)


def test_clusters_are_read_off_all_the_tables() -> None:
    number, text = pl.DataFrame({"who": [1, 2]}), pl.DataFrame({"who": ["2.0", "ann"]})
    assert cluster_column([], number) is None
    column = cluster_column(["who"], number, text)
    assert column is not None
    assert column.to_list() == ["1", "2", "2", "ann"]


def test_an_attribute_cannot_be_a_cluster() -> None:
    with pytest.raises(InputError, match=r"'age' must be of kind .*got 'cluster'.* cluster='age'"):
        resolve_space([Attribute("age", (1, 2), kind="cluster")], FRAME)


def test_attributes_the_score_and_the_truth_are_no_referees() -> None:
    roles = {"sex": "an attribute", "correct": "the score", "truth": "the truth"}
    for name, role in roles.items():
        with pytest.raises(InputError, match=f"got '{name}', which is {role}"):
            referee_columns([name], ["sex"], "own", score="correct", y_true="truth")
    assert referee_columns(["ibm"], ["sex"], "own", score="correct") == ["ibm"]
