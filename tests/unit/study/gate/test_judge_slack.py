"""How far a judge may be off in a slice: by its tolerance where it is certified, else unknown."""

from dataclasses import replace

import numpy as np
from certified_world import certified_world
from scipy.sparse import csr_array

import accuracy_assay as aa
from accuracy_assay.study.gate.judge_slack import judge_slack

ATTRIBUTES = ("topic", "length")


def test_a_gap_may_be_off_by_both_of_its_values(rng: np.random.Generator) -> None:
    rows = certified_world(rng)
    found = aa.certify(rows, ATTRIBUTES, "right", judge="llm", tolerance=0.05)
    surface = aa.judged_surface(
        rows, ATTRIBUTES, "right", certificate=found, estimator="beta-independent"
    )
    certified = ({"length": "long"}, {"length": "short"})
    share = replace(surface.judge_share, certified=certified)
    surface = surface.with_details(**share.details)
    weight = np.array([surface.mass(where) for where in certified])
    weight = weight / weight.sum(axis=1, keepdims=True)
    gap = csr_array(weight[[0]] - weight[[1]])
    assert judge_slack(surface, gap).tolist() == [2.0 * found.tolerance]
    assert judge_slack(surface, csr_array(weight)).tolist() == [found.tolerance] * 2
    nothing = surface.with_details(**replace(share, decided=0).details)
    assert judge_slack(nothing, gap).tolist() == [0.0]
    mixed = csr_array(0.3 * weight[[0]] + 0.7 * weight[[1]])
    assert judge_slack(surface, mixed).tolist() == [1.0]
