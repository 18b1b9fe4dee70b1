"""Attributes of texts in an assay are the same in every process and on every machine.

Another machine is one without the folder beside the store: topics are found anew there.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from made_texts import make_texts

import accuracy_assay as aa
from accuracy_assay.errors import InputError

SPEC = """
[assay]
estimator = "beta-independent"
strategy = "random"
calibration = "raw"
[pool]
path = "pool.parquet"
[[attribute]]
name = "length"
from_text = "said"
feature = "length"
[[attribute]]
name = "about"
from_text = "said"
feature = "main-topic"
topics = 3
[[attribute]]
name = "topic"
from_text = "said"
feature = "topic"
topics = 3
[[service]]
name = "ear"
column = "heard"
[label]
choices = ["sea", "kitchen", "court"]
"""
OPEN = """
import json, sys
import accuracy_assay as aa
with aa.Assay.open(sys.argv[1]) as assay:
    rows = assay.session.parts().rows
    codes = {i: c.tolist() for i, c in zip(rows.ids, rows.evidence.predicted())}
    values = [[str(v) for v in a.values] for a in assay.space.attributes]
    print(json.dumps([codes, values]))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts, about = make_texts(150)
    drop = np.random.default_rng(0).integers(1, 6, texts.len())
    said = [" ".join(t.split()[:n]) for t, n in zip(texts, drop, strict=True)]
    ids = [f"x{i}" for i in range(texts.len())]
    pool = pl.DataFrame({"id": ids, "said": said, "heard": about})
    pool.write_parquet(tmp_path / "pool.parquet")
    (tmp_path / "assay.toml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(store: str) -> list[object]:
    """Return the codes of every row and the values, as another process reads them.

    Opening compares fingerprints of all columns, so that another probability would be refused.
    """
    other = os.environ | {"PYTHONHASHSEED": "7", "OMP_NUM_THREADS": "2", "POLARS_MAX_THREADS": "1"}
    command = [sys.executable, "-c", OPEN, store]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, env=other)
    found: list[object] = json.loads(ran.stdout)
    return found


def test_every_process_and_machine_gives_each_row_the_same_values(folder: Path) -> None:
    with aa.Assay.create("my.assay", "assay.toml") as assay:
        names = assay.session.parts().rows.ids
        codes = assay.session.parts().rows.evidence.predicted()
        here = [
            {i: c.tolist() for i, c in zip(names, codes, strict=True)},
            [[str(v) for v in a.values] for a in assay.space.attributes],
        ]
    assert {about for _, about, _ in here[0].values()} >= {0, 1, 2}
    shutil.rmtree("my.assay.cache")
    pool = pl.read_parquet("pool.parquet").sample(fraction=1.0, shuffle=True, seed=2)
    pool.write_parquet("pool.parquet")
    assert read("my.assay") == here


def test_a_text_that_was_edited_is_noticed(folder: Path) -> None:
    aa.Assay.create("my.assay", "assay.toml").close()
    pool = pl.read_parquet("pool.parquet")
    longer = pl.when(pl.col("id") == "x7").then(pl.col("said") + " jury" * 9)
    pool.with_columns(said=longer.otherwise("said")).write_parquet("pool.parquet")
    with pytest.raises(InputError, match=r"got other values in 'length'"):
        aa.Assay.open("my.assay")
