"""The attribute that is the label, and the prediction in its place."""

import warnings

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.label_attribute import LabelAttribute, PickedByClassWarning
from accuracy_assay.domain.space import Attribute, AttributeSpace


@pytest.fixture
def label() -> LabelAttribute:
    space = AttributeSpace((Attribute("sex", ("f", "m")), Attribute("digit", (0, 1, 2))))
    return LabelAttribute(space, 1)


def test_the_observed_space_has_the_prediction_and_room_for_other_answers(
    label: LabelAttribute,
) -> None:
    assert label.observed.names == ("sex", "predicted digit")
    assert label.observed.shape == (2, 4)


@pytest.mark.parametrize("answers", [["2", "0", "seven", None], [2.0, 0.0, 7.0, None]])
def test_answers_are_read_as_classes_however_they_are_written(
    label: LabelAttribute, answers: list[object]
) -> None:
    assert label.codes(pl.Series(answers)).tolist() == [2, 0, 3, 3]


def test_no_answer_is_a_prediction_of_its_own_where_some_rows_have_none(
    label: LabelAttribute,
) -> None:
    silent = LabelAttribute(label.space, 1, has_silence=True)
    assert silent.observed.attributes[1].values == ("0", "1", "2", "another answer", "no answer")
    assert silent.codes(pl.Series(["2", "seven", None, " "])).tolist() == [2, 3, 4, 4]
    assert silent.decides(np.array([2, 0]), silent.codes(pl.Series(["2", None])), [1.0, 0.0])


def test_scores_must_follow_from_label_and_prediction(label: LabelAttribute) -> None:
    truth, predicted = np.array([0, 1, 2]), np.array([0, 2, 2])
    assert label.decides(truth, predicted, [1.0, 0.0, 1.0])
    assert not label.decides(truth, predicted, [1.0, 0.5, 1.0])


def test_predictions_take_the_place_of_the_attribute(label: LabelAttribute) -> None:
    codes = np.array([[0, -1], [1, 2]])
    known = label.evidence(Evidence.exact(label.space, codes), np.array([1, 3]))
    assert known.space == label.observed
    assert known.columns[1].tolist() == [1, 3]
    assert label.gold(codes, np.array([1, 3])).tolist() == [[0, 1], [1, 3]]
    assert codes[0, 1] == -1


def test_names_that_are_taken_are_made_different() -> None:
    space = AttributeSpace(
        (Attribute("predicted x", ("a", "b")), Attribute("x", ("a", "another answer")))
    )
    observed = LabelAttribute(space, 1).observed
    assert len(set(observed.names)) == 2
    assert len(set(observed.attributes[1].values)) == 3


def test_a_seed_set_with_as_many_rows_of_each_class_is_questioned(label: LabelAttribute) -> None:
    pool = np.repeat([0, 1, 2, 3], [700, 200, 80, 20])
    with pytest.warns(PickedByClassWarning, match=r"10 of each value of 'digit'.* 80 to 700"):
        label.warn_if_picked(np.repeat([0, 1, 2], 10), pool)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        label.warn_if_picked(np.repeat([0, 1, 2], [14, 10, 6]), pool)
        label.warn_if_picked(np.repeat([0, 1, 2], 10), np.repeat([0, 1, 2], 100))
        label.warn_if_picked(np.repeat([0, 1, 2], 2), pool)
