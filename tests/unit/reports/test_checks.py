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


def test_as_text_the_verdict_comes_first_and_then_the_reasons() -> None:
    one = make_check("fail", says="too low", places=("- here",), remarks=())
    assert str(Gate((one,), 22_410.0)) == (
        "fail: floor: accuracy of at least 80.0% (22,410 labels, accuracies of rows like these)\n"
        "  too low\n  - here"
    )
    other = make_check("pass", says="fine", remarks=())
    assert str(Gate((one, other), 10.0)).splitlines() == [
        "fail: 1 of 2 checks failed (10 labels, accuracies of rows like these)",
        "",
        "fail: floor: accuracy of at least 80.0%",
        "  too low",
        "  - here",
        "",
        "pass: floor: accuracy of at least 80.0%",
        "  fine",
    ]


@pytest.mark.parametrize(
    ("verdicts", "strict", "why"),
    [
        (("pass", "pass"), True, "all 2 checks (600 labels, accuracies of rows like these)"),
        (
            ("pass", "not enough labels"),
            False,
            "1 of 2 checks cannot be decided (600 labels, accuracies of rows like these)",
        ),
        (
            ("pass", "not enough labels"),
            True,
            "not enough labels, and the gate is strict; 1 of 2 checks cannot be decided "
            "(600 labels, accuracies of rows like these)",
        ),
        (
            ("fail", "not enough labels"),
            True,
            "1 of 2 checks failed; 1 of 2 checks cannot be decided "
            "(600 labels, accuracies of rows like these)",
        ),
    ],
)
def test_a_gate_says_why(verdicts: tuple[str, ...], strict: bool, why: str) -> None:
    assert Gate(tuple(make_check(v) for v in verdicts), 600.0, strict=strict).why == why


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_strict_gate_passes_or_fails(verdict: str) -> None:
    strict = Gate((make_check(verdict),), 600.0, strict=True)
    assert strict.verdict == ("pass" if verdict == "pass" else "fail")
    assert strict.checks[0].verdict == verdict


def test_plain_values_have_the_verdict_of_the_whole_first() -> None:
    values = Gate((make_check("not enough labels"),), 600.0, strict=True).to_dict()
    assert next(iter(values)) == "verdict"
    assert (values["verdict"], values["strict"]) == ("fail", True)
    assert values["checks"][0]["verdict"] == "not enough labels"
