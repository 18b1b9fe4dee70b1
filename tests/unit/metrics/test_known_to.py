"""What is known to how many points: the whole, and the value of an attribute known least."""

import numpy as np
import pytest
from surface_world import make_surface

from accuracy_assay.metrics.known_to import known_to


def test_it_is_half_of_the_widths_of_the_whole_and_of_the_widest_value() -> None:
    surface = make_surface()
    whole, worst = known_to(surface)
    overall = surface.overall
    assert whole == pytest.approx((overall.upper - overall.lower) / 2.0)
    widths = [
        (row["upper"] - row["lower"]) / 2.0
        for name in surface.space.names
        for row in surface.marginal(name).iter_rows(named=True)
        if row["support"] > 0.0
    ]
    assert worst == pytest.approx(max(widths))


def test_a_value_of_very_few_rows_does_not_count() -> None:
    surface = make_surface()
    support = np.where(surface.space.codes(surface.arms)[:, 0] == 0, 1_000_000.0, 0.001)
    rare = make_surface(support=support, n=np.zeros(support.size), correct=np.zeros(support.size))
    kept = rare.at(sex="F")
    assert known_to(rare)[1] < 0.5
    assert kept.support > rare.at(sex="M").support
