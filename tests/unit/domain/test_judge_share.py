"""Who decided about the rows of a surface: words, slack, and its way through a file."""

from accuracy_assay.domain.judge_share import JudgeShare


def test_it_comes_back_from_the_details_of_a_surface() -> None:
    share = JudgeShare("llm", 0.03, 1_200, 300, 7)
    assert JudgeShare.said_by(share.details) == share
    assert JudgeShare.said_by({}) is None
    assert JudgeShare.said_by({"judge_share": {"judge": "llm"}}) is None


def test_a_judge_that_decided_nothing_leaves_no_doubt() -> None:
    assert JudgeShare("llm", 0.03, 0, 300, 7).slack == 0.0
    assert JudgeShare("llm", 0.03, 1, 300, 7).slack == 0.03


def test_rows_that_nobody_may_decide_are_named() -> None:
    said = str(JudgeShare("llm", 0.03, 1_200, 300, 7))
    assert said.endswith("; 7 rows it may not decide, and people did not")
