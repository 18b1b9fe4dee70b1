from pathlib import Path

import numpy as np

from accuracy_assay.domain.evidence import Evidence
from assay_bench.tasks.celeb_faces import celeb_faces


def test_twelve_attributes_span_4096_arms_and_all_are_guessed(tables: Path) -> None:
    task = celeb_faces(tables)
    assert task.space.n_arms == 4_096
    assert set(task.evidence) == set(task.attributes)
    assert task.columns.evidence == task.evidence


def test_a_column_of_ones_probability_is_the_evidence_of_both_values(tables: Path) -> None:
    task = celeb_faces(tables)
    evidence = Evidence.from_frame(task.rows, task.space, task.evidence)
    stated = task.rows["p_male__1"].to_numpy()
    np.testing.assert_allclose(
        evidence.probabilities(task.attributes.index("male")),
        np.stack([1.0 - stated, stated], axis=1),
        atol=1e-6,
    )
