"""Services of a log are compared by a metric that all of them have."""

from pathlib import Path

import polars as pl
import pytest
from made_logs import lm_eval_text, write_lm_eval

import accuracy_assay as aa
from accuracy_assay.domain.eval_log import EvalLog, ServiceColumns
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.study.compare.of_log import compare_log

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
