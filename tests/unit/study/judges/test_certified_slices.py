"""The slices of a certificate: which there are, in which order."""

import numpy as np
from certified_world import certified_world

import accuracy_assay as aa


def test_everything_comes_first_and_small_slices_are_left_out(rng: np.random.Generator) -> None:
    rows = certified_world(rng, 1_000, 400)
    found = aa.certify(
        rows, ["topic", "length"], "right", judge="llm", tolerance=0.05, least_rows=200
    )
    names = [each.slice for each in found.slices]
    assert names[:2] == ["everything", "everything else"]
    assert all(each.rows >= 200 for each in found.slices[2:])
    is_refused = [each.verdict == "may not" for each in found.slices[2:]]
    assert is_refused == sorted(is_refused, reverse=True)


def test_the_figures_of_judge_and_people_differ_by_the_difference(
    rng: np.random.Generator,
) -> None:
    rows = certified_world(rng, 1_000, 400)
    found = aa.certify(rows, ["topic"], "right", judge="llm", tolerance=0.05)
    for each in found.slices:
        assert abs(each.judge - each.people - each.difference) < 1e-9
        assert each.lower <= each.difference <= each.upper
    law = next(each for each in found.slices if each.slice == "topic = law")
    assert law.judge == rows.filter(topic="law")["llm"].mean()
