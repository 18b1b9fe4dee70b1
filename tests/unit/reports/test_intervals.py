"""Coverage of intervals by group, against counts made by hand."""

import numpy as np
import pytest

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.scores import coverage
from accuracy_assay.reports.intervals import check_intervals


def test_groups_count_the_arms_whose_interval_holds_the_gold(
    surface: AccuracySurface, gold: Gold
) -> None:
    rows = check_intervals(surface, gold).rows()
    assert [row[:2] for row in rows] == [("20 or more", 3), ("5 to 19", 2), ("20 to 49", 3)]
    assert [row[2] for row in rows] == pytest.approx([2 / 3, 1.0, 2 / 3])
    assert [row[3] for row in rows] == pytest.approx([0.25, 0.5, 0.25])


def test_headline_is_the_metric_of_coverage(surface: AccuracySurface, gold: Gold) -> None:
    headline = check_intervals(surface, gold)["covered"][0]
    assert 100 * headline == pytest.approx(coverage(surface, gold))


def test_headline_is_over_all_arms_where_none_is_large(
    surface: AccuracySurface, gold: Gold
) -> None:
    small = Gold(gold.arms, gold.accuracy, np.full(5, 6.0), gold.variance)
    assert check_intervals(surface, small).rows()[0][:3] == ("all", 5, 0.8)
