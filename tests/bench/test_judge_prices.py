"""The study of plans by price, at a size that takes seconds."""

from pathlib import Path

import pytest
from frank_like import frank_like

from accuracy_assay.errors import InputError
from assay_bench.judge_prices import JUDGE_PRICES


def test_no_plan_is_dearer_than_the_better(tmp_path: Path) -> None:
    draws = JUDGE_PRICES.draw(frank_like(tmp_path), 1, (150,), None)
    assert draws["judge"].to_list() == ["honest"]
    (table,) = JUDGE_PRICES.summarise(draws).values()
    assert table["dearer than the better"].item() == 0
    with pytest.raises(InputError, match="got no --data"):
        JUDGE_PRICES.draw(None, 1, (150,), None)
