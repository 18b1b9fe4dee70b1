"""A session with people: rounds of labels, then every answer that an assay gives."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import accuracy_assay as aa
from number_cases.commands import run_command
from number_cases.kept import (
    Case,
    Kept,
    of_comparison,
    of_frame,
    of_json,
    of_surface,
    of_value,
    under,
)
from number_cases.worlds import EVIDENCE, labelled, made

__all__ = ["cases", "opinion", "shout"]

_POOL = (1_500, 7)
"""Size and seed of the pool; its ids are not those of the seed set."""
_LABEL = {"choices": ["bird", "cat", "dog"], "column": "truth", "price": 0.2}
_SERVICES = [
    {"name": "acme", "column": "acme", "confidence": "acme_confidence", "price": 0.01},
    {"name": "best", "column": "best", "confidence": "best_confidence", "price": 0.04},
    {"name": "cheap", "column": "cheap"},
]
_BASE: dict[str, Any] = {
    "assay": {"budget": 60, "batch": 12, "seed": 1},
    "attribute": [{"name": "sex"}, {"name": "region"}],
    "service": _SERVICES[:2],
    "label": _LABEL,
}
_GUESSED = [{"name": name, "evidence": pattern} for name, pattern in EVIDENCE.items()]
_SPECS: dict[str, dict[str, Any]] = {
    "signals": {},
    "three": {"service": _SERVICES},
    "plain": {
        "service": [{**service, "signals": [], "referees": []} for service in _SERVICES[:2]]
    },
    "random": {"assay": {"strategy": "random", "seed": 3}},
    "explore": {"assay": {"random_share": 0.3, "refit_every": 6}},
    "population": {"assay": {"target": "population"}},
    "methods": {
        "assay": {
            "estimator": {"name": "anova-gp", "level": 0.8},
            "strategy": {"name": "variance-reduction", "goal": "worst"},
        }
    },
    "paper": {"assay": {"estimator": "beta-gp-slp", "strategy": "largest-variance"}},
    "stop": {"assay": {"stop": {"half_width": 0.09, "for": "overall"}, "budget": 400}},
    "kinds": {
        "attribute": [
            {"name": "age", "kind": "continuous", "edges": [30, 60]},
            {"name": "size", "kind": "ordinal", "values": ["s", "m", "l"]},
            {"name": "unsure", "missing": "value"},
        ]
    },
    "cluster": {"pool": {"cluster": "speaker"}},
    "judges": {
        "judge": [
            {"name": "llm", "column": "judge", "services": ["acme"]},
            {"name": "lay", "column": "verdict", "services": ["best"]},
        ]
    },
    "texts": {
        "attribute": [
            {"name": "sex"},
            {"name": "length", "from_text": "said", "feature": "length"},
            {"name": "about", "from_text": "said", "feature": "main-topic", "topics": 3},
        ]
    },
    "guessed": {"attribute": _GUESSED},
    "temperature": {"attribute": _GUESSED, "assay": {"calibration": "temperature"}},
    "from-label": {
        "attribute": [{"name": "truth", "from_label": True}, {"name": "sex"}],
    },
    "from-label-guessed": {
        "attribute": [{"name": "truth", "from_label": True}, _GUESSED[0]],
    },
    "guessed-cluster": {"attribute": _GUESSED, "pool": {"cluster": "speaker"}},
}
_SLOW = frozenset(
    {
        "three",
        "explore",
        "population",
        "methods",
        "paper",
        "stop",
        "temperature",
        "from-label-guessed",
        "guessed-cluster",
    }
)
"""Left out of the quick set, which has other ways to the same places."""
_HAS_SEED = ("guessed", "temperature", "from-label", "from-label-guessed", "guessed-cluster")


def cases(data: Path | None) -> Iterator[Case]:
    for name in _SPECS:
        yield Case(f"session/{name}", partial(played, name), is_quick=name not in _SLOW)
    for function in (team, confirmed, measured, called, edited, exchanged, reopened, large):
        yield Case(f"session/{function.__name__}", function, is_quick=True)


def played(name: str) -> Kept:
    """Play three rounds, then ask for surfaces, comparison, plans and status."""
    return _in_folder(name, lambda assay: _rounds(assay) | _answers(assay))


def team() -> Kept:
    """Let two annotators skip, err, take back and disagree, and settle it."""

    def make(assay: aa.Assay) -> Kept:
        kept = _rounds(assay, 2)
        for who, wrong in (("ann", 1), ("bob", 3)):
            batch = assay.ask(10, annotator=who)["id"].to_list()
            labels = [_gold()[i] for i in batch]
            labels[:wrong] = ["bird"] * wrong
            assay.skip(batch[-1:], who)
            assay.tell(batch[:-1], labels[:-1], who)
            kept[f"asked-{who}"] = np.asarray(batch)
        kept["undone"] = np.asarray(assay.undo("bob", 2))
        disputed = assay.labels().filter("is_disputed").get_column("id").to_list()
        if disputed:
            assay.tell(disputed[:1], ["dog"], "cat")
            assay.settle(disputed[:1], ["cat"], "lead")
        assay.tell(batch[:2], ["cat", "cat"], "bob", replace=True)
        return kept | _answers(assay)

    return _in_folder("signals", make, label={**_LABEL, "annotators": 2})


def confirmed() -> Kept:
    """Tell answers with attributes that their annotator is sure of."""

    def make(assay: aa.Assay) -> Kept:
        kept = under("calibration", of_value(assay.calibrate()))
        truth = made(*_POOL).select("id", "sex").rows()
        sex = dict(truth)
        batch = assay.ask(20, annotator="ann")
        ids = batch["id"].to_list()
        known = [{"sex": sex[i]} if k % 2 else {} for k, i in enumerate(ids)]
        labels = [_gold()[i] for i in ids]
        assay.tell(ids, labels, "ann", confirmed_attributes=known, seconds=[2.0] * len(ids))
        return kept | under("batch", of_frame(batch.drop("arm", "why"))) | _answers(assay)

    return _in_folder("guessed", make)


def measured() -> Kept:
    """Ask for other measures than accuracy, from the same labels."""

    def make(assay: aa.Assay) -> Kept:
        kept = _rounds(assay)
        kept |= under("recall", of_surface(assay.measure("recall:cat", "acme")))
        kept |= under("precision", of_surface(assay.measure("precision:dog", "best")))
        kept |= under("where", of_surface(assay.measure(service="acme", where="age < 50")))
        truth = assay.measure(service="acme", where="truth = 'cat'")
        return kept | under("truth", of_surface(truth))

    return _in_folder("random", make)


def called() -> Kept:
    """Call a service and a judge that are functions."""
    services = [{"name": "loud", "callable": f"{__name__}:shout", "price": 0.1}, _SERVICES[0]]
    judge = {"name": "ear", "callable": f"{__name__}:opinion", "price": 0.01, "batch_rows": 32}

    def make(assay: aa.Assay) -> Kept:
        counts = [assay.predict("loud", limit=100), assay.predict("loud")]
        counts += [assay.judge("ear", "loud"), assay.judge("ear", "acme")]
        return {"counts": np.asarray(counts, dtype=float)} | _rounds(assay) | _answers(assay)

    return _in_folder("signals", make, service=services, judge=[judge])


def shout(rows: Sequence[dict[str, Any]]) -> list[tuple[str, float]]:
    """Answer as ``cheap`` does, sure of it by age."""
    return [(row["cheap"], round(row["age"] / 100, 2)) for row in rows]


def opinion(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Like answers that are long."""
    return [len(row["prediction"]) / 4 + (row["age"] % 7) / 10 for row in rows]


