"""What the columns of a table mean for one service."""

import pytest

from accuracy_assay.domain.eval_log import ServiceColumns
from accuracy_assay.domain.roles.value import ColumnRoles
from accuracy_assay.errors import InputError, UnknownNameError

ROLES = ColumnRoles(
    truth="truth",
    services={
        "scored": ServiceColumns("s_pred", {"exact": "s_exact", "loose": "s_loose"}),
        "compared": ServiceColumns("c_pred"),
        "silent": ServiceColumns(None),
    },
    judges=("judge",),
    cluster="speaker",
)


def test_a_score_comes_before_the_truth() -> None:
    found = ROLES.columns("scored", ["sex"])
    assert (found.score, found.y_true, found.y_pred, found.cluster) == (
        "s_exact",
        None,
        None,
        "speaker",
    )
    assert ROLES.columns("scored", ["sex"], "loose").score == "s_loose"


def test_without_a_score_predictions_are_compared_with_the_truth() -> None:
    found = ROLES.columns("compared", ["sex"])
    assert (found.score, found.y_true, found.y_pred) == (None, "truth", "c_pred")


def test_services_that_nothing_scores_are_refused() -> None:
    assert ROLES.scored == ("scored", "compared")
    with pytest.raises(InputError, match="'silent' must have a score"):
        ROLES.columns("silent", ["sex"])


def test_unknown_services_and_metrics_are_named() -> None:
    with pytest.raises(UnknownNameError, match="compard"):
        ROLES.columns("compard", ["sex"])
    with pytest.raises(UnknownNameError, match="exakt"):
        ROLES.columns("scored", ["sex"], "exakt")


def test_columns_of_services_and_of_the_truth_have_their_part_in_words() -> None:
    assert ROLES.parts == {
        "truth": "is the truth",
        "s_pred": "is the prediction of 'scored'",
        "s_exact": "is a score of 'scored'",
        "s_loose": "is a score of 'scored'",
        "c_pred": "is the prediction of 'compared'",
        "judge": "is a judge",
    }
