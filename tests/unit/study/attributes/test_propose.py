"""Columns that matter are proposed, copies are redundant, and columns of nothing stay out."""

import numpy as np
import polars as pl
import pytest
from fake_embedder import install_embedder

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.study.attributes.propose import Proposal, Proposals, propose_attributes


def world(n_labels: int = 500, n_null: int = 8) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a pool and its labelled rows: ``light`` and ``age`` matter beside ``sex``."""
    rng = np.random.default_rng(6)
    n = 3000
    sex, light = rng.choice(["f", "m"], n), rng.choice(["day", "night"], n)
    age = rng.uniform(18, 90, n)
    chance = 0.85 - 0.1 * (sex == "m") - 0.3 * (light == "night") - 0.25 * (age > 60)
    columns = {
        "id": [f"x{i}" for i in range(n)],
        "sex": sex,
        "light": light,
        "age": age,
        "lamp": np.where(light == "night", "on", "off"),
        "gender": np.char.upper(sex.astype(str)),
        **{f"null{k}": rng.integers(0, 2 + k, n) for k in range(n_null)},
        "right": (rng.random(n) < chance).astype(int),
    }
    pool = pl.DataFrame(columns)
    pool = pool.with_columns(outcome=pl.when(pl.col("right") == 1).then(pl.lit("ok")))
    return pool, pool[:n_labels]


def propose(n_labels: int = 500, **options: object) -> Proposals:
    pool, labelled = world(n_labels)
    return propose_attributes(
        labelled, ["sex"], "right", pool=pool, estimator="beta-independent", **options
    )


@pytest.fixture(scope="module")
def found() -> Proposals:
    return propose()


def by_name(found: Proposals) -> dict[str, Proposal]:
    return {p.column: p for p in found}


def test_columns_that_matter_come_first_and_are_proposed(found: Proposals) -> None:
    names = [p.column for p in found.proposed]
    assert len(names) == 2
    assert names[0] in ("light", "lamp")
    assert names[1] == "age"
    assert [p.column for p in found.columns[:2]] == names
    for proposal in found.proposed:
        assert proposal.gain > 2 * proposal.gain_se
    assert by_name(found)["age"].as_typed.startswith("age:")


def test_columns_of_nothing_are_not_proposed(found: Proposals) -> None:
    nulls = [p for p in found if p.column.startswith("null")]
    assert len(nulls) == 8
    assert {p.finding for p in nulls} == {"no sign that it helps"}


def test_copies_of_attributes_and_of_better_columns_are_redundant(found: Proposals) -> None:
    copies = by_name(found)
    assert copies["gender"].finding == "redundant: sex determines it"
    twins = [copies["light"], copies["lamp"]]
    assert sorted(p.is_proposed for p in twins) == [False, True]
    told = next(p for p in twins if not p.is_proposed)
    assert told.determined_by == next(p.column for p in twins if p.is_proposed)


def test_identifiers_and_what_gives_the_score_away_are_not_judged(found: Proposals) -> None:
    assert found.skipped == {
        "id": "is an identifier: every row has its own value",
        "outcome": "gives away the score of every labelled row",
    }


def test_frame_lists_all_that_were_judged(found: Proposals) -> None:
    frame = found.to_frame()
    assert frame.height == len(found) == 12
    assert frame["finding"][0] == "proposed"


def test_asked_for_columns_alone_are_judged() -> None:
    assert [p.column for p in propose(columns=["null0"])] == ["null0"]
    left = propose(200, leave_out=["light", "lamp", "age", "outcome"])
    assert not {"light", "lamp", "age"} & {p.column for p in left}


def test_rows_without_a_score_are_the_pool() -> None:
    pool, _ = world()
    some = pool.with_columns(
        right=pl.when(pl.int_range(pl.len()) < 300).then(pl.col("right"))
    ).drop("outcome")
    found = propose_attributes(some, ["sex"], "right", estimator="beta-independent")
    assert found.labels == 300
    assert found.columns[0].column in ("light", "lamp")


def test_mistakes_are_named() -> None:
    with pytest.raises(InputError, match="at least 20 labels; got 12"):
        propose(12)
    with pytest.raises(UnknownNameError, match="lihgt"):
        propose(columns=["lihgt"])
    with pytest.raises(InputError, match=r"error must lie between 0 and 1; got 5\."):
        propose(error=5.0)


def test_clusters_of_texts_are_judged_only_if_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install_embedder(monkeypatch)
    rng = np.random.default_rng(3)
    pool, _ = world()
    about = rng.integers(0, 2, pool.height)
    words = [["ship", "sail", "storm"], ["bread", "oven", "flour"]]
    said = [" ".join(rng.choice(words[a], 4)) + f" {i}" for i, a in enumerate(about)]
    right = (rng.random(pool.height) < 0.9 - 0.4 * about).astype(int)
    texts = pl.DataFrame({"sex": pool["sex"], "said": said, "right": right})
    how = {"pool": texts, "estimator": "beta-independent"}
    found = propose_attributes(texts[:400], ["sex"], "right", cluster_texts=["said"], **how)
    best = found.proposed[0]
    assert (best.column, best.as_typed) == ("cluster", "cluster=text:said:cluster")
    assert "cluster" not in by_name(propose_attributes(texts[:400], ["sex"], "right", **how))
    with pytest.raises(UnknownNameError, match="sayd"):
        propose_attributes(texts[:400], ["sex"], "right", cluster_texts=["sayd"], **how)
