"""Who decided about the rows of a surface: words, and its way through a file."""

import json

from accuracy_assay.domain.judge_share import JudgeShare


def test_it_comes_back_from_the_details_of_a_surface() -> None:
    share = JudgeShare("llm", 0.03, 1_200, 300, 7)
    assert JudgeShare.said_by(share.details) == share
    assert JudgeShare.said_by({}) is None
    assert JudgeShare.said_by({"judge_share": {"judge": "llm"}}) is None


def test_slices_come_back_from_a_file() -> None:
    slices = ({"topic": "art"},), ({"topic": "law", "length": "long"},)
    share = JudgeShare("llm", 0.03, 1_200, 300, 7, 2, *slices)
    back = JudgeShare.said_by(json.loads(json.dumps(share.details)))
    assert back is not None
    assert (tuple(back.certified), tuple(back.refused)) == slices
    assert str(back) == str(share)


def test_rows_that_nobody_may_decide_are_named() -> None:
    said = str(JudgeShare("llm", 0.03, 1_200, 300, 7))
    assert said.endswith("; 7 rows it may not decide, and people did not")
