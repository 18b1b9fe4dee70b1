"""What is asked of rows and surfaces: compare, plan, check, reports, slices, groups, mixes."""

import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import accuracy_assay as aa
from number_cases.kept import Case, Kept, of_comparison, of_frame, of_surface, of_value, under
from number_cases.worlds import ATTRIBUTES, EVIDENCE, labelled, load, made, parts

__all__ = ["cases"]

_SERVICES = {"acme": "acme", "best": "best", "cheap": "cheap"}
_SCORES = {"acme": "acme_right", "best": "best_right", "cheap": "cheap_right"}
_PRICES = {"acme": 0.01, "best": 0.05, "cheap": 0.0}
_TWO_PRICES = {"old": 0.0, "new": 0.02}
_MIX = pl.DataFrame({"region": ["north", "west", "west"], "weight": [1.0, 2.0, 0.5]})
_WHOLE_MIX = pl.DataFrame({"sex": ["f", "m", "m"], "region": ["north", "west", "south"]})

_COMPARISONS: dict[str, dict[str, Any]] = {
    "answers": {"services": _SERVICES, "y_true": "truth"},
    "scores": {"scores": _SCORES},
    "scores-no-pool": {"scores": ["acme_right", "best_right"], "pool": None},
    "prices": {"services": _SERVICES, "y_true": "truth", "prices": _PRICES},
    "mix": {"scores": _SCORES, "mix": _MIX, "prices": _PRICES},
    "where": {"scores": _SCORES, "where": {"sex": "f"}},
    "cluster": {"scores": ["acme_right", "best_right"], "cluster": "speaker"},
    "population": {"scores": ["acme_right", "best_right"], "target": "population"},
    "texts": {
        "scores": ["acme_right", "best_right"],
        "attributes": [aa.TextAttribute("said", "length"), "sex"],
    },
}
_PLANS: dict[str, dict[str, Any]] = {
    "overall": {"half_width": 0.02, "cost_per_label": 0.5},
    "worst": {"half_width": 0.06, "of": "worst"},
    "every-arm": {"half_width": 0.06, "of": "every-arm"},
    "slice": {"half_width": 0.05, "of": "slice", "where": {"sex": "m"}},
    "ranking": {"of": "ranking", "score": ["acme_right", "best_right", "cheap_right"]},
    "random": {"half_width": 0.02, "strategy": "random"},
    "no-labels": {"half_width": 0.03, "score": None},
    "signals": {"half_width": 0.02, "signals": ["acme_confidence"]},
    "referees": {"half_width": 0.02, "y_pred": "acme", "referees": ["best", "cheap"]},
    "judges": {"half_width": 0.02, "judges": ["judge"]},
    "cluster": {"half_width": 0.02, "cluster": "speaker"},
    "population": {"half_width": 0.03, "target": "population"},
}
_CHECKS: dict[str, dict[str, Any]] = {
    "min": {"min": 0.6},
    "min-where": {"min": 0.5, "where": {"sex": "m", "region": ["north", "west"]}},
    "min-under": {"min": 0.55, "under": _MIX, "confidence": 0.9},
    "gap": {"max_gap": 0.1, "between": "region"},
    "slices": {"no_slice_below": 0.5, "order": 2, "least_rows": 30},
    "several": {"min": 0.6, "max_gap": 0.2, "between": "sex", "no_slice_below": 0.3},
}


def cases(data: Path | None) -> Iterator[Case]:
    for name, options in _COMPARISONS.items():
        yield _quick(f"compare/{name}", compared, options)
    yield _quick("compare/files", compared_files)
    yield _quick("compare/surfaces", compared_surfaces)
    for name, options in _PLANS.items():
        yield _quick(f"plan/{name}", planned, options)
    for name, options in _CHECKS.items():
        yield _quick(f"check/{name}", checked, options)
    yield _quick("check/not-worse", checked_against)
    yield _quick("report/judges", judges_reported)
    yield _quick("report/signals", signals_reported)
    yield _quick("report/proposals", proposed)
    for name in ("exact", "signals", "guessed", "independent", "recall"):
        yield _quick(f"surface/{name}", asked, name)
    if data is not None:
        yield Case("compare/mmlu_pair", partial(compared_task, data))
        yield Case("report/frank", partial(judged_task, data))


