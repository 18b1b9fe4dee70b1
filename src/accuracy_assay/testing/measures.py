"""What every rule of a measure keeps to, on ninety answered rows."""

from __future__ import annotations

import numpy as np
import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.protocols import MeasureRule
from accuracy_assay.runtime.contracts import missing_part
from accuracy_assay.testing.laws import Laws

__all__ = ["MeasureLaws"]

_N_ROWS = 90


class MeasureLaws(Laws):
    """Laws of a `MeasureRule`; say how yours is made, and on which rows."""

    def make(self) -> MeasureRule:
        """Return the rule."""
        raise NotImplementedError("say how the rule is made")

    def rows(self) -> pl.DataFrame:
        """Return labelled rows of which some qualify: truths and answers by default."""
        rng = np.random.default_rng(6)
        sides = {name: rng.choice(["yes", "no", "maybe"], _N_ROWS) for name in ("truth", "said")}
        return pl.DataFrame({"sex": rng.choice(["f", "m"], _N_ROWS), **sides})

    def columns(self) -> Columns:
        """Return what the columns of the rows mean."""
        return Columns(("sex",), y_true="truth", y_pred="said")

    def test_a_rule_follows_the_protocol(self) -> None:
        """It says who qualifies, what counts, and whether lower is better."""
        rule = self.make()
        assert missing_part(rule, MeasureRule) is None
        assert isinstance(rule.is_error, bool)

    def test_every_row_qualifies_or_does_not(self) -> None:
        """Some do; each has one boolean."""
        found = self.make().qualifies(self.rows(), self.columns())
        assert found.dtype == pl.Boolean
        assert (found.len(), found.null_count()) == (self.rows().height, 0)
        assert found.any()

    def test_rows_that_qualify_have_scores_between_zero_and_one(self) -> None:
        """A score for each row, and none that is missing where it counts."""
        rule, rows, columns = self.make(), self.rows(), self.columns()
        scores = rule.scores(rows, columns)
        assert scores.len() == rows.height
        counted = scores.filter(rule.qualifies(rows, columns)).cast(pl.Float64)
        assert counted.null_count() == 0
        assert counted.is_between(0.0, 1.0).all()

    def test_the_columns_that_decide_are_all_that_it_takes_to_qualify(self) -> None:
        """The pool has those of them that are known without a label, and no others."""
        rule, rows, columns = self.make(), self.rows(), self.columns()
        deciding = list(rule.deciding(columns))
        assert set(deciding) <= set(rows.columns)
        alone = rule.qualifies(rows.select(deciding) if deciding else rows, columns)
        assert alone.to_list() == rule.qualifies(rows, columns).to_list()

    def test_every_row_is_judged_by_itself(self) -> None:
        """Other rows do not matter, and neither does their order."""
        rule, rows, columns = self.make(), self.rows(), self.columns()
        for values in (rule.qualifies, rule.scores):
            whole = values(rows, columns).to_list()
            assert values(rows.reverse(), columns).to_list() == whole[::-1]
            assert values(rows[:1], columns).to_list() == whole[:1]
