"""What a gate found, check by check; ``accuracy_assay.study.gate.check`` makes it.

A check passes if what it asks for holds with its confidence. It fails if it names a slice where
that does not hold, with that confidence over all slices checked. Otherwise it has not enough
labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import polars as pl

__all__ = ["VERDICTS", "Check", "Finding", "Gate", "Verdict"]

Verdict: TypeAlias = Literal["pass", "not enough labels", "fail"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""From the best to the worst."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One slice that a check looked at.

    Parameters
    ----------
    place
        The slice in words: the whole, a value, an arm or any other.
    mean, lower, upper
        The accuracy there, the gap or the difference, with its central interval.
    level
        Probability of the interval.
    bound
        Where the check failed: what the number is at most (of a gap: at least), with the check's
        confidence over all slices checked. None elsewhere.
    labels, rows
        Labels and pool rows of the slice.
    """

    place: str
    mean: float
    lower: float
    upper: float
    level: float
    bound: float | None
    labels: float
    rows: float


@dataclass(frozen=True, slots=True)
class Check:
    """What one check asked for and found.

    Parameters
    ----------
    name
        Its name; what it asks for, where it has none.
    asks
        What it asks for, in words.
    verdict
        ``pass``, ``fail`` or ``not enough labels``.
    confidence
        The confidence asked for.
    chance
        Posterior probability that what must be shown holds.
    findings
        Where it failed, the clearest first; else the slice that is nearest to failing.
    n_places
        Number of slices checked.
    thin
        Places left out because they have too few pool rows: values by name, arms by number.
    labels_to_settle
        About how many more labels would settle it, if accuracies are what they seem; None where
        it is settled, or no number would do.
    would_be
        The verdict then.
    says
        The finding in words.
    remarks
        What one should know beside it.
    """

    name: str
    asks: str
    verdict: Verdict
    confidence: float
    chance: float
    findings: tuple[Finding, ...]
    n_places: int
    thin: tuple[str, ...]
    labels_to_settle: int | None
    would_be: Verdict | None
    says: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """Several checks of one surface, which pass together or not at all.

    ``target`` and ``about`` say what its accuracies are about; ``labels`` are behind them.

    Examples
    --------
    >>> check = Check("a", "more", "fail", 0.95, 0.0, (), 1, (), None, None, "too few")
    >>> gate = Gate((check,), 500.0)
    >>> gate.verdict, gate.passed, [each.name for each in gate]
    ('fail', False, ['a'])
    """

    checks: tuple[Check, ...]
    labels: float
    target: str = "population"
    about: str = "of rows like these"

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all checks."""
        return max((check.verdict for check in self.checks), key=VERDICTS.index)

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return self.verdict == "pass"

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    def to_frame(self) -> pl.DataFrame:
        """Return one row per check: name, verdict, chance, labels_to_settle, says."""
        return pl.DataFrame(
            {
                "name": [check.name for check in self.checks],
                "verdict": [check.verdict for check in self.checks],
                "chance": [check.chance for check in self.checks],
                "labels_to_settle": pl.Series(
                    [check.labels_to_settle for check in self.checks], dtype=pl.Int64
                ),
                "says": [check.says for check in self.checks],
            }
        )

    def __str__(self) -> str:
        lines = [f"{check.verdict}: {check.name}: {check.says}" for check in self.checks]
        return "\n".join([*lines, f"the gate: {self.verdict}, {self.about}"])
