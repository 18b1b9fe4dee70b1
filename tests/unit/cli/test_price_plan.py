"""Plans by price on the command line: what goes to whom, and the file that says so."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from certified_world import certified_world

import accuracy_assay as aa
from accuracy_assay.cli.price_plan import bought
from accuracy_assay.errors import InputError


def test_a_file_says_what_people_and_judges_are_to_say(tmp_path: Path) -> None:
    path = tmp_path / "buy.csv"
    rows = {
        "id": ["a", "b", "c"],
        "people": [True, False, False],
        "judges": ["", "llm", "llm, gpt"],
    }
    pl.DataFrame(rows).write_csv(path)
    assert bought(path, "people") == (["a"], {"llm", "gpt"})
    assert bought(path, "judges") == (["b", "c"], {"llm", "gpt"})
    pl.DataFrame({"id": ["a"]}).write_csv(path)
    with pytest.raises(InputError, match="people"):
        bought(path, "people")


def test_rows_are_shared_out_by_price_as_in_python(assay, folder: Path) -> None:
    rng = np.random.default_rng(0)
    certified_world(rng, leniency=0.0).write_csv(folder / "rows.csv")
    call = ("plan", folder / "rows.csv", "-a", "topic", "--score", "right", "--judge", "llm")
    prices = ("--price", "people=50", "--price", "llm=1", "--half-width", "0.01")
    said = json.loads(assay(*call, *prices, "--json").out)
    direct = aa.plan_by_price(
        folder / "rows.csv",
        ["topic"],
        "right",
        judges=["llm"],
        prices={"people": 50.0, "llm": 1.0},
        half_width=0.01,
    )
    assert said == direct.to_dict()
    shown = assay(*call, *prices, "--out", "buy.csv")
    assert "rows to people" in shown.out
    assert Path("buy.csv").read_text().startswith("row,people,judged")
    assert "must have --half-width" in assay(*call, *prices[:4]).err