def edited() -> Kept:
    """Change the spec between rounds: budget, strategy, one more service."""

    def make(assay: aa.Assay) -> Kept:
        kept = _rounds(assay, 1)
        assay.edit({"assay": {"budget": 90, "batch": 8, "strategy": "largest-variance"}})
        assay.edit({"service": [_SERVICES[2]]})
        return kept | under("after", _rounds(assay, 2)) | _answers(assay)

    return _in_folder("signals", make)


def exchanged() -> Kept:
    """Write tasks as files, answer them, tell them, and export what was told."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store, kept = _create(folder, "signals"), {}
        with aa.Assay.open(store) as assay:
            for kind in ("csv", "jsonl"):
                batch = assay.ask(6, annotator="ann")
                path = folder / f"tasks.{kind}"
                assay.write_tasks(batch, path, annotator="ann", show_predictions=True)
                _fill(path, kind)
                kept[f"{kind}.new"] = np.asarray([float(assay.tell_file(path))])
            kept |= _answers(assay)
        for part in ("labels", "answers"):
            run_command("export", store, part, "--out", folder / "out.csv")
            kept |= under(f"exported-{part}", of_frame(pl.read_csv(folder / "out.csv")))
        return kept


def _fill(path: Path, kind: str) -> None:
    """Answer the tasks of a file, as a person would."""
    frame = pl.read_csv(path) if kind == "csv" else pl.read_ndjson(path)
    labels = [_gold()[i] for i in frame.get_column("id").to_list()]
    answered = frame.with_columns(pl.Series("label", labels))
    answered.write_csv(path) if kind == "csv" else answered.write_ndjson(path)


def reopened() -> Kept:
    """Close an assay and open it again between rounds."""
    with tempfile.TemporaryDirectory() as name:
        store = _create(Path(name), "signals")
        kept: Kept = {}
        for i in range(3):
            with aa.Assay.open(store) as assay:
                kept |= under(f"round{i}", _rounds(assay, 1))
        with aa.Assay.open(store) as assay:
            return kept | _answers(assay)


def large() -> Kept:
    """Play with a pool above the size at which candidates are groups of equal rows."""
    rng = np.random.default_rng(5)
    columns = ["sex", "region", "size", "acme", "best", "truth"]
    pool = (
        made()
        .select(columns)[rng.integers(0, made().height, 101_000)]
        .with_columns(id=pl.int_range(pl.len()).cast(pl.String))
    )
    gold = dict(pool.select("id", "truth").iter_rows())
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "pool.parquet"
        pool.drop("truth").write_parquet(path)
        services = [{"name": s, "column": s} for s in ("acme", "best")]
        attributes = [{"name": a} for a in ("sex", "region", "size")]
        spec = {**_BASE, "pool": {"path": str(path)}, "service": services}
        aa.Assay.create(Path(name) / "my.assay", {**spec, "attribute": attributes}).close()
        kept: Kept = {}
        for i in range(2):
            with aa.Assay.open(Path(name) / "my.assay") as assay:
                kept |= under(f"round{i}", _rounds(assay, 1, gold))
        with aa.Assay.open(Path(name) / "my.assay") as assay:
            return kept | _answers(assay)


def _in_folder(name: str, make: Callable[[aa.Assay], Kept], **sections: Any) -> Kept:
    with (
        tempfile.TemporaryDirectory() as folder,
        aa.Assay.open(_create(Path(folder), name, **sections)) as assay,
    ):
        return make(assay)


def _create(folder: Path, name: str, **sections: Any) -> Path:
    """Make an assay of a pool in a Parquet file, with a seed set where attributes are guessed."""
    spec = {**_BASE, **_SPECS[name], **sections}
    spec["assay"] = {**_BASE["assay"], **spec["assay"]}
    pool = made(*_POOL)
    hidden = [a["name"] for a in spec["attribute"] if "evidence" in a or "from_label" in a]
    pool.drop({*hidden, "truth"}).write_parquet(folder / "pool.parquet")
    tables = {"path": str(folder / "pool.parquet")}
    if name in _HAS_SEED:
        seed = labelled(150).with_columns(id="seed-" + pl.col("id"))
        seed.write_parquet(folder / "seed.parquet")
        tables["seed_set"] = str(folder / "seed.parquet")
    spec["pool"] = {**spec.get("pool", {}), **tables}
    store = folder / "my.assay"
    aa.Assay.create(store, spec).close()
    return store


def _gold() -> dict[str, str]:
    return dict(made(*_POOL).select("id", "truth").iter_rows())


def _rounds(assay: aa.Assay, count: int = 3, gold: dict[str, str] | None = None) -> Kept:
    """Answer some rounds from the gold; what was asked is kept."""
    known, kept = gold or _gold(), {}
    for i in range(count):
        batch = assay.ask(annotator="ann")["id"].to_list()
        assay.tell(batch, [known[instance] for instance in batch], annotator="ann")
        kept[f"asked{i}"] = np.asarray(batch, dtype=np.str_)
    return kept


def _answers(assay: aa.Assay) -> Kept:
    """Every answer of an assay that has some labels."""
    status = assay.status()
    names = [service.name for service in status.services]
    kept = under("status", of_json(status.to_dict()))
    kept |= under("labels", of_frame(assay.labels().drop("votes")))
    for name in names:
        kept |= under(name, of_surface(assay.surface(name)))
        kept |= under(f"{name}.plan", of_value(assay.plan(0.05, service=name)))
    kept |= under("ranking", of_value(assay.plan(of="ranking")))
    return kept | under("compare", of_comparison(assay.compare()))
