"""What an experiment found, as values that the template's words tell.

Each function takes the outcome of an experiment and returns its findings by name. Orders are
compared with what the paper prints; a gap counts where it is larger than both deviations over
seeds, so a task of one seed, which has none, is left out where gaps are judged. Nothing here
explains more than the run itself measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import polars as pl

from assay_bench import paper
from assay_bench.conduct import Outcome
from assay_bench.experiments import DEEP, SCALE_LEVELS
from assay_bench.line_styles import is_ours
from assay_bench.summary import by_task, is_within_deviation, shown_size

__all__ = ["FINDINGS", "attributes_known"]

Found = dict[str, Any]

_SHOWN = {"macro_mse": "macro", "worst_mse": "worst"}
"""Errors of the paper's table 2, and what the page calls them."""

_ALONE = "beta-independent"
_SIGNALS, _EXACT, _BY_VARIANCE = "+signals", "-exact", "/largest-variance"
_MEAN_SCALE, _ALPHA_BETA = "beta-gp", "beta-gp-ab"
_CALIBRATIONS = ("full", "temperature", "raw")
"""The paper's order on all four of its tasks, from the smallest error."""

_GIVEN_SCALE = "beta-gp:scale=share,scale_level={}"
_NO_SCALE, _LEARNED_SCALE = "bern-gp", "beta-gp"
_SUPERVISED = ("beta-gp-sl", "beta-gp-slp")
"""Of the scale: in proportion to an arm's labels; none; learned without and with supervision."""

_CLAIMS = (
    ("beta-gp-slp", _ALONE, "most of the time"),
    ("beta-gp-slp", "beta-gp", "most of the time"),
    (_ALONE, "beta-gp", "in many cases"),
)
"""(better, worse, how often) when each explores by its own variance: what the paper's section 4.6
says of its figure 4, which prints no figures."""

_LEAST_SHARE, _LEAST_MEAN, _MOST_MEAN = 80, 85, 95
"""Percentage of intervals: what no task should be under, and between what the mean of tasks should
lie."""


class _Turned(NamedTuple):
    """Two methods in the opposite order to the paper's: on which task, by which error."""

    better: str
    worse: str
    metric: str
    task: str


def attributes_known(outcome: Outcome) -> Found:
    """Return what is missing, and on which tasks attributes are guessed."""
    tasks = outcome.summary["task"].unique(maintain_order=True).to_list()
    return {
        "missing": outcome.missing,
        "guessed": [task for task in tasks if task in outcome.guessed],
        "exact": [task for task in tasks if task not in outcome.guessed],
    }


def _estimation(outcome: Outcome) -> Found:
    """Return how methods rank on each task, and which pairs the paper orders otherwise."""
    labels = shown_size(outcome.summary)
    at_size = outcome.summary.filter(pl.col("labels") == labels)
    tasks: list[Found] = []
    clear: list[_Turned] = []
    close: list[_Turned] = []
    single = [task for task, part in by_task(at_size) if (part["seeds"] == 1).any()]
    for task, part in by_task(at_size):
        rows = {row["method"]: row for row in part.iter_rows(named=True)}
        rankings = {}
        for metric, name in _SHOWN.items():
            errors = {method: row[metric] for method, row in rows.items()}
            ranking, turned = paper.compare_order(errors, metric)
            if len(ranking) > 1:
                rankings[name] = [(method, errors[method]) for method in ranking]
            for better, worse in turned if task not in single else ():
                is_close = is_within_deviation(rows[better], rows[worse], metric)
                (close if is_close else clear).append(_Turned(better, worse, metric, task))
        if rankings:
            ours = {method: _places(rows, method) for method in filter(is_ours, rows)}
            tasks.append({"task": task, "rankings": rankings, "n_methods": len(rows)})
            tasks[-1]["ours"] = ours
    return {
        "labels": labels,
        "tasks": tasks,
        "without_signals": _without_signals(at_size),
        "same_start": _same_start(outcome),
        "single_seed": single,
        "has_several_seeds": any(found["task"] not in single for found in tasks),
        "turned_clearly": _grouped(clear),
        "turned_closely": _grouped(close),
        "helped_by_guesses": _helped_by_guesses(clear, at_size, outcome.guessed),
    }


