"""Judge minus people in slices: rows with labels count as they are."""

import numpy as np
import polars as pl
import pytest
from certified_world import TOPICS, certified_world

import accuracy_assay as aa
from accuracy_assay.domain.columns import Columns
from accuracy_assay.study.judges.judged_rows import read_judged
from accuracy_assay.study.judges.slice_differences import SliceDifferences


def differences(rng: np.random.Generator, labels: int, n: int = 600) -> SliceDifferences:
    rows = certified_world(rng, n, labels)
    columns = Columns(("topic", "length"), "right")
    found = read_judged(columns, rows, None, "llm", None, None, ())
    return SliceDifferences(found, rng)


def test_with_a_label_for_almost_every_row_the_difference_is_theirs(
    rng: np.random.Generator,
) -> None:
    found = differences(rng, 599)
    posterior = found.posterior(np.ones((1, found.arms.size), dtype=bool))
    assert posterior.mean == pytest.approx(found.d.mean(), abs=0.002)
    assert posterior.sd[0] < 0.001


def test_more_labels_narrow_every_slice(rng: np.random.Generator) -> None:
    sds = []
    for labels in (100, 400):
        found = differences(rng, labels)
        sds.append(found.posterior(np.eye(found.arms.size, dtype=bool)).sd)
    assert (sds[1] < sds[0]).all()


@pytest.mark.slow
def test_intervals_of_slices_hold_as_often_as_they_say(rng: np.random.Generator) -> None:
    held = []
    for _ in range(40):
        rows = certified_world(rng, 1_500, 300)
        read = read_judged(Columns(("topic",), "right"), rows, None, "llm", None, None, ())
        found = SliceDifferences(read, rng)
        posterior = found.posterior(np.eye(4, dtype=bool))
        gap = rows["llm"] - rows["truth"]
        truth = np.array([gap.filter(rows["topic"] == topic).mean() for topic in TOPICS])
        held.append((posterior.quantile(0.05) <= truth) & (truth <= posterior.quantile(0.95)))
    # 160 intervals: a standard error of 2.4%.
    assert 0.82 < np.mean(held) < 0.98


def test_labels_that_were_chosen_by_the_score_tell_the_same(rng: np.random.Generator) -> None:
    """A judge that says s where s squared are right errs most in the middle, which is asked."""
    errors, n_held, n_draws = [], 0, 20
    for _ in range(n_draws):
        score = rng.random(4_000).round(2)
        right = (rng.random(4_000) < score**2).astype(float)
        chance = np.exp(-(((score - 0.5) / 0.25) ** 2)) + 0.15
        chosen = rng.choice(4_000, 400, replace=False, p=chance / chance.sum())
        label = pl.Series(right).zip_with(
            pl.Series(np.isin(np.arange(4_000), chosen)),
            pl.Series([None] * 4_000, dtype=pl.Float64),
        )
        rows = pl.DataFrame({"kind": rng.choice(["a", "b"], 4_000), "llm": score, "right": label})
        found = aa.certify(rows, ["kind"], "right", judge="llm", tolerance=0.1).whole
        truth = (score - right).mean()
        errors.append(found.difference - truth)
        n_held += found.lower <= truth <= found.upper
    # A slope alone is 3.6 points off on average, and 40% to 50% of its intervals hold.
    assert np.mean(errors) == pytest.approx(0.0, abs=0.02)
    assert n_held >= 0.75 * n_draws
