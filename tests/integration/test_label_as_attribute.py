"""A session whose attribute is the label: one number at every door, and goals that name it."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa

CLASSES = np.array(["cat", "dog", "fox"])


@pytest.fixture(scope="module")
def pool() -> pl.DataFrame:
    rng = np.random.default_rng(11)
    truth = rng.choice(3, 1_200, p=[0.6, 0.3, 0.1])
    wrong = rng.random(1_200) < np.array([0.05, 0.2, 0.5])[truth]
    said = np.where(wrong, (truth + 1) % 3, truth)
    return pl.DataFrame(
        {
            "id": [f"r{i}" for i in range(1_200)],
            "light": rng.choice(["day", "night"], 1_200),
            "said": CLASSES[said],
            "confidence": rng.random(1_200).round(3),
            "truth": CLASSES[truth],
        }
    )


def spec_of(**assay: object) -> dict[str, object]:
    return {
        "assay": {"name": "animals", "budget": 400, **assay},
        "pool": {"path": "pool.parquet"},
        "attribute": [{"name": "animal", "from_label": True}, {"name": "light"}],
        "service": [{"name": "eye", "column": "said", "confidence": "confidence"}],
        "label": {"choices": CLASSES.tolist()},
    }


def create(folder: Path, pool: pl.DataFrame, **assay: object) -> aa.Assay:
    return aa.Assay.create(folder / "animals.assay", spec_of(**assay), pool=pool.drop("truth"))


def test_every_door_gives_the_same_number(pool: pl.DataFrame, tmp_path: Path) -> None:
    rows = pool.sample(250, seed=5)
    with create(tmp_path, pool) as assay:
        assay.tell(rows["id"], rows["truth"], "ann")
        surface = assay.surface("eye")
    table = pool.rename({"truth": "animal"})
    labelled = table.filter(pl.col("id").is_in(rows["id"].implode()))
    alone = aa.estimate(
        labelled,
        [aa.Attribute("animal", tuple(CLASSES.tolist())), "light"],
        y_true="animal",
        y_pred="said",
        from_label=["animal"],
        signals=["confidence"],
        pool=table.drop("animal"),
    )
    surface.save(tmp_path / "animals.surface")
    loaded = aa.AccuracySurface.load(tmp_path / "animals.surface")
    for where in ({}, {"animal": "fox"}, {"light": "night"}, {"animal": "dog", "light": "day"}):
        asked = surface.at(**where)
        for other in (alone.at(**where), loaded.at(**where)):
            assert (other.mean, other.lower, other.upper) == pytest.approx(
                (asked.mean, asked.lower, asked.upper), abs=1e-6
            ), where
    truth = pool.group_by("truth").agg((pl.col("truth") == pl.col("said")).mean().alias("gold"))
    found = surface.marginal("animal").join(truth, left_on="animal", right_on="truth")
    assert ((found["lower"] <= found["gold"]) & (found["gold"] <= found["upper"])).all()
    assert found["support"].sum() == pytest.approx(1_200)


@pytest.mark.parametrize("goal", ["overall", "worst", "mix"])
def test_goals_may_name_the_label(pool: pl.DataFrame, tmp_path: Path, goal: str) -> None:
    assay_section: dict[str, object] = {"goal": goal}
    if goal == "mix":
        mix = tmp_path / "mix.csv"
        pl.DataFrame({"animal": ["fox", "dog"], "weight": [3.0, 1.0]}).write_csv(mix)
        assay_section["mix"] = str(mix)
    rows = pool.sample(80, seed=5)
    with create(tmp_path, pool, **assay_section) as assay:
        assay.tell(rows["id"], rows["truth"], "ann")
        batch = assay.ask(20, annotator="bob")
    assert batch.height == 20
    if goal == "mix":
        said = pool.filter(pl.col("id").is_in(batch["id"].implode()))["said"]
        assert (said != "cat").mean() > 0.6


def test_a_comparison_has_the_accuracies_of_the_tiles(pool: pl.DataFrame, tmp_path: Path) -> None:
    """Each service has its own estimate of how large a class is; the pool is the same."""
    rng = np.random.default_rng(3)
    other = pool.with_columns(
        second=pl.Series(np.where(rng.random(pool.height) < 0.7, pool["truth"], pool["said"]))
    )
    spec = spec_of()
    spec["service"] = [{"name": "eye", "column": "said"}, {"name": "ear", "column": "second"}]
    rows = other.sample(200, seed=6)
    with aa.Assay.create(tmp_path / "two.assay", spec, pool=other.drop("truth")) as assay:
        assay.tell(rows["id"], rows["truth"], "ann")
        surfaces = {name: assay.surface(name) for name in ("eye", "ear")}
        board = assay.compare()
    for where in ({}, {"animal": "dog"}, {"light": "day"}):
        found = board.asked(where)
        for place in found:
            tile = surfaces[place.name].at(**where)
            assert (place.estimate.mean, place.estimate.upper) == pytest.approx(
                (tile.mean, tile.upper), abs=1e-9
            )
        apart = surfaces["eye"].at(**where).mean - surfaces["ear"].at(**where).mean
        assert found.difference("eye", "ear").mean == pytest.approx(apart, abs=1e-9)


def test_a_seed_set_picked_by_class_gives_the_accuracy_of_the_pool(
    pool: pl.DataFrame, tmp_path: Path
) -> None:
    """As a table and as a session it is the same number; labels that follow count as they are."""
    seed = pl.concat([part.sample(40, seed=1) for _, part in pool.group_by("truth")])
    seed = seed.with_columns(pl.col("truth").alias("label"), pl.col("truth").alias("animal"))
    gold = (pool["truth"] == pool["said"]).mean()
    spec = spec_of()
    spec["pool"] = {"path": "pool.parquet", "seed_set": "seed.parquet", "seed_picked": "label"}
    spec["service"] = [{"name": "eye", "column": "said", "signals": []}]
    store = tmp_path / "seeded.assay"
    with aa.Assay.create(store, spec, pool=pool.drop("truth"), seed_set=seed) as assay:
        first = assay.surface("eye").overall
        more = pool.filter(~pl.col("id").is_in(seed["id"].implode())).sample(200, seed=3)
        assay.tell(more["id"], more["truth"], "ann")
        later = assay.surface("eye").overall
    columns = [aa.Attribute("animal", tuple(CLASSES.tolist())), "light"]
    alone = aa.estimate(
        seed,
        columns,
        y_true="animal",
        y_pred="said",
        from_label=["animal"],
        picked="label",
        pool=pool.drop("truth"),
    ).overall
    assert first.mean == pytest.approx(alone.mean, abs=0.01)
    assert first.lower <= gold <= first.upper
    assert later.lower <= gold <= later.upper
    assert later.upper - later.lower < first.upper - first.lower