def _places(rows: Mapping[str, Mapping[str, float]], method: str) -> dict[str, str]:
    """Return the place of a method among all, by each error."""
    return {
        name: _ordinal(1 + sum(row[metric] < rows[method][metric] for row in rows.values()))
        for metric, name in _SHOWN.items()
    }


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number if number < 20 else number % 10, "th")
    return f"{number}{ending}"


def _without_signals(at_size: pl.DataFrame) -> list[str]:
    """Return the tasks on which methods with and without signals are the same."""
    found = []
    for task, part in by_task(at_size):
        errors = _errors(part)
        pairs = [m for m in errors if m + _SIGNALS in errors]
        if pairs and all(errors[m] == errors[m + _SIGNALS] for m in pairs):
            found.append(task)
    return found


def _same_start(outcome: Outcome) -> list[Found]:
    """Return where methods err alike with guessed and exact attributes on the seed set alone."""
    at_start = outcome.summary.filter(pl.col("labels") == outcome.seed_size)
    errors = {task: _errors(part) for task, part in by_task(at_start)}
    found = []
    for task, guessed in errors.items():
        exact = errors.get(task + _EXACT, {})
        shared = [method for method in guessed if method in exact]
        but = [method for method in shared if guessed[method] != exact[method]]
        if len(but) < len(shared):
            found.append({"labels": outcome.seed_size, "task": task, "but": but})
    return found


def _helped_by_guesses(
    clear: Sequence[_Turned], at_size: pl.DataFrame, guessed: frozenset[str]
) -> list[Found]:
    """Return where separate arms are ahead with guesses, and err more with exact attributes."""
    found = []
    for task, metric in dict.fromkeys((t.task, t.metric) for t in clear if t.better == _ALONE):
        alone = at_size.filter(pl.col("method") == _ALONE)
        errors = dict(zip(alone["task"], alone[metric], strict=True))
        if task in guessed and errors.get(task + _EXACT, 0.0) > errors[task]:
            place = {"task": task, "method": _ALONE, "metric": _SHOWN[metric]}
            found.append(place | {"guessed": errors[task], "exact": errors[task + _EXACT]})
    return found


def _grouped(pairs: Iterable[_Turned]) -> list[Found]:
    """Return pairs that are turned at the same places together, each method named once."""
    places: dict[tuple[str, str], dict[str, list[str]]] = {}
    for pair in pairs:
        where = places.setdefault((pair.better, pair.worse), {})
        where.setdefault(_SHOWN[pair.metric], []).append(pair.task)
    worse: dict[tuple[str, str], list[str]] = {}
    for (a, b), where in places.items():
        worse.setdefault((str(where), a), []).append(b)
    groups: dict[tuple[str, tuple[str, ...]], Found] = {}
    for (place, a), others in worse.items():
        group = groups.setdefault(
            (place, tuple(others)),
            {"better": [], "worse": others, "where": places[a, others[0]]},
        )
        group["better"].append(a)
    return list(groups.values())


def _exploration(outcome: Outcome) -> Found:
    """Return the best methods after the last label, and on which tasks the paper's claims hold."""
    first: dict[str, dict[str, float]] = {}
    last: dict[str, dict[str, float]] = {}
    for task, part in by_task(outcome.summary):
        sizes = part["labels"].to_numpy()
        for found, size in ((first, sizes.min()), (last, sizes.max())):
            found[task] = _errors(part.filter(pl.col("labels") == int(size)))
    claims = []
    for better, worse, often in _CLAIMS:
        a, b = better + _BY_VARIANCE, worse + _BY_VARIANCE
        tasks = [task for task, errors in last.items() if a in errors and b in errors]
        held = [task for task in tasks if last[task][a] < last[task][b]]
        missed = [
            {"task": t, "before": (first[t][a], first[t][b]), "after": (last[t][a], last[t][b])}
            for t in tasks
            if t not in held
        ]
        if tasks:
            claim = {"better": better, "worse": worse, "often": often, "held": held}
            claims.append(claim | {"missed": missed})
    return {
        "labels": int(outcome.summary["labels"].to_numpy().max()),
        "best": {task: _best(errors) for task, errors in last.items()},
        "claims": claims,
    }


