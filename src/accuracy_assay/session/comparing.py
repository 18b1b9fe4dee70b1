"""The services of a session side by side, from the labels that scored them all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.session.fits import Fit, Fits
from accuracy_assay.session.service_problem import answers_of
from accuracy_assay.session.snapshots import Snapshot
from accuracy_assay.spec.model import ServiceSection, Spec
from accuracy_assay.study.compare.answers import answer_codes
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.study.compare.differences import SharedErrors
from accuracy_assay.study.compare.paired_tables import OnService
from accuracy_assay.study.compare.prices import check_prices
from accuracy_assay.study.compare.responses import Responses, pool_rates
from accuracy_assay.study.compare.shared_labels import KnownAnswers, SharedLabels

__all__ = ["compare_services", "prices_of"]


def compare_services(
    fits: Fits,
    services: Sequence[ServiceSection],
    prices: Mapping[str, float] | None = None,
    on_service: OnService | None = None,
) -> Comparison:
    """Return services of a session side by side, over the pool as it is.

    Accuracies are those of the services' surfaces; nothing is fitted beside them. Where an
    attribute is the label, differences are as unsure as if each service had its own labels: what
    a label says of a class goes by each service's own mistakes.

    Parameters
    ----------
    fits
        Surfaces of the services, and what they rest on.
    services
        Two or more.
    prices
        What one answer of each costs; by default what the spec says.
    on_service
        Told how many services have their surface.

    Raises
    ------
    InputError
        If there are fewer than two services, or one has not answered a labelled instance.
    """
    names = [service.name for service in services]
    if len(set(names)) < max(len(names), 2):
        raise InputError(f"services must be two or more different ones; got {names}.")
    spec, made = fits.snapshots.spec, []
    costs = prices_of(spec, services) if prices is None else prices
    check_prices(costs, names)
    for done, service in enumerate(services, start=1):
        made.append(fits.cold(service))
        if on_service is not None:
            on_service(done, len(services))
    surfaces = {fit.solved.service.name: fit.shown for fit in made}
    joint = made[0].joint
    shared: SharedErrors | None = None
    if joint is not None and all(fit.joint is joint for fit in made):
        shared = joint.shared(surfaces) if made[0].labelled else None
    elif all(fit.solved.label is None for fit in made):
        shared = _shared(fits, made, [fits.snapshots.take(service) for service in services])
    weight = made[0].shown.weights()
    return Comparison(surfaces, weight, costs, shared, spec.assay.seed)


def prices_of(spec: Spec, services: Sequence[ServiceSection]) -> dict[str, float]:
    """Return the prices in the spec; none where no service has one."""
    costs = {s.name: float(s.price) for s in spec.service if s in services}
    return costs if any(costs.values()) else {}


def _shared(fits: Fits, made: Sequence[Fit], seen: Sequence[Snapshot]) -> SharedLabels:
    """Return what the labels and the answers say about all services together."""
    # Another session may tell between two looks: what all of them saw is compared.
    common = sorted(
        set.intersection(
            *(set(f.labelled) & set(s.labels) for f, s in zip(made, seen, strict=True))
        )
    )
    responses, scores, is_certain = [], [], True
    for fit, known in zip(made, seen, strict=True):
        problem, places = fit.solved.problem, fit.solved.places(common)
        arms = problem.arms.labelled(places, fit.solved.known_codes(common, known.labels))
        cells = problem.cells(places, arms)
        responses.append(Responses.of(fit.surface, cells, problem.support.n_strata))
        soft = known.soft_scores(fit.solved, common)
        known_scores = fit.solved.scores(common, known.labels, known.predictions)
        scores.append(known_scores if soft is None else soft.score)
        is_certain &= soft is None
    index = np.asarray(common, dtype=np.int64)
    answers = _answers(fits, made, index)
    if answers is not None and not is_certain:  # then labelled rows bound no difference
        answers = replace(answers, is_counted=False)
    return SharedLabels(tuple(responses), np.stack(scores, axis=1), answers)


def _answers(fits: Fits, made: Sequence[Fit], labelled: IntArray) -> KnownAnswers | None:
    """Return what all services answered to every row; None if one has not answered them all."""
    snapshots = fits.snapshots
    said = snapshots.by_service()
    ids = snapshots.rows.ids
    every = [said[fit.solved.service.name] for fit in made]
    if any(len(answers) < len(ids) for answers in every):
        return None
    agreement = snapshots.spec.label.agreement
    codes = answer_codes([answers_of(answers, snapshots.rows) for answers in every], agreement)
    pool = np.arange(snapshots.rows.n_pool)
    rates = [
        pool_rates(fit.surface, fit.solved.problem.candidate.take(fit.solved.places(pool)), n)
        for fit in made
        for n in [fit.solved.problem.support.n_strata]
    ]
    surface: AccuracySurface = made[0].surface
    problem = made[0].solved.problem
    arms = problem.arms.candidate.take(made[0].solved.places(pool))
    return KnownAnswers(
        codes[labelled],
        codes[pool],
        np.searchsorted(surface.arms, arms.argmax()),
        np.stack(rates, axis=1),
        surface.support,
        is_exclusive=agreement == "equal",
        is_counted=arms.is_exact and surface.details.get("target") == "pool",
    )