def _quick(name: str, function: Callable[..., Kept], *arguments: Any) -> Case:
    return Case(name, partial(function, *arguments), is_quick=True)


def compared(options: dict[str, Any]) -> Kept:
    given = {"attributes": ATTRIBUTES, "pool": made(), "seed": 2, **options}
    return of_comparison(aa.compare(labelled(), **given))


def compared_files() -> Kept:
    with tempfile.TemporaryDirectory() as name:
        rows = parts(labelled(), Path(name) / "rows")
        pool = parts(made(), Path(name) / "pool")
        found = aa.compare(rows, ATTRIBUTES, services=_SERVICES, y_true="truth", pool=pool)
        return of_comparison(found)


def compared_surfaces() -> Kept:
    """Two surfaces, each as if it had labels of its own; asked in three ways."""
    found = aa.compare({"old": surface("cheap"), "new": surface("acme")}, prices=_TWO_PRICES)
    return (
        under("all", of_comparison(found))
        | under("at", of_comparison(found.at(sex="m")))
        | under("mix", of_comparison(found.under(_MIX)))
    )


def planned(options: dict[str, Any]) -> Kept:
    """Plan from a pool in which the scores of rows without a label are empty."""
    is_known = pl.col("id").is_in(labelled(250).get_column("id").to_list())
    scores = [name for name in made().columns if name.endswith("_right")]
    pool = made().with_columns(pl.when(is_known).then(name).alias(name) for name in scores)
    given = {"score": "acme_right", "seed": 5, **options}
    return of_value(aa.plan(pool, ATTRIBUTES, **given))


def checked(options: dict[str, Any]) -> Kept:
    return of_gate(aa.check(surface("acme"), **options))


def checked_against() -> Kept:
    """Against an older surface, and against another service of the same labels."""
    scores = ["acme_right", "cheap_right"]
    paired = aa.compare(labelled(), ATTRIBUTES, scores=scores, pool=made())
    own = paired.surfaces["acme_right"]
    old = aa.estimate(labelled(seed=2), ATTRIBUTES, "cheap_right", pool=made(), seed=3)
    kept = under("surface", of_gate(aa.check(surface("acme"), not_worse_than=old, by=0.02)))
    kept |= under("paired", of_gate(aa.check(own, not_worse_than=paired, by=0.01)))
    between = aa.check(own, not_worse_than=paired, between="sex")
    return kept | under("between", of_gate(between)) | under("arms", _every_arm(own, paired))


def _every_arm(own: aa.AccuracySurface, paired: object) -> Kept:
    return of_gate(aa.check(own, not_worse_than=paired, every_arm=True, by=0.3))


def of_gate(gate: aa.Gate) -> Kept:
    kept: Kept = {"verdict": np.asarray([gate.verdict])}
    for i, check in enumerate(gate):
        kept |= under(f"check{i}", of_value(check))
        for j, finding in enumerate(check.findings):
            kept |= under(f"check{i}.finding{j}", of_value(finding))
    return kept


def judges_reported() -> Kept:
    found = aa.judge_report(
        labelled(), ATTRIBUTES, "acme_right", judges=["judge", "verdict"], pool=made(), seed=1
    )
    return of_judges(found)


def of_judges(found: aa.JudgeReport) -> Kept:
    return (
        under("judges", of_frame(found.judges))
        | under("values", of_frame(found.values))
        | under("arms", of_frame(found.arms))
    )


def signals_reported() -> Kept:
    """Ask what signals are worth, few at a time: with all of them a fit may end in two places."""
    given = {"y_pred": "acme", "pool": made()}
    with_referees = aa.signal_report(
        labelled(),
        ATTRIBUTES,
        y_true="truth",
        signals=["acme_confidence"],
        referees=["best", "cheap"],
        **given,
    )
    with_judge = aa.signal_report(
        labelled(), ATTRIBUTES, "acme_right", signals=["acme"], judges=["judge"], **given
    )
    return under("referees", of_frame(with_referees, "signal")) | under(
        "judge", of_frame(with_judge, "signal")
    )


