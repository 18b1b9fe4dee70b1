"""``compare``: services side by side, from labels that scored them all or from their surfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accuracy_assay.domain.agreement import Agreement
from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.missing_answers import MissingPrediction
from accuracy_assay.domain.surface import AccuracySurface, Estimate
from accuracy_assay.errors import InputError
from accuracy_assay.files.frame_kind import kind_of
from accuracy_assay.files.tables import Rows
from accuracy_assay.registry import EstimatorChoice
from accuracy_assay.study.compare.align import aligned
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.study.compare.joint_tables import JointTables
from accuracy_assay.study.compare.paired_tables import Named, OnService, PairedTables
from accuracy_assay.study.compare.prices import check_prices
from accuracy_assay.study.read.how import How, Target
from accuracy_assay.study.read.open_rows import find_log

__all__ = ["answer", "compare", "compare_surfaces"]


def compare(
    rows: Rows | Mapping[str, AccuracySurface],
    attributes: Sequence[AnyAttribute] | Columns | None = None,
    *,
    services: Named | None = None,
    y_true: str | None = None,
    agreement: str | Agreement = "equal",
    missing_prediction: MissingPrediction = "wrong",
    scores: Named | None = None,
    metric: str | None = None,
    pool: Rows = None,
    cluster: str | None = None,
    where: Mapping[str, object] | None = None,
    mix: Rows | None = None,
    prices: Mapping[str, float] | None = None,
    families: Mapping[str, str] | None = None,
    estimator: EstimatorChoice = "anova-gp",
    seed: int = 0,
    target: Target | None = None,
    on_service: OnService | None = None,
    id: str | None = None,
    annotator: str | None = None,
    gold: str | None = None,
) -> Comparison:
    """Compare services for some arms, a mix, or the pool as it is.

    Accuracies are those of the services' surfaces, and a difference is that of two of them. If the
    same labels score all services of a table, their errors go together, and the interval of a
    difference is mostly far narrower than two accuracies would give. Two versions of one service
    are two services. Surfaces are compared as if they had separate labels.

    Parameters
    ----------
    rows
        Labelled rows, as in ``estimate``; evaluation logs, by path or as an `EvalLog`, all of
        whose services are compared on the items that all were asked; or two or more surfaces by
        the name of their service.
    attributes
        Columns that span the surfaces, by name or as ``Attribute`` values. They must be exact; if
        some are guessed, use an assay (``Assay.compare``).
    services, y_true, agreement
        Columns of the services' answers, of the truth, and how they are compared. A service has
        the name of its column, unless a mapping from names to columns says otherwise.
    missing_prediction
        What a row is to a service that has no answer to it, as in ``estimate``. Rows that are left
        out are those on which any service has no answer, so that all are compared on the same.
    scores
        Instead of those: columns with the score of each service, in [0, 1] or boolean.
    metric
        Which score of a log, if it has several. Of a log, ``services`` are names of services.
    pool
        All rows, including the labelled ones. With ``services`` it must have their answers: rows
        on which two services agree need no label.
    cluster
        Column of rows that belong together, as in ``estimate``.
    where
        Attribute values as in ``AccuracySurface.at``: one value or several per attribute.
    mix
        A client's own attribute mix as in ``AccuracySurface.under``; not with ``where``.
    prices
        What one answer of each service costs, by name; for `Comparison.best_per_arm`.
    families
        Family of each service, by name, such as its maker: services of one family do not judge one
        another's answers. Those not named are on their own.
    estimator, seed, target
        As in ``estimate``.
    on_service
        Called with the number of services that have their surface, and of all.
    id, annotator, gold
        As in ``estimate``, if rows are answers of people: gold is the truth, and what people
        answered a signal of every item; or else what most of them answered is taken for the
        truth, which the surfaces then say.

    Returns
    -------
    Comparison
        A sequence of places, the best first, with `Comparison.better`, `Comparison.ranks` and
        `Comparison.best_per_arm`.

    Raises
    ------
    InputError
        If there are fewer than two services, both ``where`` and ``mix`` are given, a column is
        unknown, or surfaces have unrelated attributes.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.DataFrame({"sex": ["F", "M"] * 40, "good": [1] * 80, "poor": [0, 1] * 40})
    >>> found = compare(rows, ["sex"], scores=["poor", "good"], estimator="beta-independent")
    >>> [place.name for place in found.at(sex="F")]
    ['good', 'poor']
    """
    costs = dict(prices or {})
    if isinstance(rows, Mapping):
        given = {"attributes": attributes, "services": services, "y_true": y_true, "pool": pool}
        given |= {"scores": scores, "cluster": cluster, "target": target, "families": families}
        given |= {"annotator": annotator, "gold": gold, "id": id}
        if beside := [name for name, value in given.items() if value is not None]:
            raise InputError(
                "surfaces must be compared as they are; got columns too. Leave out "
                f"{', '.join(beside)}, or give the labelled rows instead of surfaces."
            )
        return compare_surfaces(rows, costs, seed).asked(where, mix)
    log = find_log(rows) if scores is None and y_true is None else None
    if log is not None:
        from accuracy_assay.study.compare.of_log import compare_log

        how_to = {"pool": pool, "where": where, "mix": mix, "prices": prices, "target": target}
        how_to |= {"estimator": estimator, "seed": seed, "on_service": on_service}
        how_to |= {"agreement": agreement, "missing_prediction": missing_prediction}
        how_to |= {"families": families}
        return compare_log(log, attributes, services, metric, cluster=cluster, **how_to)
    if attributes is None:
        raise InputError("attributes must name at least one column; got none.")
    how = How.of(estimator, seed=seed, target=target, frames=kind_of(rows)).about(pool)
    columns = Columns.of(
        attributes,
        y_true=y_true,
        agreement=agreement,
        missing_prediction=missing_prediction,
        cluster=cluster,
        id=id,
        annotator=annotator,
        gold=gold,
    )
    tables = PairedTables.read(columns, rows, pool, services, scores)
    check_prices(costs, list(tables.scores))  # before a long fit
    of_families = families or {}
    joint = JointTables(tables, of_families)
    if joint.are_fitted_by(how.estimator):
        surfaces, shared = joint.fit(how, on_service)
    else:
        surfaces, shared = tables.one_by_one(how, on_service, of_families)
    weight = next(iter(surfaces.values())).weights()
    return Comparison(surfaces, weight, costs, shared, how.seed).asked(where, mix)


def compare_surfaces(
    surfaces: Mapping[str, AccuracySurface],
    prices: Mapping[str, float] | None = None,
    seed: int = 0,
) -> Comparison:
    """Return surfaces side by side, as if they had separate labels.

    Raises
    ------
    InputError
        If there are fewer than two, or they have unrelated attributes.
    """
    if len(surfaces) < 2:
        raise InputError(f"surfaces must be two or more; got {list(surfaces)}.")
    every = aligned(surfaces)
    weight = next(iter(every.values())).weights()
    return Comparison(every, weight, prices or {}, seed=seed)


def answer(
    surface: AccuracySurface, where: Mapping[str, object] | None = None, mix: Rows | None = None
) -> Estimate:
    """Return the accuracy for attribute values or under a mix; by default of the whole pool.

    Raises
    ------
    InputError
        If both are given, or the surface does not have what they name.
    """
    return surface.average(surface.weights(where, mix))
