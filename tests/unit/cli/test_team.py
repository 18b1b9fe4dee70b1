"""``assay team``: what it shows is what the session knows."""

import json
from pathlib import Path

import polars as pl
from crowd_world import CHOICES, POOL, answers

import accuracy_assay as aa


def make_store(folder: Path) -> str:
    POOL.drop("truth").write_parquet(folder / "pool.parquet")
    spec = {
        "assay": {"name": "crowd", "estimator": "beta-independent"},
        "pool": {"path": str(folder / "pool.parquet")},
        "attribute": [{"name": "light"}],
        "service": [{"name": "acme", "column": "pred"}],
        "label": {"choices": CHOICES, "experts": ["boss"]},
    }
    ids = POOL["id"].to_list()
    with aa.Assay.create(folder / "team.assay", spec) as assay:
        for seed, (who, right) in enumerate((("ann", 0.95), ("bob", 0.9), ("guess", 1 / 3))):
            assay.tell(ids, answers(ids, right, seed), who)
        assay.tell(ids[:20], answers(ids[:20], 1.0, 9), "boss")
    return str(folder / "team.assay")


def test_shows_reliability_and_names_who_guesses(assay, tmp_path: Path) -> None:
    said = assay("team", make_store(tmp_path)).out
    assert "guess answers at random" in said
    assert "Krippendorff" in said
    assert "20 checked" in said


def test_json_is_what_python_says(assay, tmp_path: Path) -> None:
    store = make_store(tmp_path)
    found = json.loads(assay("team", store, "--json").out)
    with aa.Assay.open(store) as opened:
        assert found == json.loads(json.dumps(opened.team().to_dict()))
    assert pl.DataFrame(found["members"])["name"].to_list() == ["ann", "bob", "boss", "guess"]


def test_nobody_is_said(assay, tmp_path: Path) -> None:
    make_store(tmp_path)
    spec = tmp_path / "empty.toml"
    spec.write_text(
        '[pool]\npath = "pool.parquet"\n[[attribute]]\nname = "light"\n'
        '[[service]]\nname = "acme"\ncolumn = "pred"\n'
    )
    assay("init", str(tmp_path / "empty.assay"), "--spec", str(spec))
    assert "nobody has answered" in assay("team", str(tmp_path / "empty.assay")).out
