"""A judge's certificate: where an automatic judge may decide in place of people, and where not.

``accuracy_assay.study.judges.certify`` makes it from labels; terminals, pages and gates read it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from accuracy_assay.domain.judges import is_outside
from accuracy_assay.domain.space import Attribute, AttributeSpace, Value
from accuracy_assay.errors import InputError
from accuracy_assay.files.frame_kind import Frame, FrameKind, as_kind
from accuracy_assay.runtime.arrays import BoolArray, IntArray

__all__ = [
    "EVERYTHING",
    "MAY",
    "MAY_NOT",
    "REST",
    "STATEMENTS",
    "UNSURE",
    "Certificate",
    "CertifiedSlice",
    "Decision",
    "Statement",
    "Support",
]

Statement: TypeAlias = Literal["level", "decisions"]
STATEMENTS: tuple[Statement, ...] = get_args(Statement)
Decision: TypeAlias = Literal["may decide", "may not", "not enough labels"]
MAY: Decision = "may decide"
MAY_NOT: Decision = "may not"
UNSURE: Decision = "not enough labels"
EVERYTHING, REST = "everything", "everything else"
_SHOWN = 5
"""New values that an error names."""


@dataclass(frozen=True)
class CertifiedSlice:
    """What is certified of one slice.

    Parameters
    ----------
    where
        Values of attributes, without that of the service.
    service
        The service whose answers these are; None for those of all.
    verdict
        ``"may decide"``, ``"may not"`` or ``"not enough labels"``.
    difference, lower, upper
        Judge minus people in this slice, and its interval; of a certificate of decisions, the
        share of decisions that differ.
    chance
        Posterior probability that the difference is within the tolerance.
    judge, people
        What the judge's figure is, and what that of people is estimated to be.
    labels, rows
        Blind labels of people, and rows, in this slice.
    labels_needed
        About how many more labels here would settle the verdict, if the difference is what it
        seems; 0 where it is settled, None where no number would do.
    name
        The slice in words, for "everything" and "everything else".
    because
        The refused slice whose rows make this one differ; it then takes the right from no row.
    """

    where: Mapping[str, Value]
    service: str | None
    verdict: Decision
    difference: float
    lower: float
    upper: float
    chance: float
    judge: float
    people: float
    labels: int
    rows: int
    labels_needed: int | None
    name: str = ""
    because: str = ""

    @property
    def slice(self) -> str:
        """The slice in words, without the service."""
        return self.name or " and ".join(f"{k} = {v}" for k, v in self.where.items()) or EVERYTHING

    @property
    def place(self) -> str:
        """The slice in words."""
        if self.service is None:
            return self.slice
        return f"{self.service}" if self.slice == EVERYTHING else f"{self.slice} of {self.service}"


@dataclass(frozen=True)
class Support:
    """What labels have seen of a judge: the range of its scores, or its verdicts.

    ``outside`` is the share of rows beyond that.
    """

    low: float | None = None
    high: float | None = None
    outside: float = 0.0

    def is_beyond(self, scores: pl.Series) -> BoolArray:
        """Return which scores no label is like; 0 and 1 are verdicts, between which nothing is."""
        if self.low is None or self.high is None:
            return np.ones(scores.len(), dtype=bool)
        return is_outside(scores, pl.Series([self.low, self.high]))


@dataclass(frozen=True)
class Certificate:
    """Where a judge may decide in place of people.

    Parameters
    ----------
    judge
        Name of the judge's column.
    statement
        What is certified: ``"level"``, its figure is within ``tolerance`` of that of people; or
        ``"decisions"``, it passes and fails what people would but for a share of ``tolerance``.
    tolerance
        The most that the difference may be.
    confidence
        Probability that decides; 1 - confidence is also the mean posterior error over the slices
        that are certified, and over those that are refused.
    slices
        Everything, then everything else if some slices are refused, then the other slices, the
        refused ones first, large ones before
        small ones.
    space
        The attributes and their values, the service among them.
    service
        Name of the service's column; None if rows name none.
    services
        Services whose answers people labelled.
    unlabelled
        Values of attributes, and services, that no blind label has.
    support
        The scores that labels have seen.
    threshold
        Score from which on the judge, and people, pass an answer.
    labels
        Blind labels of people.
    left_out
        How many labels were left out, by why.
    is_blind
        Whether a column said which labels were given blind.
    rows, decided, labels_saved
        Rows that the certificate is about, those of them that the judge may decide, and those of
        these that people have not labelled.
    about
        "of these rows" or "of rows like these".
    settings
        What the judge is: version, prompt and whatever else it depends on.
    passes
        Verdicts of the judge that pass an answer, where its column holds texts.
    made, version, signed_off_by
        The date, the version of this package, and who takes responsibility.
    frames
        What tables are returned as.

    Examples
    --------
    >>> from accuracy_assay.study.judges.certify import certify
    >>> rng = np.random.default_rng(0)
    >>> right = rng.random(900) < 0.7
    >>> topic = rng.choice(["art", "law"], 900)
    >>> said = np.where(topic == "law", True, right)
    >>> rows = pl.DataFrame({"topic": topic, "right": right, "llm": said})
    >>> found = certify(rows, ["topic"], "right", judge="llm", tolerance=0.05)
    >>> found.to_frame().select("slice", "verdict").rows()[:2]
    [('everything', 'may not'), ('everything else', 'may decide')]
    """

    judge: str
    statement: Statement
    tolerance: float
    confidence: float
    slices: tuple[CertifiedSlice, ...]
    space: AttributeSpace
    service: str | None
    services: tuple[str, ...]
    unlabelled: tuple[str, ...]
    support: Support
    threshold: float
    labels: int
    left_out: Mapping[str, int]
    is_blind: bool
    rows: int
    about: str
    settings: Mapping[str, str]
    passes: tuple[str, ...]
    made: str
    version: str
    signed_off_by: str | None = None
    decided: int = 0
    labels_saved: int = 0
    frames: FrameKind = "polars"
    _to_label: Callable[[int], pl.DataFrame] | None = field(
        default=None, compare=False, repr=False
    )

    @property
    def whole(self) -> CertifiedSlice:
        """What is certified of everything."""
        return self.slices[0]

    @property
    def rest(self) -> CertifiedSlice | None:
        """What is certified of everything that no refused slice has; None if nothing is left."""
        if not self.refused:
            return self.whole
        return next((each for each in self.slices if each.name == REST), None)

    @property
    def verdict(self) -> Decision:
        """The verdict on everything."""
        return self.whole.verdict

    @cached_property
    def refused(self) -> tuple[CertifiedSlice, ...]:
        """Slices in which the judge may not decide by rows of their own, everything aside."""
        own = (s for s in self.slices if not s.name and not s.because)
        return tuple(s for s in own if s.verdict == MAY_NOT)

    @cached_property
    def widest_refused(self) -> tuple[CertifiedSlice, ...]:
        """The refused slices that lie in no other refused slice."""

        def values(each: CertifiedSlice) -> set[tuple[str, object]]:
            own: set[tuple[str, object]] = set(each.where.items())
            return own if each.service is None else own | {("", each.service)}

        return tuple(
            s for s in self.refused if not any(values(o) < values(s) for o in self.refused)
        )

    @cached_property
    def certified(self) -> tuple[CertifiedSlice, ...]:
        """Slices in which it may, by their own labels."""
        return tuple(s for s in self.slices if not s.name and s.verdict == MAY)

    def to_frame(self) -> Frame:
        """Return one row per slice.

        ``slice``, ``service``, ``verdict``, ``difference`` (judge minus people) with ``lower`` and
        ``upper``, ``labels``, ``labels_needed``, ``rows``, ``judge``, ``people``, ``chance`` and
        ``because``, the refused slice that makes this one differ.
        """
        names = ("slice", "service", "verdict", "difference", "lower", "upper", "labels")
        more = ("labels_needed", "rows", "judge", "people", "chance", "because")
        texts = dict.fromkeys(("slice", "service", "verdict", "because"), pl.String)
        counts = dict.fromkeys(("labels", "labels_needed", "rows"), pl.Int64)
        kinds = {name: (texts | counts).get(name, pl.Float64) for name in (*names, *more)}
        table = pl.DataFrame(
            {name: [getattr(s, name) for s in self.slices] for name in kinds}, schema=kinds
        )
        return as_kind(table, self.frames)

    def rows_to_label(self, n: int) -> Frame:
        """Return unlabelled rows whose labels would settle most, at most n of them.

        First rows of values that no label has, then those of the slices that need the fewest.
        The column ``settles`` says what a row is for.

        Raises
        ------
        InputError
            If the certificate was loaded, or every row has a label.
        """
        if self._to_label is None:
            raise InputError(
                "rows to label must come from a certificate of this process; got one from a "
                "file. Certify again."
            )
        return as_kind(self._to_label(n), self.frames)

    def decides(self, table: pl.DataFrame, scores: pl.Series, *, by_slice: bool) -> BoolArray:
        """Return in which rows the judge may decide.

        Parameters
        ----------
        table
            Rows with the columns of the attributes and the service.
        scores
            The judge's score of each, null where it has none.
        by_slice
            Whether slices are asked about: then the right comes from a certified slice alone.

        Raises
        ------
        InputError
            If rows have values or services that no label had.
        """
        return self.allows(self._codes(table), scores, by_slice=by_slice)

    def allows(self, codes: IntArray, scores: pl.Series, *, by_slice: bool) -> BoolArray:
        """Return the same for rows with these codes (n, K), whose values have labels."""
        allowed = np.zeros(codes.shape[0], dtype=bool)
        rest = self.rest
        if not by_slice and rest is not None and rest.verdict == MAY:
            allowed[:] = True
        for each in self.certified:
            allowed |= self._has(codes, each)
        for each in self.refused:
            allowed &= ~self._has(codes, each)
        known = scores.is_not_null().to_numpy()
        return np.asarray(allowed & known & ~self.support.is_beyond(scores.fill_null(0.0)))

    def values_of(self, each: CertifiedSlice) -> dict[str, Value]:
        """Return the values of a slice, with that of the service."""
        if each.service is None or self.service is None:
            return dict(each.where)
        return {**each.where, self.service: each.service}

    def members(self, table: pl.DataFrame, each: CertifiedSlice) -> BoolArray:
        """Return which rows of a table are in a slice, (n,)."""
        return self._has(self._codes(table), each)

    def _codes(self, table: pl.DataFrame) -> IntArray:
        """Return the codes of rows, whose values must all have labels."""
        names = self.space.names
        if lacking := [name for name in names if name not in table.columns]:
            raise InputError(
                f"rows must have the columns of the judge's certificate {list(names)}; got none "
                f"named {lacking[0]!r}."
            )
        for attribute in self.space.attributes:
            values = table.get_column(attribute.name).unique().drop_nulls().to_list()
            if new := sorted(str(v) for v in values if not self._is_labelled(attribute, v)):
                what = "services" if attribute.name == self.service else attribute.name
                raise InputError(
                    f"{what} must be among those that the certificate of judge {self.judge!r} has "
                    f"labels of; got {', '.join(new[:_SHOWN])}. Label some of their rows and "
                    "certify again."
                )
        return self.space.encode(table)

    def _is_labelled(self, attribute: Attribute, value: object) -> bool:
        try:
            known = attribute.values[attribute.code(value)]
        except InputError:
            return False
        return f"{attribute.name} = {known}" not in self.unlabelled

    def _has(self, codes: IntArray, each: CertifiedSlice) -> BoolArray:
        found = np.ones(codes.shape[0], dtype=bool)
        where = self.values_of(each)
        for k, attribute in enumerate(self.space.attributes):
            if attribute.name in where:
                found &= codes[:, k] == attribute.code(where[attribute.name])
        return found

    def expired(
        self, settings: Mapping[str, str] | None, services: Sequence[str] = ()
    ) -> list[str]:
        """Return why the certificate no longer holds, a line per reason; empty if it does.

        Parameters
        ----------
        settings
            What the judge is now, as in ``certify``.
        services
            Services whose answers it shall judge now.
        """
        why = []
        now = {} if settings is None else dict(settings)
        if self.settings and settings is None:
            why.append(
                "it was made for a judge with the settings "
                f"{', '.join(sorted(self.settings))}, and nothing says what they are now"
            )
        for name in sorted({*self.settings, *now} if settings is not None else ()):
            was, is_now = self.settings.get(name), now.get(name)
            if was != is_now:
                said = ["not set" if v is None else repr(v) for v in (was, is_now)]
                why.append(f"the judge's {name} was {said[0]} and is {said[1]}")
        if other := [each for each in services if self.services and each not in self.services]:
            why.append(
                f"it is about answers of {', '.join(self.services)}, not of {', '.join(other)}"
            )
        return why

    def saves(self, label_price: float, judge_price: float) -> float:
        """Return what it costs less to let the judge decide where it may than to ask people.

        The labels so far are paid for either way.

        Parameters
        ----------
        label_price, judge_price
            What a label of a person and a verdict of the judge cost. The judge is paid for every
            row, people for those that it may not decide.
        """
        return self.labels_saved * label_price - self.rows * judge_price

    def report(self, path: str | Path, saved: float | None = None) -> Path:
        """Write an HTML page that stands alone: what the judge says against what people say.

        Parameters
        ----------
        path
            The page.
        saved
            What the judge saves in money, from `saves`.
        """
        from accuracy_assay.reports.certificate_page import write_certificate_page

        return write_certificate_page(self, path, saved)

    def remarks(self) -> list[str]:
        """Return what to know about the certificate, a line each, the verdict first."""
        from accuracy_assay.reports.certificate_words import certificate_words

        return certificate_words(self)

    def save(self, path: str | Path) -> None:
        """Write the certificate to a JSON file, with its provenance and a digest of it all."""
        from accuracy_assay.reports.certificate_file import write_certificate

        write_certificate(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate that `save` wrote; one that was changed since is refused."""
        from accuracy_assay.reports.certificate_file import read_certificate

        return read_certificate(path)

    def __str__(self) -> str:
        return "\n".join(self.remarks())
