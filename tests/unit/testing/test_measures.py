"""Each law of a rule is broken by a rule that was made to break it, and only then."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl
import pytest

from accuracy_assay.domain.columns import Columns
from accuracy_assay.protocols import MeasureRule
from accuracy_assay.registry import build_measure
from accuracy_assay.testing import MeasureLaws

GOOD = build_measure("recall:yes")
Change = Callable[[pl.Series], pl.Series]


@dataclass(frozen=True)
class Bent:
    """A good rule, some of whose answers are changed afterwards."""

    who: Change = lambda found: found
    what: Change = lambda found: found
    by: tuple[str, ...] = ("truth",)
    is_error: object = False

    def deciding(self, columns: Columns) -> tuple[str, ...]:
        return self.by

    def qualifies(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
        return self.who(GOOD.qualifies(rows, columns))

    def scores(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
        return self.what(GOOD.scores(rows, columns))


def laws_of(rule: object) -> MeasureLaws:
    class Laws(MeasureLaws):
        def make(self) -> MeasureRule:
            return rule  # type: ignore[return-value]

    return Laws()


@pytest.mark.parametrize(
    ("law", "broken"),
    [
        ("a_rule_follows_the_protocol", Bent(is_error="perhaps")),
        ("a_rule_follows_the_protocol", object()),
        ("every_row_qualifies_or_does_not", Bent(who=lambda found: found.cast(pl.Int64))),
        ("every_row_qualifies_or_does_not", Bent(who=lambda found: found & False)),
        ("rows_that_qualify_have_scores_between_zero_and_one", Bent(what=lambda s: s * 2.0)),
        ("rows_that_qualify_have_scores_between_zero_and_one", Bent(what=lambda s: s[:-1])),
        ("the_columns_that_decide_are_all_that_it_takes_to_qualify", Bent(by=("sex",))),
        ("every_row_is_judged_by_itself", Bent(what=lambda s: s - s.mean())),
        ("every_row_is_judged_by_itself", Bent(who=lambda found: found.sort())),
    ],
)
def test_a_law_can_be_broken(law: str, broken: object) -> None:
    getattr(laws_of(GOOD), f"test_{law}")()
    with pytest.raises((AssertionError, pl.exceptions.PolarsError)):
        getattr(laws_of(broken), f"test_{law}")()
