from typing import Any

import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.study.gate.requirement import Requirement, requirements


def ask(bars: dict[Any, Any], **options: Any) -> list[Requirement]:
    return requirements(bars, options)


def test_each_bar_is_a_requirement_with_what_belongs_to_it() -> None:
    floor, gap = ask({"min": 0.8, "max_gap": 0.1}, between="sex", confidence=0.9, under="m.csv")
    assert (floor.bar, floor.limit, floor.between, floor.under) == ("min", 0.8, None, "m.csv")
    assert (gap.bar, gap.limit, gap.between, gap.confidence) == ("max_gap", 0.1, "sex", 0.9)


def test_what_may_be_lost_is_the_limit_of_a_comparison() -> None:
    (loss,) = ask({"not_worse_than": "surface"}, by=0.02)
    assert (loss.limit, loss.old) == (0.02, "surface")
    assert ask({"not_worse_than": "surface"})[0].limit == 0.0


@pytest.mark.parametrize(
    ("bars", "options", "said"),
    [
        ({"min": 80.0}, {}, "min must lie in [0, 1]; got 80. Write 80% as 0.8."),
        ({"min": -0.1}, {}, "min must lie in [0, 1]; got -0.1."),
        ({"min": float("nan")}, {}, "min must lie in [0, 1]; got nan."),
        ({"not_worse_than": "x"}, {"by": 2.0}, "by must lie in [0, 1]; got 2. Write 2% as 0.02."),
        ({"min": 0.8}, {"confidence": 95.0}, "Write 95% as 0.95."),
        ({"min": 0.8}, {"confidence": 0.4}, "confidence must lie between 0.5 and 1; got 0.4."),
        ({"max_gap": 0.1}, {}, "max_gap must have between"),
        ({"min": 0.8}, {"between": "sex"}, "between must go with max_gap or not_worse_than"),
        ({"min": 0.8}, {"order": 2}, "order must go with no_slice_below; got it with min."),
        ({"no_slice_below": 0.7}, {"order": 0}, "order must be at least 1 attribute; got 0."),
        ({"no_slice_below": 0.7}, {"least_rows": -1}, "least_rows must be more than 0; got -1."),
        ({"min": 0.8}, {"where": {"sex": "F"}, "under": "m.csv"}, "not both"),
        ({"not_worse_than": "x"}, {"between": "sex", "every_arm": True}, "Write two checks."),
        ({}, {"confidence": 0.9}, "a check must have a bar, one of min, max_gap"),
    ],
)
def test_what_makes_no_sense_is_named(bars: dict, options: dict, said: str) -> None:
    with pytest.raises(InputError) as caught:
        ask(bars, **options)
    assert said in str(caught.value)


def test_what_is_asked_for_is_said_in_words() -> None:
    floor, slices = ask({"min": 0.8, "no_slice_below": 0.7}, under="data/mix.csv")
    assert floor.asks == "accuracy of at least 80.0% under mix.csv"
    assert slices.asks == "no slice of up to 3 attributes below 70.0%"
    (loss,) = requirements({"not_worse_than": "x"}, {"between": "sex"}, None, "old.surface")
    assert loss.asks == "not worse than old.surface, nor for any value of sex"
    (gap,) = ask({"max_gap": 0.1}, between="sex")
    assert gap.asks == "no gap above 10.0 points between values of sex"
    (some,) = ask({"min": 0.5}, where={"age": ["old", "young"]})
    assert some.asks == "accuracy of at least 50.0% where age = old or young"


def test_a_mix_may_be_a_frame() -> None:
    (floor,) = ask({"min": 0.8}, under=pl.DataFrame({"sex": ["F"]}))
    assert floor.asks == "accuracy of at least 80.0% under the mix"
