"""A first spec from the columns of a pool, with comments that say what to check.

Names tell what they can: ``p_<attribute>__<value>`` is evidence, ``<service>_pred`` a prediction,
``<service>_confidence`` how sure the service was. Other columns with few values are attributes,
and one that looks like files or long texts is shown. What the texts are like may be attributes
too. All of it is a guess that the user edits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

import polars as pl

from accuracy_assay.exploration.goals import GOALS, GoalName
from accuracy_assay.files.texts import as_texts
from accuracy_assay.domain.text.proposed import is_text, proposed_features

__all__ = ["infer_spec"]

_EVIDENCE = re.compile(r"p_(.+?)__(.+)")
_PREDICTION = re.compile(r"(.*?)_?(pred|prediction|predicted|hypothesis|transcript)$", re.I)
_CONFIDENCE = re.compile(r"(.*?)_?(confidence|conf|score|probability)$", re.I)
_TRUTH = re.compile(r"(label|truth|gold|target|y_true|correct|answer|reference)$", re.I)
_MEDIA = {"image": (".png", ".jpg", ".jpeg", ".gif", ".webp"), "audio": (".wav", ".mp3", ".flac")}

_MOST_VALUES = 20
"""Most values of a column that looks like an attribute or the choices of a label.

Chosen by hand: ages in bands, accents and digits pass; ages in years, names and texts do not.
"""

_SAMPLE_ROWS = 1000
"""Rows looked at to see whether a column holds files; more only take more time."""


@dataclass
class _PoolColumns:
    """The columns of a pool by the part that each seems to play."""

    id: str = "id"
    exact: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    evidence: dict[str, str] = field(default_factory=dict)
    services: dict[str, str] = field(default_factory=dict)
    confidences: dict[str, str] = field(default_factory=dict)
    show: dict[str, str] = field(default_factory=dict)
    text: str | None = None


def infer_spec(
    pool: pl.DataFrame, path: Path, goal: GoalName = "surface", mix: Path | None = None
) -> str:
    """Return the text of an ``assay.toml`` for a pool that lies at ``path``.

    ``goal`` is what labels are chosen for, ``mix`` the table of weights where it is a mix.

    Examples
    --------
    >>> rows = pl.DataFrame({"id": ["x", "y", "z"], "sex": ["f", "m", "f"], "a_pred": [1, 2, 1]})
    >>> "[[attribute]]" in infer_spec(rows, Path("pool.csv"))
    True
    """
    found = _sort_columns(pool)
    return "\n".join(
        [
            *_head(path, found, _goal(goal, mix)),
            *_attributes(pool, found),
            *_services(found),
            *_label(pool, found),
        ]
    )


def _sort_columns(pool: pl.DataFrame) -> _PoolColumns:
    found = _PoolColumns(id=_id_column(pool))
    for name in pool.columns:
        column = pool.get_column(name)
        n_values = column.drop_nulls().n_unique()
        if name == found.id or _TRUTH.match(name) or column.dtype.is_nested():
            continue
        if match := _EVIDENCE.fullmatch(name):
            found.evidence[match[1]] = f"p_{match[1]}__*"
        elif match := _PREDICTION.fullmatch(name):
            found.services[match[1] or "service"] = name
        elif (match := _CONFIDENCE.fullmatch(name)) and column.dtype.is_numeric():
            found.confidences[match[1] or "service"] = name
        elif kind := _media(column):
            found.show.setdefault(kind, name)
        elif 2 <= n_values <= _MOST_VALUES and not column.dtype.is_float():
            found.exact.append(name)
        elif column.dtype.is_numeric() and n_values > _MOST_VALUES:
            found.numbers.append(name)
        elif column.dtype == pl.String and n_values > _MOST_VALUES:
            found.show.setdefault("text", name)
            if found.text is None and is_text(column):
                found.text = name
    found.exact = [name for name in found.exact if name not in found.evidence]
    return found


def _id_column(pool: pl.DataFrame) -> str:
    """Return the column called id, or the first whose values all differ."""
    for name in pool.columns:
        if name.lower() == "id":
            return name
    for name in pool.columns:
        column = pool.get_column(name)
        is_plain = column.dtype == pl.String or column.dtype.is_integer()
        if is_plain and not column.null_count() and column.n_unique() == column.len():
            return name
    return "id"


def _media(column: pl.Series) -> str | None:
    if column.dtype != pl.String:
        return None
    texts = column.drop_nulls().head(_SAMPLE_ROWS).to_list()
    for kind, endings in _MEDIA.items():
        if texts and all(text.lower().endswith(endings) for text in texts):
            return kind
    return None


def _goal(goal: GoalName, mix: Path | None) -> list[str]:
    """Return the lines of the goal, with every goal in plain words."""
    lines = [f"goal = {_quoted(goal):<18}# what labels are chosen for:"]
    lines += [f"#   {name:<9}{GOALS[name]}" for name in get_args(GoalName)]
    if mix is not None:
        return [*lines, f"mix = {_quoted(mix.as_posix())}    # attribute columns and weight"]
    return [*lines, '# mix = "mix.csv"        # for goal = "mix": attribute columns and weight']


def _head(path: Path, found: _PoolColumns, goal: list[str]) -> list[str]:
    return [
        "# A first guess from the columns of the pool. Check every line, then start with:",
        "#   assay init my.assay --spec THIS_FILE",
        "",
        "[assay]",
        f"name = {_quoted(path.stem)}",
        "budget = 1000            # labels that may be asked for",
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
        f"id = {_quoted(found.id)}",
        '# seed_set = "seed.parquet"   # rows with gold attributes and a column "label"',
        '# cluster = "speaker"         # column of rows that belong together',
        "",
    ]


def _attributes(pool: pl.DataFrame, found: _PoolColumns) -> list[str]:
    lines = ["# Attributes span the surface: every combination of their values is an arm."]
    for name in found.exact:
        values = sorted(as_texts(pool.get_column(name).drop_nulls().unique().to_list()))
        lines += ["[[attribute]]", f"name = {_quoted(name)}    # {_listed(values)}"]
    for name, pattern in found.evidence.items():
        lines += ["[[attribute]]", f"name = {_quoted(name)}"]
        lines += [f"evidence = {_quoted(pattern)}    # guessed: one probability per value"]
    for name in found.numbers:
        quartiles = [pool.get_column(name).quantile(q) or 0.0 for q in (0.25, 0.5, 0.75)]
        edges = sorted({float(f"{edge:.3g}") for edge in quartiles})
        lines += ["# [[attribute]]             # numbers; remove the # to cut them at these edges"]
        lines += [f"# name = {_quoted(name)}", '# kind = "continuous"', f"# edges = {edges}"]
    texts = _text_attributes(pool, found)
    lines += texts
    if not (found.exact or found.evidence or texts):
        lines += ["[[attribute]]", 'name = "CHANGE ME"    # no column looks like an attribute']
    return [*lines, ""]


def _text_attributes(pool: pl.DataFrame, found: _PoolColumns) -> list[str]:
    """Return features of the texts; the first is an attribute where no column is one."""
    if found.text is None:
        return []
    features = proposed_features(pool.get_column(found.text), pool.columns)
    lines = ["# What the texts are like: remove the # from those that may matter."] * bool(
        features
    )
    is_wanted = not (found.exact or found.evidence)
    for name, feature in features.items():
        section = ["[[attribute]]", f"name = {_quoted(name)}"]
        section += [f"from_text = {_quoted(found.text)}", f"feature = {_quoted(feature)}"]
        lines += section if is_wanted else [f"# {line}" for line in section]
        is_wanted = False
    return lines


def _services(found: _PoolColumns) -> list[str]:
    lines = ["# Services: what is assayed. One label scores all of them."]
    for name, column in found.services.items():
        lines += ["[[service]]", f"name = {_quoted(name)}", f"column = {_quoted(column)}"]
        if name in found.confidences:
            lines += [f"confidence = {_quoted(found.confidences[name])}"]
        lines += ["price = 0.0"]
    if not found.services:
        lines += [
            "[[service]]",
            'name = "CHANGE ME"',
            'column = "CHANGE ME"    # no column looks like predictions',
        ]
    return [
        *lines,
        '# or callable = "module:function", or url = "http://..." with',
        '# request = { text = "{column}" } and response = { prediction = "result.label" }',
        "",
    ]


def _label(pool: pl.DataFrame, found: _PoolColumns) -> list[str]:
    predicted = {
        text
        for column in found.services.values()
        for text in as_texts(pool.get_column(column).drop_nulls().unique().to_list())
    }
    lines = ["[label]"]
    if 2 <= len(predicted) <= _MOST_VALUES:
        are_numbers = all(text.isdecimal() for text in predicted)
        ordered = sorted(predicted, key=int) if are_numbers else sorted(predicted)
        lines += [f"choices = {_array(ordered)}"]
    else:
        lines += ['# choices = ["yes", "no"]    # without choices any text is an answer']
    lines += ['agreement = "equal"      # equal, bleu, wer, absolute:LOW:HIGH, or module:function']
    shown = ", ".join(f"{kind} = {_quoted(column)}" for kind, column in found.show.items())
    lines += [f"show = {{ {shown} }}" if shown else '# show = { text = "column" }']
    return [*lines, "annotators = 1           # answers wanted for each instance", ""]


def _quoted(text: str) -> str:
    """Return a TOML string; JSON's escapes are TOML's."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _array(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _listed(texts: Sequence[str]) -> str:
    """Return a few values for a comment, which must not break its line."""
    shown = ", ".join(_quoted(text) for text in texts[:5])
    return shown + (", ..." if len(texts) > 5 else "")
