"""Laws of the loop: it asks within its means, never twice, and sees only what it asked for."""

from typing import Any

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import accuracy_assay as aa

STRATEGIES = st.sampled_from(["random", "largest-variance"])
SIZES = st.fixed_dictionaries(
    {
        "seed_size": st.integers(0, 40),
        "budget": st.integers(0, 60),
        "batch": st.integers(1, 20),
        "seed": st.integers(0, 5),
    }
)
N_ROWS = 60


def make_rows(seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "sex": rng.choice(["F", "M"], N_ROWS),
            "age": rng.choice(["young", "old"], N_ROWS),
            "sure": rng.random(N_ROWS),
            "correct": (rng.random(N_ROWS) < 0.7).astype(float),
        }
    )


ROWS = make_rows()


def simulate(rows: pl.DataFrame, **options: Any) -> aa.History:
    settings = {"estimator": "beta-independent", "strategy": "random", "score": "correct"}
    return aa.simulate(rows, ["sex", "age"], **settings | options)


@settings(max_examples=30)
@given(STRATEGIES, SIZES)
def test_no_row_is_asked_for_twice_and_the_budget_is_kept(
    strategy: str, sizes: dict[str, int]
) -> None:
    history = simulate(ROWS, strategy=strategy, **sizes)
    asked = history.picks.get_column("row")
    labels = history.metrics.get_column("labels")
    assert asked.n_unique() == asked.len()
    assert asked.len() == min(sizes["budget"], N_ROWS - sizes["seed_size"])
    assert labels[0] == sizes["seed_size"]
    assert labels[-1] == sizes["seed_size"] + asked.len() == history.surface.n_labels
    assert labels.diff().drop_nulls().max() is None or labels.diff().max() <= sizes["batch"]


@settings(max_examples=20)
@given(STRATEGIES, SIZES, st.booleans())
def test_scores_that_were_not_asked_for_change_nothing(
    strategy: str, sizes: dict[str, int], use_signals: bool
) -> None:
    options = {"strategy": strategy, "signals": ["sure"] if use_signals else None, **sizes}
    told = simulate(ROWS, **options)
    everything = simulate(ROWS, **{**options, "budget": 0})
    seed_rows = np.random.default_rng(sizes["seed"]).spawn(4)[0].permutation(N_ROWS)
    known = {*seed_rows[: sizes["seed_size"]].tolist(), *told.picks.get_column("row").to_list()}
    hidden = np.array([i not in known for i in range(N_ROWS)])
    scores = ROWS.get_column("correct").to_numpy().copy()
    scores[hidden] = 1.0 - scores[hidden]
    other = simulate(ROWS.with_columns(correct=pl.Series(scores)), **options)
    assert other.picks.equals(told.picks)
    assert other.surface.to_frame().equals(told.surface.to_frame())
    assert everything.surface.n_labels == sizes["seed_size"]


@settings(max_examples=10)
@given(SIZES)
def test_more_budget_only_continues_the_same_history(sizes: dict[str, int]) -> None:
    batch = sizes["batch"]
    short = simulate(ROWS, **{**sizes, "budget": batch})
    long = simulate(ROWS, **{**sizes, "budget": 2 * batch})
    assert long.picks.head(short.picks.height).equals(short.picks)
