"""Laws of the counts: nothing is lost, and order and grouping do not matter."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace

N_ARMS, N_STRATA = 5, 2
SPACE = AttributeSpace((Attribute("a", tuple(range(N_ARMS))),))
STRATA = AttributeSpace((Attribute("z", tuple(range(N_STRATA))),))
SUPPORT = Support.count(SPACE, STRATA, np.arange(N_ARMS * N_STRATA))

ROW = st.dictionaries(
    st.integers(0, N_ARMS * N_STRATA - 1),
    st.sampled_from([0.25, 0.5, 1.0]),
    min_size=1,
    max_size=3,
)
EXACT_ROW = st.integers(0, N_ARMS * N_STRATA - 1).map(lambda cell: {cell: 1.0})
LABEL = st.tuples(ROW | EXACT_ROW, st.sampled_from([0.0, 0.5, 1.0]))
LABELS = st.lists(LABEL, max_size=12)
Labels = list[tuple[dict[int, float], float]]


def observe(labels: Labels) -> Observations:
    entries = [(cell, w / sum(row.values())) for row, _ in labels for cell, w in row.items()]
    rows = Affiliation(
        np.cumsum([0, *(len(row) for row, _ in labels)]),
        np.array([cell for cell, _ in entries], dtype=np.int64),
        np.array([w for _, w in entries]),
    )
    return Observations.from_instances(SUPPORT, rows, [score for _, score in labels])


def counts(seen: Observations) -> tuple[np.ndarray, np.ndarray]:
    found = seen.per_arm().on(np.arange(N_ARMS))
    return found.n, found.correct


@given(LABELS)
def test_counts_add_up_to_the_labels(labels: Labels) -> None:
    seen = observe(labels)
    n, correct = counts(seen)
    np.testing.assert_allclose(n.sum(), len(labels), atol=1e-9)
    np.testing.assert_allclose(correct.sum(), sum(s for _, s in labels), atol=1e-9)
    np.testing.assert_allclose(seen.score_sq.sum(), sum(s * s for _, s in labels), atol=1e-9)
    assert (correct <= n + 1e-9).all()
    assert seen.n_labels == len(labels)


@given(LABELS, LABELS)
def test_merging_is_observing_both(first: Labels, second: Labels) -> None:
    merged, together = observe(first).merge(observe(second)), observe(first + second)
    for ours, theirs in zip(counts(merged), counts(together), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    assert merged.affiliation.n_rows == together.affiliation.n_rows
    assert merged.n_labels == together.n_labels
    np.testing.assert_allclose(merged.score_sq.sum(), together.score_sq.sum())


@given(LABELS, st.randoms(use_true_random=False))
def test_the_order_of_labels_does_not_matter(labels: Labels, random: object) -> None:
    mixed = list(labels)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    for ours, theirs in zip(counts(observe(mixed)), counts(observe(labels)), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


@given(LABELS)
def test_no_two_rows_are_equal_after_merging(labels: Labels) -> None:
    rows = observe(labels).affiliation
    seen = {
        (rows.indices[a:b].tobytes(), rows.weights[a:b].tobytes())
        for a, b in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    }
    assert len(seen) == rows.n_rows
