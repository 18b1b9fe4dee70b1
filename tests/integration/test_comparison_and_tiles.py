"""One question has one answer: a comparison says of each service what its surface says."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from command_line import Answer, assay
from patience import PATIENCE_S
from surface_world import StillUpdates

import accuracy_assay as aa
from accuracy_assay.web.surface.answers import SurfaceAnswers
from accuracy_assay.web.surface.queries import CompareQuery, MarginalsQuery, ViewQuery

__all__ = ["assay"]

SERVICES = ("good", "near", "poor")


def make_pool() -> pl.DataFrame:
    rng = np.random.default_rng(8)
    n = 600
    truth = rng.choice(["cat", "dog", "hen"], n)
    sex = rng.choice(["f", "m"], n)
    good = np.where(rng.random(n) < np.where(sex == "f", 0.9, 0.7), truth, "cat")
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(n)],
            "sex": sex,
            "age": rng.choice(["old", "young"], n),
            "good": good,
            "near": np.where(rng.random(n) < 0.9, good, truth),
            "poor": rng.choice(["cat", "dog", "hen"], n),
            "truth": truth,
        }
    )


POOL = make_pool()
SPEC = {
    "assay": {"name": "pets", "estimator": "anova-gp", "budget": 200},
    "pool": {"path": "pool.parquet", "id": "id"},
    "attribute": [{"name": "sex"}, {"name": "age"}],
    "service": [{"name": name, "column": name} for name in SERVICES],
    "label": {"choices": ["cat", "dog", "hen"], "show": {"text": "id"}},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An assay of three services with 120 labels."""
    folder = tmp_path_factory.mktemp("pets")
    POOL.drop("truth").write_parquet(folder / "pool.parquet")
    spec = {**SPEC, "pool": {"path": str(folder / "pool.parquet"), "id": "id"}}
    with aa.Assay.create(folder / "pets.assay", spec) as made:
        made.tell(POOL["id"][:120], POOL["truth"][:120], annotator="ann")
    return folder / "pets.assay"


def numbers(estimate: aa.Estimate) -> list[float]:
    return [estimate.mean, estimate.lower, estimate.upper]


def test_in_a_table_a_service_has_the_accuracy_that_estimate_gives_it() -> None:
    labelled, pool = POOL[:120], POOL.drop("truth")
    given = {"y_true": "truth", "pool": pool}
    board = aa.compare(labelled, ["sex", "age"], services=SERVICES, **given)
    mix = pl.DataFrame({"sex": ["f", "m"], "weight": [1.0, 4.0]})
    for name in SERVICES:
        referees = [other for other in SERVICES if other != name]
        tile = aa.estimate(labelled, ["sex", "age"], y_pred=name, referees=referees, **given)
        asked = {
            "whole": (board, tile.overall),
            "value": (board.at(sex="m"), tile.at(sex="m")),
            "arm": (board.at(sex="m", age="old"), tile.at(sex="m", age="old")),
            "mix": (board.under(mix), tile.under(mix)),
        }
        for found, said in asked.values():
            place = next(place for place in found if place.name == name)
            assert numbers(place.estimate) == pytest.approx(numbers(said), abs=1e-9)
            assert place.behind == pytest.approx(found[0].estimate.mean - said.mean, abs=1e-9)


def test_in_a_session_a_comparison_has_the_accuracies_of_the_tiles(store: Path) -> None:
    with aa.Assay.open(store) as opened:
        board = opened.compare()
        best = board.best_per_arm()
        for name in SERVICES:
            tile = opened.surface(name)
            place = next(place for place in board if place.name == name)
            assert numbers(place.estimate) == pytest.approx(numbers(tile.overall), abs=1e-9)
        for row in best.iter_rows(named=True):
            said = opened.surface(row["best"]).at(sex=row["sex"], age=row["age"])
            assert row["accuracy"] == pytest.approx(said.mean, abs=1e-9)


def test_the_page_says_the_same_of_a_service_alone_and_side_by_side(store: Path) -> None:
    with aa.Assay.open(store) as opened:
        page = SurfaceAnswers(opened, StillUpdates(opened), patience_s=PATIENCE_S)
        side_by_side = page.compare(CompareQuery(first="good", second="poor"))
        tiles = {}
        values = {}
        for name in SERVICES:
            about, _ = page.look(ViewQuery(service=name))
            assert about.overall is not None
            tiles[name] = about.overall
            marginals = page.marginals(MarginalsQuery(service=name)).marginals
            values[name] = {
                (each.name, value.value): value.mean for each in marginals for value in each.rows
            }
        for place in side_by_side.places:
            tile = tiles[place.service]
            assert [place.mean, place.lower, place.upper] == pytest.approx(
                [tile.mean, tile.lower, tile.upper], abs=1e-9
            )
        assert side_by_side.pair is not None
        difference = tiles["good"].mean - tiles["poor"].mean
        assert side_by_side.pair.difference == pytest.approx(difference, abs=1e-9)
        for value in side_by_side.values:
            key = (value.attribute, value.value)
            apart = values["good"][key] - values["poor"][key]
            assert value.difference == pytest.approx(apart, abs=1e-9)


def test_the_command_line_says_the_same_of_a_service_alone_and_side_by_side(
    assay: Callable[..., Answer], store: Path, tmp_path: Path
) -> None:
    for where in ([], ["sex=f"], ["sex=f", "age=old"]):
        conditions = [part for condition in where for part in ("--where", condition)]
        found = json.loads(assay("compare", store, *conditions, "--json").out)["places"]
        for place in found:
            path = tmp_path / f"{place['name']}.surface"
            if not path.exists():
                made = assay("surface", store, "--service", place["name"], "--out", path)
                assert made.code == 0, made.err
            alone = json.loads(assay("query", path, *where, "--json").out)
            # A file keeps single precision.
            assert place["estimate"]["mean"] == pytest.approx(alone["mean"], abs=1e-6)
