"""The demonstration as an assay that people can go on with: a pool with its images, and a store.

The labels that the demonstration asked for are in it; the digit itself is what an annotator tells,
so that it is an attribute which the label reveals.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from accuracy_assay.demo.thumbnails import encode_png
from accuracy_assay.domain.events import Fitted
from accuracy_assay.files.whole_file import whole_file
from accuracy_assay.session.assay import Assay
from accuracy_assay.study.history import History
from accuracy_assay.tasks.task import Task

__all__ = ["write_demo_assay"]

_SERVICE = "digit reader"
_SPEC = """\
# The demonstration's own assay: label digits with `assay serve {store}`.

[assay]
name = "digits"
budget = 2000
batch = 12
seed = {seed}
calibration = "raw"      # there are no predictors of attributes to calibrate

[pool]
path = "pool.parquet"
seed_set = "seed.parquet"

[[attribute]]
name = "digit"
from_label = true
[[attribute]]
name = "rotation"
kind = "ordinal"
[[attribute]]
name = "stroke"
[[attribute]]
name = "noise"
[[attribute]]
name = "occlusion"

[[service]]
name = "{service}"
column = "service_pred"
confidence = "service_confidence"

[label]
question = "Which digit is it?"
choices = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
show = {{ image = "image" }}
"""
_COLUMNS = ("id", "rotation", "stroke", "noise", "occlusion", "service_pred", "service_confidence")


def write_demo_assay(task: Task, history: History, folder: Path, seed: int = 0) -> Path | None:
    """Write pool, spec and store to a folder and return the store; None without images.

    It has the labels of the demonstration, those of its seed set too, so that the page shows the
    surface of the report. A store that is there already is kept, for someone may have labelled
    in it.
    """
    if task.images is None:
        return None
    images = [encode_png(255 - image) for image in task.images]
    pool = task.rows.select(_COLUMNS).with_columns(pl.Series("image", images, dtype=pl.Binary))
    with whole_file(folder / "pool.parquet", "pool") as file:
        pool.write_parquet(file)
    store = folder / "digits.assay"
    if store.exists():
        return store
    spec = folder / "assay.toml"
    with whole_file(spec, "spec") as file:
        file.write(_SPEC.format(store=store.name, seed=seed, service=_SERVICE).encode())
    known = task.rows[history.seed_rows]
    with whole_file(folder / "seed.parquet", "seed set") as file:
        known.select(*_COLUMNS, "digit", pl.col("digit").alias("label")).write_parquet(file)
    with Assay.create(store, spec) as assay:
        _replay(assay, task, history)
    return store


def _replay(assay: Assay, task: Task, history: History) -> None:
    """Tell the labels round by round, and record what each fit expected of its own error."""
    picks = history.picks.get_column("row").to_list()
    told = 0
    for row in history.metrics.iter_rows(named=True):
        upto = row["labels"] - history.seed_rows.size
        new = task.rows[picks[told:upto]]
        assay.tell(new.get_column("id"), new.get_column("digit"), "demo")
        told = upto
        seq = assay.status().events
        made = Fitted(_SERVICE, seq, row["labels"], row["seconds"], row["expected_macro_mse"])
        assay.session.journal.append(made)
