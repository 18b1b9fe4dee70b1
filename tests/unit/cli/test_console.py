import json

import pytest

from accuracy_assay.cli.console import print_json, remarks, results, steps


def test_results_and_remarks_go_to_different_places(capsys: pytest.CaptureFixture[str]) -> None:
    results().print("a result")
    remarks().print("a remark")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("a result\n", "a remark\n")


def test_a_wide_line_is_not_broken_where_no_one_sees_the_width(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results().print("x" * 150)
    assert capsys.readouterr().out == "x" * 150 + "\n"


def test_what_json_does_not_know_is_printed_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"level": 0.9, "kind": ValueError("x")})
    assert json.loads(capsys.readouterr().out) == {"level": 0.9, "kind": "x"}


def test_progress_ends_where_the_steps_end(capsys: pytest.CaptureFixture[str]) -> None:
    with steps("labels") as advance:
        advance(1, 4, "begun")
        advance(4, 4, "done")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "4/4" in captured.err
    assert "done" in captured.err
