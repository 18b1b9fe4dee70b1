import json
from pathlib import Path

import polars as pl


def test_the_budget_is_raised_and_a_second_time_changes_nothing(assay, store: str) -> None:
    answer = assay("edit", store, "--set", "assay.budget=77", "--set", "assay.batch=3")
    assert answer.code == 0, answer.err
    assert "changed assay.budget, assay.batch" in answer.err
    assert json.loads(assay("status", store, "--json").out)["budget"] == 77
    assert "nothing" in assay("edit", store, "--set", "assay.budget=77").err


def test_a_changed_pool_is_refused_until_it_is_accepted(assay, store: str, folder: Path) -> None:
    pool = pl.read_parquet(folder / "pool.parquet")
    pool.with_columns(good_pred=pl.lit("cat")).write_parquet(folder / "pool.parquet")
    refused = assay("status", store)
    assert refused.code == 2
    assert "--accept good_pred" in refused.err
    assert assay("edit", store, "--accept", "good_pred").code == 0
    assert assay("status", store).code == 0


def test_mistakes_are_named(assay, store: str) -> None:
    for arguments, message in (
        ((), "must change something"),
        (("--set", "assay.budgte=3"), "Did you mean 'budget'?"),
        (("--set", "budget=3"), "section.key=value"),
        (("--set", "assay.name=other"), "must stay"),
        (("--set", "assay.budget=3", "--spec", "x.toml"), "got both"),
    ):
        answer = assay("edit", store, *arguments)
        assert answer.code == 2, arguments
        assert message in answer.err, answer.err


def test_json_names_what_changed(assay, store: str) -> None:
    found = json.loads(assay("edit", store, "--set", "assay.budget=31", "--json").out)
    assert found == {"changed": ["assay.budget"]}
