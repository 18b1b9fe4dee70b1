"""Laws of the loop: it asks within its means, never twice, and sees only what it asked for."""

from typing import Any

import numpy as np
import polars as pl
import pytest
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


DEFAULTS = {"estimator": "anova-gp", "strategy": "variance-reduction"}
FEW = st.fixed_dictionaries(
    {
        "seed_size": st.integers(0, 20),
        "budget": st.integers(0, 12),
        "batch": st.integers(3, 8),
        "seed": st.integers(0, 5),
        "signals": st.sampled_from([None, ["said"]]),
    }
)
# Two classes make few cells: what is compiled for one example serves the others.
IS_LOW = pl.col("sure") < 0.4
SAID = ROWS.with_columns(said=pl.when(IS_LOW).then(pl.lit("a")).otherwise(pl.lit("b")))


def seed_rows(seed: int, size: int) -> list[int]:
    order = np.random.default_rng(seed).spawn(4)[0].permutation(N_ROWS)
    return order[:size].tolist()


@settings(max_examples=8)
@given(FEW)
def test_the_default_methods_keep_the_budget_and_never_ask_twice(options: dict[str, Any]) -> None:
    history = simulate(SAID, **DEFAULTS | options)
    asked = history.picks.get_column("row").to_list()
    labels = history.metrics.get_column("labels").to_list()
    known = seed_rows(options["seed"], options["seed_size"])
    assert len({*asked, *known}) == len(asked) + len(known)
    assert len(asked) == options["budget"]
    full, rest = divmod(options["budget"], options["batch"])
    steps = [options["batch"]] * full + [rest] * (rest > 0)
    assert np.diff(labels).tolist() == steps
    assert labels[0] == len(known)
    assert history.surface.n_labels == labels[-1]
    assert history.picks.get_column("probability").is_between(0.0, 1.0, closed="right").all()


@settings(max_examples=6)
@given(FEW)
def test_the_metrics_of_the_default_methods_are_those_of_their_surface(
    options: dict[str, Any],
) -> None:
    history = simulate(SAID, **DEFAULTS | options)
    gold = SAID.group_by("sex", "age").agg(gold=pl.col("correct").mean(), n_rows=pl.len())
    both = history.surface.to_frame().join(gold, on=["sex", "age"])
    assert both.height == both.filter(pl.col("n_rows") >= 5).height == 4
    error = (both["mean"] - both["gold"]) ** 2
    last = history.metrics.row(-1, named=True)
    assert last["macro_mse"] == pytest.approx(100.0 * error.mean())
    assert last["micro_mse"] == pytest.approx(
        100.0 * float((error * both["n_rows"]).sum()) / N_ROWS
    )
    is_inside = (both["lower"] <= both["gold"]) & (both["gold"] <= both["upper"])
    assert last["coverage_90"] == pytest.approx(100.0 * is_inside.mean())
    assert last["expected_macro_mse"] > 0.0


@settings(max_examples=4)
@given(FEW)
def test_the_default_methods_start_from_the_seed_set_of_every_other(
    options: dict[str, Any],
) -> None:
    counts = [
        simulate(SAID, **methods | options | {"budget": 0}).surface.n.tolist()
        for methods in (DEFAULTS, {})
    ]
    own = SAID[seed_rows(options["seed"], options["seed_size"])]
    by_hand = [own.filter(sex=s, age=a).height for s in "FM" for a in ("old", "young")]
    assert counts[0] == counts[1] == by_hand


@settings(max_examples=4)
@given(FEW)
def test_the_default_methods_see_no_score_that_they_did_not_ask_for(
    options: dict[str, Any],
) -> None:
    told = simulate(SAID, **DEFAULTS | options)
    known = seed_rows(options["seed"], options["seed_size"])
    scores = 1.0 - SAID.get_column("correct").to_numpy()
    seen = [*known, *told.picks.get_column("row").to_list()]
    scores[seen] = 1.0 - scores[seen]
    other = simulate(SAID.with_columns(correct=pl.Series(scores)), **DEFAULTS | options)
    assert other.picks.equals(told.picks)
    assert other.surface.to_frame().equals(told.surface.to_frame())