def proposed() -> Kept:
    found = aa.propose_attributes(
        labelled(),
        ["sex"],
        "acme_right",
        pool=made(),
        columns=["region", "age", "size", "verdict"],
    )
    whole = aa.propose_attributes(
        labelled(), ATTRIBUTES, y_true="truth", y_pred="acme", leave_out=["judge"], seed=1
    )
    return under("some", of_frame(found.to_frame(), "finding")) | under(
        "all", of_frame(whole.to_frame(), "finding")
    )


@cache
def surface(kind: str) -> aa.AccuracySurface:
    """Return a surface of one service, or of one kind."""
    if kind in _SERVICES:
        return aa.estimate(labelled(), ATTRIBUTES, f"{kind}_right", pool=made(), seed=3)
    options: dict[str, dict[str, Any]] = {
        "exact": {"score": "acme_right"},
        "signals": {"score": "acme_right", "signals": ["acme_confidence"]},
        "guessed": {"score": "acme_right", "evidence": EVIDENCE},
        "independent": {"score": "acme_right", "estimator": "beta-independent"},
        "recall": {"y_true": "truth", "y_pred": "acme", "measure": "false-negative-rate:cat"},
    }
    given = {"attributes": [*ATTRIBUTES, "size"], "pool": made(), "seed": 3, **options[kind]}
    return aa.estimate(labelled(), **given)


def asked(kind: str) -> Kept:
    """Every question that a surface answers, as it is and after a file."""
    whole = surface(kind)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.surface"
        whole.save(path)
        loaded = aa.AccuracySurface.load(path)
    return under("made", answers(whole)) | under("loaded", answers(loaded))


def answers(of: aa.AccuracySurface) -> Kept:
    kept = of_surface(of) | under("frame", of_frame(of.to_frame(), "status"))
    kept |= under("at", of_value(of.at(sex="m")))
    kept |= under("at-arm", of_value(of.at(sex="m", region=["west"], size="s")))
    kept |= under("under", of_value(of.under(_MIX)))
    kept |= under("under-rows", of_value(of.under(_WHOLE_MIX)))
    kept |= under("marginal", of_frame(of.marginal("region")))
    kept |= under("marginal2", of_frame(of.marginal("sex", "size", where={"region": "west"})))
    kept |= under("equal", of_frame(of.marginal("sex", mix="equal")))
    kept |= under("by-group", of_frame(of.by_group("region", mix=_MIX)))
    kept |= under("worst", of_frame(of.worst(4), "status"))
    kept |= under("best", of_frame(of.best(4), "status"))
    for method in ("between_groups", "to_overall"):
        kept |= under(f"difference.{method}", of_value(of.difference("region", method=method)))
        kept |= under(f"ratio.{method}", of_value(of.ratio("region", method=method)))
    kept |= under("min", of_value(of.group_min("region").estimate))
    kept |= under("max", of_value(of.group_max("sex", "size").estimate))
    slices = of.slices(margin=0.02, fdr=0.3)
    kept |= under("slices", of_value(slices) | of_frame(slices.to_frame()))
    below = of.slices(below=0.7, order=2, least_rows=40)
    kept |= under("below", of_value(below) | of_frame(below.to_frame()))
    ranked = of.attributes()
    return kept | under("attributes", of_value(ranked) | of_frame(ranked.to_frame(), "finding"))


def compared_task(data: Path) -> Kept:
    task = load("mmlu_pair", data)
    rows = task.rows.sample(400, seed=1, shuffle=True)
    scores = [name for name in rows.columns if name.endswith("_correct")]
    attributes = ["has_negation", "has_number"]
    return of_comparison(aa.compare(rows, attributes, scores=scores, pool=task.rows))


def judged_task(data: Path) -> Kept:
    task = load("frank", data)
    found = aa.judge_report(
        task.rows.sample(400, seed=1, shuffle=True),
        task.space.attributes,
        task.score,
        judges=list(task.signals),
        pool=task.rows,
    )
    return of_judges(found)
