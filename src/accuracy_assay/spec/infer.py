"""A first spec from the columns of a pool, with comments that say what to check.

Which column plays which part is guessed as everywhere (`domain.roles`). Attributes are taken in
the order of the table while the pool has no more arms than the budget has labels; the others, and
what the texts are like, are there to be chosen. All of it is a guess that the user edits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import get_args

import polars as pl

from accuracy_assay.domain.candidate_columns import CandidateColumn
from accuracy_assay.domain.column_roles import MOST_VALUES
from accuracy_assay.domain.roles.guess import guess_roles
from accuracy_assay.domain.roles.value import ColumnRoles
from accuracy_assay.domain.text.proposed import proposed_features
from accuracy_assay.exploration.goals import GOALS, GoalName
from accuracy_assay.files.texts import as_texts

__all__ = ["GOLD", "infer_spec", "label_needs"]

GOLD = "gold"
"""The expert whose answers are the gold answers of a table."""
_BUDGET = 1000
"""Labels of a first spec."""
_LEVEL, _HALF_WIDTH = 0.9, 0.1
"""The interval by which the need of labels is told: ten points to either side, at 90%."""


def infer_spec(
    pool: pl.DataFrame,
    path: Path,
    goal: GoalName = "surface",
    mix: Path | None = None,
    roles: ColumnRoles | None = None,
) -> str:
    """Return the text of an ``assay.toml`` for a pool that lies at ``path``.

    ``goal`` is what labels are chosen for, ``mix`` the table of weights where it is a mix;
    ``roles`` say what the columns are, and are guessed by default.

    Examples
    --------
    >>> rows = pl.DataFrame({"id": ["x", "y", "z"], "sex": ["f", "m", "f"], "a_pred": [1, 2, 1]})
    >>> "[[attribute]]" in infer_spec(rows, Path("pool.csv"))
    True
    """
    found = guess_roles(pool) if roles is None else roles
    return "\n".join(
        [
            *_head(path, found, _goal(goal, mix)),
            *_attributes(pool, found),
            *_services(found),
            *_label(pool, found),
        ]
    )


def label_needs(pool: pl.DataFrame, roles: ColumnRoles) -> str:
    """Return how many arms the attributes of a first spec make, and what that means for labels.

    A single proportion takes (z / 2h)^2 labels for a half-width of h, at most: where the service
    is right half of the time.

    Examples
    --------
    >>> rows = pl.DataFrame({"id": range(6), "sex": ["f", "m"] * 3, "a_pred": [1, 2, 1] * 2})
    >>> label_needs(rows, guess_roles(rows)).partition(". ")[0]
    '1 attribute makes 2 arms: 1,000 labels are 500 per arm'
    """
    active, _ = _chosen(pool, roles)
    if not active and _text_attributes(pool, roles, is_wanted=True):
        return f"No column is an attribute, so the spec derives one from {roles.texts[0]!r}."
    if not active:
        return "No column is an attribute: without one there is a single arm."
    n_arms = _n_arms(pool, [a.name for a in active])
    n_alone = round((NormalDist().inv_cdf((1.0 + _LEVEL) / 2.0) / (2.0 * _HALF_WIDTH)) ** 2)
    makes = "1 attribute makes" if len(active) == 1 else f"{len(active)} attributes make"
    each = _BUDGET / n_arms
    return (
        f"{makes} {n_arms:,} arms: {_BUDGET:,} labels are {each:{'.0f' if each >= 10 else '.1f'}} "
        f"per arm. An arm alone takes up to {n_alone} labels for ±{100 * _HALF_WIDTH:.0f} points "
        f"({_LEVEL:.0%}); arms borrow from one another, and assay plan forecasts."
    )


def _n_arms(pool: pl.DataFrame, names: Sequence[str]) -> int:
    """Return how many combinations of values occur in the pool."""
    return pool.select(names).unique().height


def _chosen(
    pool: pl.DataFrame, roles: ColumnRoles
) -> tuple[list[CandidateColumn], list[CandidateColumn]]:
    """Return the attributes of a first spec, and columns that would make too many arms."""
    active: list[CandidateColumn] = []
    others: list[CandidateColumn] = []
    for known in roles.attributes:
        if known.edges:
            continue
        names = [*(a.name for a in active), known.name]
        is_guessed = known.name in roles.evidence
        is_fit = is_guessed or not active or _n_arms(pool, names) <= _BUDGET
        (active if is_fit else others).append(known)
    return active, others


def _goal(goal: GoalName, mix: Path | None) -> list[str]:
    """Return the lines of the goal, with every goal in plain words."""
    lines = [f"goal = {_quoted(goal):<18}# what labels are chosen for:"]
    lines += [f"#   {name:<9}{GOALS[name]}" for name in get_args(GoalName)]
    if mix is not None:
        return [*lines, f"mix = {_quoted(mix.as_posix())}    # attribute columns and weight"]
    return [*lines, '# mix = "mix.csv"        # for goal = "mix": attribute columns and weight']


def _head(path: Path, found: ColumnRoles, goal: list[str]) -> list[str]:
    clusters = '# cluster = "speaker"         # column of rows that belong together'
    if found.cluster is not None:
        clusters = f"cluster = {_quoted(found.cluster)}    # rows that belong together"
    return [
        "# A first guess from the columns of the pool. Check every line, then start with:",
        "#   assay init my.assay --spec THIS_FILE",
        "",
        "[assay]",
        f"name = {_quoted(path.stem)}",
        f"budget = {_BUDGET}            # labels that may be asked for",
        "batch = 12               # labels per round; a fit follows each round",
        "seed = 0",
        *goal,
        'estimator = "anova-gp"   # or a table, { name = "anova-gp", level = 0.95 }',
        'strategy = "variance-reduction"',
        'calibration = "full"     # used where an attribute is guessed',
        "lease_minutes = 30       # how long an annotator holds what was asked",
        "",
        "[pool]",
        f"path = {_quoted(path.as_posix())}    # relative to this file",
        f"id = {_quoted(found.id or 'id')}",
        '# seed_set = "seed.parquet"   # rows with gold attributes and a column "label"',
        clusters,
        "",
    ]


def _attributes(pool: pl.DataFrame, found: ColumnRoles) -> list[str]:
    lines = ["# Attributes span the surface: every combination of their values is an arm."]
    lines += [f"# {label_needs(pool, found)}"]
    active, others = _chosen(pool, found)
    for known in active:
        lines += _attribute(pool, found, known)
    if others:
        lines += ["# These would make more arms than there are labels: remove the # to use one."]
        lines += [f"# {line}" for known in others for line in _attribute(pool, found, known)]
    guessed = [name for name in found.evidence if name not in {a.name for a in active}]
    for name in guessed:
        lines += ["[[attribute]]", f"name = {_quoted(name)}", _evidence(found, name)]
    for known in found.attributes:
        if known.edges:
            lines += ["# [[attribute]]             # numbers; remove the # to cut them here"]
            lines += [f"# name = {_quoted(known.name)}", '# kind = "continuous"']
            lines += [f"# edges = {list(known.edges)}"]
    texts = _text_attributes(pool, found, is_wanted=not (active or guessed))
    lines += texts
    if found.truth is not None and found.services:
        lines += ["# [[attribute]]             # the truth itself, known once a row is labelled"]
        lines += [f"# name = {_quoted(found.truth)}", "# from_label = true"]
    if not (active or guessed or texts):
        lines += ["[[attribute]]", 'name = "CHANGE ME"    # no column looks like an attribute']
    lines += [
        f"# left out: {_commented(n)}: {_commented(why)}" for n, why in found.left_out.items()
    ]
    return [*lines, ""]


def _attribute(pool: pl.DataFrame, found: ColumnRoles, known: CandidateColumn) -> list[str]:
    values = sorted(as_texts(pool.get_column(known.name).drop_nulls().unique().to_list()))
    lines = ["[[attribute]]", f"name = {_quoted(known.name)}    # {_listed(values)}"]
    if known.name in found.evidence:
        return [*lines, _evidence(found, known.name)]
    if known.name in found.gaps:
        return [*lines, 'missing = "value"        # a row without a value has the value (missing)']
    return lines


def _evidence(found: ColumnRoles, name: str) -> str:
    return f"evidence = {_quoted(found.evidence[name])}    # guessed: one probability per value"


def _text_attributes(pool: pl.DataFrame, found: ColumnRoles, *, is_wanted: bool) -> list[str]:
    """Return features of the texts; the first is an attribute where no column is one."""
    if not found.texts:
        return []
    features = proposed_features(pool.get_column(found.texts[0]), pool.columns)
    lines = ["# What the texts are like: remove the # from those that may matter."] * bool(
        features
    )
    for name, feature in features.items():
        section = ["[[attribute]]", f"name = {_quoted(name)}"]
        section += [f"from_text = {_quoted(found.texts[0])}", f"feature = {_quoted(feature)}"]
        lines += section if is_wanted else [f"# {line}" for line in section]
        is_wanted = False
    return lines


def _services(found: ColumnRoles) -> list[str]:
    lines = ["# Services: what is assayed. One label scores all of them."]
    for name, column in found.predictions.items():
        lines += ["[[service]]", f"name = {_quoted(name)}", f"column = {_quoted(column)}"]
        if signals := found.services[name].signals:
            lines += [f"confidence = {_quoted(signals[0])}"]
        lines += ["price = 0.0"]
    if not found.predictions:
        lines += [
            "[[service]]",
            'name = "CHANGE ME"',
            'column = "CHANGE ME"    # no column looks like predictions',
        ]
    lines += [
        '# or callable = "module:function", or url = "http://..." with',
        '# request = { text = "{column}" } and response = { prediction = "result.label" }',
        "",
    ]
    return [*lines, *_judges(found)]


def _judges(found: ColumnRoles) -> list[str]:
    """Return the judges; with several services the user must say whose answers they judge."""
    lines: list[str] = []
    whose = "# " if len(found.predictions) != 1 else ""
    for judge in found.judges:
        section = ["[[judge]]", f"name = {_quoted(judge)}", f"column = {_quoted(judge)}"]
        section += ['services = ["CHANGE ME"]'] if whose else []
        lines += [f"{whose}{line}" for line in section]
    return [*lines, ""] if lines else []


def _label(pool: pl.DataFrame, found: ColumnRoles) -> list[str]:
    predicted = {
        text
        for column in (*found.predictions.values(), found.truth if found.are_answers else None)
        if column is not None
        for text in as_texts(pool.get_column(column).drop_nulls().unique().to_list())
    }
    lines = ["[label]"]
    if 2 <= len(predicted) <= MOST_VALUES:
        are_numbers = all(text.isdecimal() for text in predicted)
        ordered = sorted(predicted, key=int) if are_numbers else sorted(predicted)
        lines += [f"choices = {_array(ordered)}"]
    else:
        lines += ['# choices = ["yes", "no"]    # without choices any text is an answer']
    lines += ['agreement = "equal"      # equal, bleu, wer, absolute:LOW:HIGH, or module:function']
    show = {**found.media, **({"text": found.texts[0]} if found.texts else {})}
    shown = ", ".join(f"{kind} = {_quoted(column)}" for kind, column in show.items())
    beside = f"    # or several: text = [{_listed(found.texts)}]" if len(found.texts) > 1 else ""
    lines += [f"show = {{ {shown} }}{beside}" if shown else '# show = { text = "column" }']
    lines += ["annotators = 1           # answers wanted for each instance"]
    if found.gold is not None:
        lines += [f"experts = {_array([GOLD])}       # whose answers are the truth"]
    return [*lines, ""]


def _quoted(text: str) -> str:
    """Return a TOML string; JSON's escapes are TOML's."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _commented(text: str) -> str:
    """Return a text that stays on the line of its comment."""
    return _quoted(text)[1:-1].replace('\\"', '"')


def _array(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _listed(texts: Sequence[str]) -> str:
    """Return a few values for a comment, which must not break its line."""
    shown = ", ".join(_quoted(text) for text in texts[:5])
    return shown + (", ..." if len(texts) > 5 else "")
