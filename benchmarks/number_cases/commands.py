"""The command line: what each command prints as JSON, of a table, of files and of an assay."""

import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from accuracy_assay.cli import main
from number_cases.kept import Case, Kept, of_frame, of_json, under
from number_cases.worlds import labelled, made, parts

__all__ = ["cases", "run_command"]

_TABLE = ("rows.csv", "-a", "sex", "-a", "region")
_SCORED = (*_TABLE, "--score", "acme_right", "--pool", "pool.parquet")
_TRUTH = (*_TABLE, "--y-true", "truth", "--y-pred", "acme", "--pool", "pool.parquet")
_GUESSED = ("--evidence", "sex=p_sex__*", "--evidence", "region=p_region__*")
_OF_TABLES: dict[str, tuple[str, ...]] = {
    "surface": ("surface", *_SCORED, "-a", "age:30,60", "-a", "size:s<m<l"),
    "surface-signals": ("surface", *_SCORED, "--signal", "acme_confidence", "--weigh-signals"),
    "surface-referees": ("surface", *_TRUTH, "--referee", "best", "--judge", "judge"),
    "surface-guessed": ("surface", *_SCORED, *_GUESSED, "--calibration", "temperature"),
    "surface-measure": ("surface", *_TRUTH, "--measure", "recall:cat", "--where", "age < 60"),
    "surface-texts": ("surface", *_SCORED, "-a", "asks=text:said:question"),
    "surface-parts": ("surface", "parts", *_TABLE[1:], "--score", "acme_right"),
    "surface-settings": ("surface", *_SCORED, "--set", "level=0.8", "--cluster", "speaker"),
    "query": ("query", "own.surface", "sex=m"),
    "query-mix": ("query", "own.surface", "--mix", "mix.csv"),
    "query-by": ("query", "own.surface", "--by", "region"),
    "slices": ("slices", "own.surface", "--margin", "0.02", "--fdr", "0.3"),
    "report": ("report", "own.surface", "--out", "own.html"),
    "attributes-surface": ("attributes", "own.surface"),
    "attributes": ("attributes", *_SCORED, "--column", "age", "--column", "size"),
    "judges": ("judges", *_TRUTH, "--judge", "judge", "--referee", "best"),
    "compare": (
        *("compare", *_TABLE, "--y-true", "truth", "--service", "acme", "--service", "best"),
        *("--pool", "pool.parquet", "--per-arm", "--price", "acme=0.01", "--price", "best=0.03"),
    ),
    "compare-scores": ("compare", *_TABLE, "--score", "acme_right", "--score", "best_right"),
    "compare-surfaces": ("compare", "own.surface", "old.surface", "--where", "sex=f"),
    "check": ("check", "own.surface", "--min", "0.6", "--no-slice-below", "0.3"),
    "check-file": ("check", "own.surface", "--checks", "checks.toml"),
    "plan": (
        "plan",
        "unlabelled.csv",
        *_TABLE[1:],
        "--score",
        "acme_right",
        "--half-width",
        "0.02",
    ),
    "simulate": (
        *("simulate", *_TABLE, "--score", "acme_right", "--signal", "acme_confidence"),
        *("--seed-size", "100", "--budget", "24"),
    ),
    "bench": (
        *("bench", "estimation", "--task", "digits-exact", "--method", "beta-independent"),
        *("--seeds", "1", "--labels", "600", "--jobs", "1", "--out", "results"),
    ),
}
_CHECKS = """
[[check]]
name = "accurate enough"
min = 0.6
[[check]]
name = "not much worse"
not_worse_than = "old.surface"
by = 0.1
between = "sex"
[[check]]
name = "for this client"
min = 0.5
under = "mix.csv"
"""
_SPEC = """
[assay]
name = "animals"
budget = 48
batch = 12
seed = 2
[pool]
path = "pool.parquet"
{seed_set}
[[attribute]]
name = "sex"
{evidence}
[[attribute]]
name = "region"
[[service]]
name = "acme"
column = "acme"
confidence = "acme_confidence"
price = 0.01
[[service]]
name = "best"
column = "best"
price = 0.04
[[judge]]
name = "llm"
column = "judge"
services = ["acme"]
[label]
choices = ["bird", "cat", "dog"]
column = "truth"
price = 0.5
"""
_GUESSED_KEYS = {"seed_set": 'seed_set = "seed.parquet"', "evidence": 'evidence = "p_sex__*"'}
_OF_ASSAY: dict[str, tuple[str, ...]] = {
    "run": ("run", "my.assay", "--answers", "labels.csv"),
    "edit": ("edit", "my.assay", "--set", "assay.budget=60"),
    "ask": ("ask", "my.assay", "--annotator", "ann"),
    "pending": ("ask", "my.assay", "--annotator", "ann", "--pending"),
    "tell": ("tell", "my.assay", "--file", "more.csv", "--annotator", "bob"),
    "status": ("status", "my.assay"),
    "surface": ("surface", "my.assay", "--service", "acme", "--out", "acme.surface"),
    "query": ("query", "acme.surface", "--by", "sex"),
    "compare": ("compare", "my.assay", "--per-arm"),
    "plan": ("plan", "my.assay", "--half-width", "0.02", "--service", "acme"),
    "ranking": ("plan", "my.assay", "--for", "ranking"),
    "attributes": ("attributes", "my.assay", "--service", "acme", "--column", "age"),
    "slices": ("slices", "my.assay", "--service", "acme", "--margin", "0.02", "--fdr", "0.3"),
    "check": ("check", "my.assay", "--service", "acme", "--not-worse-than", "best", "--by", "0.2"),
    "export-labels": ("export", "my.assay", "labels", "--out", "told.csv"),
    "export-answers": ("export", "my.assay", "answers", "--out", "answers.csv"),
    "export-events": ("export", "my.assay", "events", "--out", "events.jsonl"),
    "import": ("import", "copy.assay", "events.jsonl"),
    "copy": ("surface", "copy.assay", "--service", "best"),
}
"""In this order, each in the state that the ones before it left."""
_OF_EXACT = {
    "judges": ("judges", "my.assay", "--service", "acme"),
    "measure": ("surface", "my.assay", "--service", "best", "--measure", "precision:cat"),
}
_OF_GUESSED = {"calibrate": ("calibrate", "my.assay", "--out", "my.calibration")}


