"""The ten arms of the appendix."""

import numpy as np

from accuracy_assay.tasks.registry import load_task
from assay_bench import simple_setting
from assay_bench.tasks.simple import ACCURACY, SHARES, simple


def test_the_gold_is_the_papers() -> None:
    gold = load_task("simple").gold()
    np.testing.assert_allclose(gold["truth"], simple_setting.ACCURACY)
    np.testing.assert_allclose(gold["support"] / 100, simple_setting.LABELS)
    assert (len(ACCURACY), len(SHARES)) == (10, 10)


def test_the_order_of_the_rows_is_the_seeds() -> None:
    assert simple(seed=1).rows.equals(simple(seed=1).rows)
    assert not simple(seed=1).rows.equals(simple(seed=2).rows)
