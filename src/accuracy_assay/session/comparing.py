"""The services of a session side by side, from the labels that scored them all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import normal_text
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.session.fits import Fits
from accuracy_assay.session.service_problem import Predictions
from accuracy_assay.session.snapshots import Snapshot
from accuracy_assay.spec.model import ServiceSection, Spec
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.study.compare.pair import Pair, differing_answers, sides_taken
from accuracy_assay.study.compare.paired_fit import PairedFit, differences_of
from accuracy_assay.study.fit import start_embedding

__all__ = ["compare_services", "prices_of"]


def compare_services(
    fits: Fits, services: Sequence[ServiceSection], prices: Mapping[str, float] | None = None
) -> Comparison:
    """Return services of a session side by side, over the pool as it is.

    Parameters
    ----------
    fits
        Surfaces of the services, and what they rest on.
    services
        Two or more.
    prices
        What one answer of each costs; by default what the spec says.

    Raises
    ------
    InputError
        If there are fewer than two services, or one has not answered a labelled instance.
    """
    names = [service.name for service in services]
    if len(set(names)) < max(len(names), 2):
        raise InputError(f"services must be two or more different ones; got {names}.")
    spec = fits.snapshots.spec
    surfaces = {service.name: fits.surface(service) for service in services}
    surface = next(iter(surfaces.values()))
    labels = _Labels.take(fits, services)
    fit = _paired_fit(fits)
    pairs = {
        (a, b): differences_of(labels.pair(a, b), fit, surface, labels.arms)
        for a, b in combinations(names, 2)
    }
    costs = prices_of(spec, services) if prices is None else prices
    return Comparison(surfaces, pairs, surface.weights(), costs, seed=spec.assay.seed)


def prices_of(spec: Spec, services: Sequence[ServiceSection]) -> dict[str, float]:
    """Return the prices in the spec; none where no service has one."""
    costs = {s.name: float(s.price) for s in spec.service if s in services}
    return costs if any(costs.values()) else {}


@dataclass(frozen=True, eq=False)
class _Labels:
    """The labelled rows, their arms, what every service scored there and answered everywhere.

    ``answers`` are of services that have answered every row.
    """

    spec: Spec
    n_rows: int
    rows: IntArray
    arms: Affiliation
    scores: Mapping[str, FloatArray]
    answers: Mapping[str, pl.Series]

    @classmethod
    def take(cls, fits: Fits, services: Sequence[ServiceSection]) -> _Labels:
        snapshots = fits.snapshots
        seen = {service.name: snapshots.take(service) for service in services}
        # Another session may tell between two looks: what all of them saw is compared.
        common = sorted(set.intersection(*(set(s.labels) for s in seen.values())))
        index = np.asarray(common, dtype=np.int64)
        first = next(iter(seen.values()))
        known = first.problem.known_codes(common, first.labels)
        ids = snapshots.rows.ids
        return cls(
            snapshots.spec,
            len(ids),
            index,
            snapshots.arms.labelled(index, known),
            {name: _scores(s, common) for name, s in seen.items()},
            {
                name: _answers(made, ids)
                for name, made in snapshots.by_service().items()
                if all(i in made for i in ids)
            },
        )

    def pair(self, first: str, second: str) -> Pair:
        """Return what is known of two services."""
        difference = self.scores[first] - self.scores[second]
        if first not in self.answers or second not in self.answers:
            return Pair(self.rows, difference, np.ones(self.n_rows, dtype=bool))
        own, other = self.answers[first], self.answers[second]
        third = [a for name, a in self.answers.items() if name not in (first, second)]
        agree = self.spec.label.agreement
        return Pair(
            self.rows,
            difference,
            differing_answers(own, other, agree),
            sides_taken(own, other, third) if agree == "equal" and not self._is_guessed else None,
            agree == "equal" and self._has_two_answers(own, other),
        )

    @property
    def _is_guessed(self) -> bool:
        """Whether an arm's signals would be guessed too, and do harm."""
        return any(a.evidence or a.from_label for a in self.spec.attribute)

    def _has_two_answers(self, *answers: pl.Series) -> bool:
        """Return whether there are but two choices and no other answer."""
        choices = {normal_text(choice) for choice in self.spec.label.choices}
        said = {normal_text(text) for column in answers for text in column.unique()}
        return len(choices) == 2 and said <= choices


def _scores(seen: Snapshot, rows: list[int]) -> FloatArray:
    return seen.problem.scores(rows, seen.labels, seen.predictions)


def _answers(made: Predictions, ids: Sequence[str]) -> pl.Series:
    return pl.Series([made[i][0] for i in ids], dtype=pl.String)


def _paired_fit(fits: Fits) -> PairedFit:
    snapshots, spec = fits.snapshots, fits.snapshots.spec
    cluster = spec.pool.cluster
    return PairedFit(
        snapshots.arms,
        start_embedding(fits.estimator, snapshots.arms.calibration),
        spec.assay.seed,
        spec.assay.target == "pool",
        None if cluster is None else snapshots.rows.frame.get_column(cluster),
    )
