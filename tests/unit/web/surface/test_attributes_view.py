"""Which attributes matter, as the page has it, is what the surface says."""

import pytest
from surface_world import make_about, make_surface

from accuracy_assay.web.surface.attributes_view import attributes_view


def test_the_view_has_the_numbers_of_the_ranking_in_its_order() -> None:
    ranking = make_surface().attributes()
    view = attributes_view(make_about(), ranking)
    assert [tuple(each.names) for each in view.attributes] == [a.names for a in ranking.attributes]
    assert [each.share for each in view.pairs] == [pair.share for pair in ranking.pairs]
    assert [each.finding for each in view.attributes] == [a.finding for a in ranking.attributes]
    assert (view.together, view.sd) == pytest.approx((ranking.together, ranking.sd))
