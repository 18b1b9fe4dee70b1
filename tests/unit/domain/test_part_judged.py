"""What a surface says of judges that scored only a part of the rows."""

from accuracy_assay.domain.part_judged import PartJudged


def test_every_judge_is_named_with_its_count() -> None:
    one, two = PartJudged({"llm": 1200}, 6000), PartJudged({"llm": 1200, "rules": 40}, 6000)
    assert str(one).startswith("the judge 'llm' scored 1,200 of 6,000 rows;")
    assert str(two).startswith(
        "of the judges 'llm' scored 1,200, 'rules' scored 40 of 6,000 rows;"
    )