def _best(errors: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the best three of the paper's methods and the best two of ours."""
    ranked = _ranked(errors)
    theirs = [pair for pair in ranked if not is_ours(pair[0])]
    return [*theirs[:3], *[pair for pair in ranked if is_ours(pair[0])][:2]]


def _calibration(outcome: Outcome) -> Found:
    """Return how calibrations rank on each task, and where they cannot differ."""
    labels = shown_size(outcome.summary)
    tasks = []
    for task, part in by_task(outcome.summary.filter(pl.col("labels") == labels)):
        rows = {_calibration_of(row["method"]): row for row in part.iter_rows(named=True)}
        ranked = _ranked({name: row["macro_mse"] for name, row in rows.items()})
        is_whole = set(rows) == set(_CALIBRATIONS)
        turned = [
            (a, b)
            for a, b in pairwise(_CALIBRATIONS)
            if is_whole and rows[a]["macro_mse"] > rows[b]["macro_mse"]
        ]
        gaps = [is_within_deviation(rows[a], rows[b], "macro_mse") for a, b in turned]
        found: Found = {"task": task, "ranked": ranked, "turned": turned}
        found |= {"is_papers": is_whole and not turned, "is_close": bool(turned) and all(gaps)}
        tasks.append(found)
    at_start = outcome.summary.filter(pl.col("labels") == outcome.seed_size)
    parts = [_errors(part) for _, part in by_task(at_start)]
    is_same = bool(parts) and all(len(e) > 1 and len(set(e.values())) == 1 for e in parts)
    return {
        "labels": labels,
        "papers": _CALIBRATIONS,
        "tasks": tasks,
        "same_at": outcome.seed_size if is_same else None,
    }


def _calibration_of(method: str) -> str:
    return method.partition("@")[2] or method


def _parameterisation(outcome: Outcome) -> Found:
    """Return in how many cells mean and scale are better, and where they are not."""
    n_cells = 0
    close: list[tuple[str, int]] = []
    clear: list[tuple[str, int]] = []
    single: list[tuple[str, int]] = []
    for (task, labels), part in outcome.summary.group_by("task", "labels", maintain_order=True):
        rows = {row["method"]: row for row in part.iter_rows(named=True)}
        if _MEAN_SCALE not in rows or _ALPHA_BETA not in rows:
            continue
        n_cells += 1
        ours, other = rows[_MEAN_SCALE], rows[_ALPHA_BETA]
        if ours["macro_mse"] >= other["macro_mse"]:
            is_close = is_within_deviation(ours, other, "macro_mse")
            lost = single if ours["seeds"] == 1 else close if is_close else clear
            lost.append((str(task), int(labels)))
    n_won = n_cells - len(close) - len(clear) - len(single)
    found = {"lost_closely": close, "lost_clearly": clear, "lost_in_one_seed": single}
    return {"n_cells": n_cells, "n_won": n_won, **found}


def _larger_space(outcome: Outcome) -> Found:
    """Return how large each space is beside the labels, and in which order methods come."""
    tasks = []
    for task, part in by_task(outcome.summary):
        labels = int(part["labels"].to_numpy().max())
        ranked = _ranked(_errors(part.filter(pl.col("labels") == labels)))
        facts = outcome.facts[task]
        tasks.append({"task": task, "facts": facts, "labels": labels, "ranked": ranked})
    return {"tasks": tasks}


def _scale(outcome: Outcome) -> Found:
    """Return what errors do as scales in proportion to labels grow, and where supervision pays."""
    tasks: list[Found] = []
    falls: dict[str, list[str]] = {}
    for task, part in by_task(outcome.summary):
        rows = {row["method"]: row for row in part.iter_rows(named=True)}
        given = [(f"{level:,}", _GIVEN_SCALE.format(level)) for level in SCALE_LEVELS]
        named = [(name, name) for name in (_LEARNED_SCALE, *_SUPERVISED, _NO_SCALE)]
        words = {
            kind: [(name, *_both(rows[m])) for name, m in methods if m in rows]
            for kind, methods in (("given", given), ("learned", named))
        }
        tasks.append({"task": task} | words)
        for metric, name in _SHOWN.items():
            levels = [rows[m][metric] for _, m in given if m in rows]
            if _NO_SCALE in rows and len(levels) > 1:
                errors = [*levels, rows[_NO_SCALE][metric]]
                if all(before > after for before, after in pairwise(errors)):
                    falls.setdefault(name, []).append(task)
    return {
        "labels": int(outcome.summary["labels"].to_numpy().max()),
        "tasks": tasks,
        "falls": falls,
        "supervision": _supervision(outcome.summary),
    }


def _deep_kernel(outcome: Outcome) -> Found:
    """Return where supervision pays with a deep kernel, in means and beyond a deviation."""
    below: dict[str, dict[str, list[str]]] = {}
    for task, part in by_task(outcome.summary):
        rows = {row["method"]: row for row in part.iter_rows(named=True)}
        for method in _SUPERVISED:
            if f"{method}{DEEP}" not in rows or f"{_LEARNED_SCALE}{DEEP}" not in rows:
                continue
            ours, plain = rows[f"{method}{DEEP}"], rows[f"{_LEARNED_SCALE}{DEEP}"]
            for metric, name in _SHOWN.items():
                where = below.setdefault(method, {}).setdefault(name, [])
                where += [task] * (ours[metric] < plain[metric])
    labels = int(outcome.summary["labels"].to_numpy().max())
    return {"labels": labels, "below": below, "supervision": _supervision(outcome.summary, DEEP)}


def _supervision(
    summary: pl.DataFrame, settings: str = ""
) -> list[tuple[str, dict[str, dict[str, list[str]]]]]:
    """Return by method and error on which tasks supervision costs and pays beyond a deviation."""
    costs: dict[str, dict[str, list[str]]] = {}
    pays: dict[str, dict[str, list[str]]] = {}
    for task, part in by_task(summary):
        rows = {row["method"]: row for row in part.iter_rows(named=True)}
        plain = rows.get(f"{_LEARNED_SCALE}{settings}")
        for method in _SUPERVISED:
            ours = rows.get(f"{method}{settings}")
            if ours is None or plain is None or ours["seeds"] == 1:
                continue
            for metric, name in _SHOWN.items():
                if not is_within_deviation(ours, plain, metric):
                    found = pays if ours[metric] < plain[metric] else costs
                    found.setdefault(method, {}).setdefault(name, []).append(task)
    return [("costs", costs), ("pays", pays)]


def _both(row: Mapping[str, float]) -> tuple[float, ...]:
    return tuple(row[metric] for metric in _SHOWN)


def _coverage(outcome: Outcome) -> Found:
    """Return which shares of arms are outside what is promised, by method."""
    share = pl.col("arms_90")
    misses = []
    for (method,), part in outcome.summary.group_by("method", maintain_order=True):
        mean = part.group_by("labels").agg(share.mean())
        outside = _by_labels(mean.filter(~share.is_between(_LEAST_MEAN, _MOST_MEAN)))
        low = part.filter(share < _LEAST_SHARE)
        under = {task: _by_labels(curve) for task, curve in by_task(low)}
        if outside or under:
            misses.append({"method": method, "outside": outside, "under": under})
    bounds = {"least": _LEAST_SHARE, "low": _LEAST_MEAN, "high": _MOST_MEAN}
    return {"misses": misses, **bounds}


def _by_labels(shares: pl.DataFrame) -> list[tuple[int, float]]:
    return shares.sort("labels").select("labels", "arms_90").rows()


def _errors(part: pl.DataFrame) -> dict[str, float]:
    """Return macro MSE by method; ``part`` holds one task at one size."""
    return dict(zip(part["method"], part["macro_mse"], strict=True))


def _ranked(errors: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(errors.items(), key=lambda pair: pair[1])


FINDINGS = {
    "estimation": _estimation,
    "exploration": _exploration,
    "calibration": _calibration,
    "parameterisation": _parameterisation,
    "larger-space": _larger_space,
    "scale": _scale,
    "deep-kernel": _deep_kernel,
    "coverage": _coverage,
}
"""By experiment; the others have tables and no words of their own."""
