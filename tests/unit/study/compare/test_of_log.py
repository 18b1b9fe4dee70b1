"""Services of a log are compared by a metric that all of them have."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from made_logs import lm_eval_text, write_lm_eval

import accuracy_assay as aa
from accuracy_assay.domain.eval_log import EvalLog, ServiceColumns
from accuracy_assay.domain.missing_answers import MissingAnswerWarning
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.join import join_answers
from accuracy_assay.study.compare.of_log import compare_log
from accuracy_assay.study.read.open_rows import rows_of_log

ROWS = pl.DataFrame(
    {
        "id": [str(i) for i in range(80)],
        "sex": ["F", "M"] * 40,
        "truth": ["x"] * 80,
        "a ok": [1.0, 0.0] * 40,
        "a loose": [1.0] * 80,
        "b ok": [1.0] * 80,
        "a said": ["x", "y"] * 40,
        "b said": ["x"] * 80,
    }
)
A = ServiceColumns("a said", {"strict": "a ok", "loose": "a loose"})
B = ServiceColumns("b said", {"strict": "b ok"})
QUICK = {"estimator": "beta-independent"}


def test_the_one_metric_in_common_is_taken() -> None:
    log = EvalLog(ROWS, {"a": A, "b": B}, {"sex": 2}, "truth", "id")
    found = compare_log(log, **QUICK)
    same = aa.compare(ROWS, ["sex"], scores={"a": "a ok", "b": "b ok"}, **QUICK)
    assert [(p.name, p.estimate) for p in found] == [(p.name, p.estimate) for p in same]
    assert [p.name for p in aa.compare(log, ["sex"], services=["b", "a"], **QUICK)] == ["b", "a"]


def test_of_several_metrics_in_common_one_must_be_named() -> None:
    other = ServiceColumns(None, {"strict": "b ok", "loose": "a ok"})
    log = EvalLog(ROWS, {"a": A, "c": other}, {"sex": 2})
    with pytest.raises(InputError, match=r"metric must be named .*\['strict', 'loose'\]"):
        compare_log(log)
    assert len(aa.compare(log, metric="loose", **QUICK)) == 2


def test_without_scores_answers_are_compared_with_the_truth() -> None:
    services = {"a": ServiceColumns("a said"), "b": ServiceColumns("b said")}
    found = compare_log(EvalLog(ROWS, services, {"sex": 2}, "truth"), **QUICK)
    assert [p.name for p in found] == ["b", "a"]
    with pytest.raises(InputError, match="must have scores, or answers and a truth"):
        compare_log(EvalLog(ROWS, services, {"sex": 2}))


def test_what_services_do_not_share_is_refused() -> None:
    other = ServiceColumns(None, {"tone": "b ok"})
    log = EvalLog(ROWS, {"a": A, "b": other}, {"sex": 2}, "truth")
    with pytest.raises(InputError, match=r"a score in common; got a: \['strict', 'loose'\], b: "):
        compare_log(log)
    with pytest.raises(UnknownNameError, match="service must be one of"):
        compare_log(log, services=["c", "a"])
    with pytest.raises(UnknownNameError, match="metric must be one of"):
        compare_log(log, metric="strict")


def test_a_path_of_logs_compares_like_its_log(tmp_path: Path) -> None:
    for model, step in (("small", 2), ("large", 4)):
        lines = [lm_eval_text(n, "x", "x", float(n % step > 0)) for n in range(40)]
        write_lm_eval(tmp_path, model, "sums", lines)
    found = aa.compare(tmp_path, ["level"], **QUICK)
    assert [place.name for place in found] == ["large", "small"]
    assert [p.estimate for p in compare_log(aa.read_log(tmp_path), **QUICK)] == [
        p.estimate for p in found
    ]


def unscored() -> EvalLog:
    """Return a log in which b was asked half of the items, and said nothing to four of them."""
    said = [Answer("a", str(n), "x" if n % 4 else "y", **item(n)) for n in range(80)]
    silent = (3, 7, 11, 15)
    said += [Answer("b", str(n), None if n in silent else "x", **item(n)) for n in range(40)]
    return join_answers(said)


def item(n: int) -> dict[str, Any]:
    return {"target": "x", "facts": {"sex": "FM"[n % 2]}}


def test_items_that_a_service_was_not_asked_are_no_wrong_answers_and_silence_is() -> None:
    log = unscored()
    found = {p.name: p.estimate for p in compare_log(log, ["sex"], **QUICK)}
    assert found["b"].n == found["a"].n == 40
    alone = aa.estimate(log.rows_of("b"), log.columns("b", attributes=["sex"]), **QUICK)
    assert found["b"].mean == pytest.approx(alone.overall.mean, abs=1e-12)
    assert alone.missing_answers is not None
    assert (alone.missing_answers.rows, alone.missing_answers.of) == (4, 40)
    board = compare_log(log, ["sex"], **QUICK)
    assert board.surfaces["b"].missing_answers == alone.missing_answers


def test_a_column_of_answers_asks_about_the_items_of_its_service() -> None:
    log = unscored()
    asked = aa.Columns(("sex",), y_true="target", y_pred="pred:b")
    rows, columns = rows_of_log(log, asked)
    assert (rows.height, columns) == (40, asked)
    labels = {each.service: (each.labels, each.missing) for each in aa.look(log).scores}
    assert labels == {"a": (80, 0), "b": (40, 4)}


def test_rules_for_missing_answers_reach_the_services_of_a_log() -> None:
    log = unscored()
    with pytest.raises(InputError, match=r"'pred:b' must have an answer .* 4 of 40"):
        aa.compare(log, ["sex"], missing_prediction="refuse", **QUICK)
    with pytest.warns(MissingAnswerWarning, match="4 of 40 labelled rows have no answer of some"):
        found = aa.compare(log, ["sex"], missing_prediction="drop", **QUICK)
    assert [p.estimate.n for p in found] == [36, 36]


def test_scored_items_without_an_answer_can_be_left_out_or_refused() -> None:
    rows = ROWS.with_columns(pl.Series("b said", [None] * 8 + ["x"] * 72))
    log = EvalLog(rows, {"a": A, "b": B}, {"sex": 2}, "truth", "id")
    assert [p.estimate.n for p in compare_log(log, **QUICK)] == [80, 80]
    with pytest.raises(InputError, match=r"'b said' must have an answer .* 8 of 80"):
        compare_log(log, missing_prediction="refuse", **QUICK)
    with pytest.warns(MissingAnswerWarning, match="8 of 80 rows"):
        found = compare_log(log, missing_prediction="drop", **QUICK)
    assert [p.estimate.n for p in found] == [72, 72]


def test_services_without_an_item_in_common_are_refused() -> None:
    said = [Answer(s, f"{s}{n}", "x", **item(n)) for s in "ab" for n in range(8)]
    with pytest.raises(InputError, match="must have items in common"):
        compare_log(join_answers(said), ["sex"], **QUICK)
