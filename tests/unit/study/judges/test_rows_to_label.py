"""Rows to label: for the cheapest verdicts first."""

import numpy as np
from certified_world import certified_world

import accuracy_assay as aa


def test_rows_lie_in_the_slice_that_they_settle(rng: np.random.Generator) -> None:
    rows = certified_world(rng, 2_000, 300)
    found = aa.certify(
        rows, ["topic", "length"], "right", judge="llm", tolerance=0.04, service="bot", id="id"
    )
    unsure = {each.place: each for each in found.slices if each.verdict == "not enough labels"}
    picked = found.rows_to_label(1_500)
    assert set(picked["settles"]) <= set(unsure)
    for why, row in zip(picked["settles"], picked.to_dicts(), strict=True):
        each = unsure[why]
        assert all(row[name] == value for name, value in each.where.items())
        assert each.service in (None, row["bot"])
