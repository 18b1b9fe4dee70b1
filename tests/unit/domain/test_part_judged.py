"""How many rows judges scored, in words and in a surface's details."""

from accuracy_assay.domain.part_judged import PartJudged


def test_details_hold_the_whole_value() -> None:
    found = PartJudged({"llm": 12}, 60)
    assert PartJudged.said_by(found.details) == found
    assert PartJudged.said_by({}) is None
    assert PartJudged.said_by({"part_judged": {"scored": {}}}) is None


def test_every_judge_is_named_with_its_rows() -> None:
    said = str(PartJudged({"llm": 12, "rules": 3000}, 6000))
    assert said.startswith("of the judges 'llm' scored 12, 'rules' scored 3,000 of 6,000 rows")
