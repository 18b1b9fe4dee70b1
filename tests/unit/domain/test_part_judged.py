"""What a surface says of judges that scored only a part of the rows."""

import json

import pytest

from accuracy_assay.domain.part_judged import PART_JUDGED, PartJudged


def test_details_survive_a_file() -> None:
    judged = PartJudged({"llm": 1200, "rules": 40}, 6000)
    assert PartJudged.said_by(json.loads(json.dumps(judged.details))) == judged


@pytest.mark.parametrize("found", [None, 3, {}, {"scored": {"llm": 1}}, {"of": 5, "by": 1}])
def test_details_of_another_form_say_nothing(found: object) -> None:
    assert PartJudged.said_by({PART_JUDGED: found}) is None
    assert PartJudged.said_by({}) is None


def test_every_judge_is_named_with_its_count() -> None:
    one, two = PartJudged({"llm": 1200}, 6000), PartJudged({"llm": 1200, "rules": 40}, 6000)
    assert str(one).startswith("the judge 'llm' scored 1,200 of 6,000 rows;")
    assert str(two).startswith(
        "of the judges 'llm' scored 1,200, 'rules' scored 40 of 6,000 rows;"
    )
