"""The page says of a judge what its certificate says."""

import numpy as np
import pytest
from certified_world import certified_world
from surface_world import make_about

import accuracy_assay as aa
from accuracy_assay.web.surface.judge_view import judge_view


@pytest.mark.parametrize("statement", ["level", "decisions"])
def test_every_slice_has_the_figures_of_the_certificate(
    statement: str, rng: np.random.Generator
) -> None:
    found = aa.certify(
        certified_world(rng), ["topic"], "right", judge="llm", tolerance=0.05, statement=statement
    )
    view = judge_view(make_about(), found, ["llm", "gpt"])
    assert (view.judge, view.judges, view.tolerance) == ("llm", ["llm", "gpt"], 0.05)
    assert [view.verdict, *view.remarks] == list(found.remarks())
    assert view.is_level == (statement == "level")
    for shown, known in zip(view.slices, found.slices, strict=True):
        assert (shown.place, shown.verdict) == (known.place, known.verdict)
        assert (shown.judge, shown.people) == (known.judge, known.people)
        assert shown.low <= shown.dot <= shown.high
        if statement == "decisions":
            assert (shown.low, shown.dot, shown.high) == (
                known.lower,
                known.difference,
                known.upper,
            )
    assert view.left_out == 0
