"""What a gate found, check by check; ``accuracy_assay.study.gate.check`` makes it.

A check passes if what it asks for holds with its confidence. It fails if it names a slice where
that does not hold, with that confidence over all slices checked. Otherwise it has not enough
labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

import polars as pl

from accuracy_assay.domain.label_count import LabelCount
from accuracy_assay.files.frame_kind import Frame, FrameKind, as_kind

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
        The accuracy there, the gap or the difference, with its own central interval: of an
        accuracy that of ``AccuracySurface.at``, of a difference that of a comparison.
    level
        Probability of the interval.
    bound
        Where the check failed: what the number is at most (of a gap: at least). Where something
        got better: by how much at least. Both with the check's confidence over all slices
        checked. None elsewhere.
    labels, rows
        Labels and pool rows of the slice.
    labels_to_settle
        About how many more labels in this slice would settle on which side of the bar it is, if
        its accuracy is what it seems; of each service, where two have separate labels. None where
        it is settled, or no number would do.
    """

    place: str
    mean: float
    lower: float
    upper: float
    level: float
    bound: float | None
    labels: float
    rows: float
    labels_to_settle: int | None = None


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
        Posterior probability that it holds, if it is about one accuracy or one loss. None for gaps
        and for several slices: their probabilities are not calibrated.
    findings
        Where it failed, the clearest first, up to a hundred; else the slices that are likeliest to
        fail, the likeliest first, and after those that must be shown to hold those that are
        watched.
    better
        Slices that are surely better than in the baseline, the clearest first, up to a hundred.
    n_failed, n_better
        How many slices failed, and how many are better.
    n_places
        Number of slices checked.
    thin
        Places left out because they have too few pool rows: values by name, arms by number.
    labels_to_settle
        About how many more labels, spread as they are now, would settle it, if accuracies are
        what they seem; None where it is settled, or no number would do.
    would_be
        The verdict then.
    says
        The finding in words.
    places
        The places that it names beside, in words, a line each.
    remarks
        What one should know beside it.
    """

    name: str
    asks: str
    verdict: Verdict
    confidence: float
    chance: float | None
    findings: tuple[Finding, ...]
    better: tuple[Finding, ...]
    n_failed: int
    n_better: int
    n_places: int
    thin: tuple[str, ...]
    labels_to_settle: int | None
    would_be: Verdict | None
    says: str
    places: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its name and what it asks for."""
        return self.name if self.name == self.asks else f"{self.name}: {self.asks}"

    @property
    def reasons(self) -> tuple[str, ...]:
        """What it says, a line each, remarks last."""
        return (self.says, *self.places, *self.remarks)


@dataclass(frozen=True, slots=True)
class Gate:
    """Several checks of one surface, which pass together or not at all.

    Parameters
    ----------
    checks
        What each check found.
    labels
        Labels of the surface.
    labels_worth
        How many certain labels these are worth; as many by default.
    strict
        Whether a gate without enough labels fails.
    target, about
        What its accuracies are about, as a name and in words.
    missing
        What became of rows without an answer, in words; empty without any.
    frames
        What tables are returned as, as in `AccuracySurface`.

    Examples
    --------
    >>> said = {"n_failed": 0, "n_better": 0, "n_places": 1, "thin": (), "says": "too few"}
    >>> more = {"labels_to_settle": None, "would_be": None}
    >>> check = Check("a", "more", "not enough labels", 0.95, 0.6, (), (), **said, **more)
    >>> gate = Gate((check,), 500.0)
    >>> gate.verdict, gate.passed, [each.name for each in gate]
    ('not enough labels', False, ['a'])
    >>> Gate((check,), 500.0, strict=True).verdict
    'fail'
    """

    checks: tuple[Check, ...]
    labels: float
    strict: bool = False
    target: str = "population"
    about: str = "of rows like these"
    missing: str = ""
    labels_worth: float | None = None
    frames: FrameKind = "polars"

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all checks; strictly, not enough labels is a failure."""
        worst = max((check.verdict for check in self.checks), key=VERDICTS.index)
        return "fail" if self.strict and worst != "pass" else worst

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return self.verdict == "pass"

    @property
    def why(self) -> str:
        """Why the verdict is what it is, in a few words."""
        n_failed, n_open = self._count("fail"), self._count("not enough labels")
        said = [self.checks[0].title]
        if len(self.checks) > 1:
            of = f"of {len(self.checks)} checks"
            said = [f"{n_failed} {of} failed"] if n_failed else []
            said += [f"{n_open} {of} cannot be decided"] if n_open else []
        if self.strict and n_open and not n_failed:
            said.insert(0, "not enough labels, and the gate is strict")
        every = "; ".join(said) or f"all {len(self.checks)} checks"
        worth = self.labels if self.labels_worth is None else self.labels_worth
        count = LabelCount(self.labels, worth)
        silent = f"; {self.missing}" if self.missing else ""
        return f"{every} ({count}, accuracies {self.about}{silent})"

    def _count(self, verdict: Verdict) -> int:
        return sum(check.verdict == verdict for check in self.checks)

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values: what ``assay check --json`` prints."""
        found = {"verdict": self.verdict, **asdict(self)}
        return {name: value for name, value in found.items() if name != "frames"}

    def to_frame(self) -> Frame:
        """Return one row per check: name, verdict, chance, labels_to_settle, says."""
        table = pl.DataFrame(
            {
                "name": [check.name for check in self.checks],
                "verdict": [check.verdict for check in self.checks],
                "chance": pl.Series([check.chance for check in self.checks], dtype=pl.Float64),
                "labels_to_settle": pl.Series(
                    [check.labels_to_settle for check in self.checks], dtype=pl.Int64
                ),
                "says": [check.says for check in self.checks],
            }
        )
        return as_kind(table, self.frames)

    def __str__(self) -> str:
        lines = [f"{self.verdict}: {self.why}"]
        for check in self.checks:
            if len(self.checks) > 1:
                lines += ["", f"{check.verdict}: {check.title}"]
            lines += [f"  {reason}" for reason in check.reasons]
        return "\n".join(lines)