def cases(data: Path | None) -> Iterator[Case]:
    for name, words in _OF_TABLES.items():
        yield Case(f"command/{name}", partial(_of_table, words), is_quick=True)
    yield Case("command/assay", partial(_of_assay, _OF_ASSAY | _OF_EXACT), is_quick=True)
    guessed = partial(_of_assay, _OF_GUESSED | _OF_ASSAY, **_GUESSED_KEYS)
    yield Case("command/guessed-assay", guessed)
    yield Case("command/demo", _of_demo)


def run_command(*words: object) -> tuple[int, str]:
    """Return the exit code of a command and what it printed."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["assay", *map(str, words)]
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
        code = 0
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    finally:
        sys.argv = before
    if code == 2:  # a mistake in the input
        raise ValueError(f"{' '.join(map(str, words))}: {err.getvalue()}")
    return code, out.getvalue()


def _json_of(*words: str) -> Kept:
    code, text = run_command(*words, "--json")
    return {"code": np.asarray([float(code)])} | of_json(json.loads(text))


def _of_table(words: tuple[str, ...]) -> Kept:
    def make() -> Kept:
        kept = _json_of(*words)
        if words[0] == "bench":
            kept = {name: array for name, array in kept.items() if "seconds" not in name}
        return kept

    return _in_folder(make)


def _in_folder(make: Callable[[], Kept]) -> Kept:
    """Run something in a folder with tables, two surfaces, a mix and checks."""
    with tempfile.TemporaryDirectory() as name, chdir(name):
        os.environ["XDG_CONFIG_HOME"] = name
        labelled().write_csv("rows.csv")
        made().write_parquet("pool.parquet")
        parts(labelled(), Path("parts"))
        is_known = pl.col("id").is_in(labelled(250).get_column("id").to_list())
        scores = pl.when(is_known).then("acme_right").alias("acme_right")
        made().with_columns(scores).write_csv("unlabelled.csv")
        pl.DataFrame({"sex": ["f", "m"], "weight": [1, 3]}).write_csv("mix.csv")
        Path("checks.toml").write_text(_CHECKS)
        run_command("surface", *_SCORED, "--out", "own.surface")
        run_command("surface", *_TABLE, "--score", "cheap_right", "--out", "old.surface")
        return make()


def _of_assay(
    commands: dict[str, tuple[str, ...]], *, seed_set: str = "", evidence: str = ""
) -> Kept:
    """One assay from its spec to a copy of it, command by command."""
    with tempfile.TemporaryDirectory() as name, chdir(name):
        os.environ["XDG_CONFIG_HOME"] = name
        seed = labelled(150).with_columns(id="seed-" + pl.col("id"))
        seed.write_parquet("seed.parquet")
        hidden = ["sex", "truth"] if evidence else ["truth"]
        made(1_200, 3).drop(hidden).write_parquet("pool.parquet")
        gold = made(1_200, 3).select("id", pl.col("truth").alias("label"))
        gold.write_csv("labels.csv")
        gold[-30:].write_csv("more.csv")
        Path("assay.toml").write_text(_SPEC.format(seed_set=seed_set, evidence=evidence))
        kept = under("init", _json_of("init", "my.assay", "--spec", "assay.toml"))
        for command, words in commands.items():
            kept |= under(command, _json_of(*words))
        for file in ("told.csv", "answers.csv"):
            kept |= under(file, of_frame(pl.read_csv(file)))
        kinds = pl.read_ndjson("events.jsonl").get_column("kind")
        return kept | {"events": kinds.to_numpy().astype(np.str_)}


def _of_demo() -> Kept:
    def make() -> Kept:
        words = ("demo", "--budget", "36", "--seed-size", "200", "--out", "demo")
        return _json_of(*words, "--against", "beta-independent/random")

    return _in_folder(make)
