import pytest
from gate_world import make_check, make_gate

from accuracy_assay.reports.checks import VERDICTS, Gate


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        (("pass", "pass"), "pass"),
        (("pass", "not enough labels"), "not enough labels"),
        (("not enough labels", "fail", "pass"), "fail"),
    ],
)
def test_the_worst_verdict_is_that_of_the_gate(verdicts: tuple[str, ...], whole: str) -> None:
    gate = make_gate(*(make_check(v) for v in verdicts))
    assert (gate.verdict, gate.passed) == (whole, whole == "pass")
    assert len(gate) == len(verdicts)


def test_a_frame_has_a_row_for_each_check() -> None:
    frame = make_gate().to_frame()
    assert frame["verdict"].to_list() == list(VERDICTS)
    assert frame.columns == ["name", "verdict", "chance", "labels_to_settle", "says"]


def test_as_text_each_check_is_a_line_and_the_gate_the_last() -> None:
    gate = Gate((make_check("fail", says="too low"),), 10.0)
    assert str(gate) == "fail: floor: too low\nthe gate: fail, of rows like these"
