"""``simulate``: the whole loop of an assay, replayed against known labels.

The rows are the pool; their scores are hidden until the loop asks for them. It starts with a seed
set of rows with gold attributes. In each round the estimator fits, the strategy chooses a batch,
and the labels of that batch are revealed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.agreement import Agreement, check_scores
from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.label_attribute import LabelAttribute
from accuracy_assay.domain.label_surface import LabelledClasses, surface_by_label
from accuracy_assay.domain.missing_answers import MissingAnswers, MissingPrediction
from accuracy_assay.domain.question import check_confirm_prices, confirm_price_columns
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.exploration.goals import GoalName
from accuracy_assay.files.frame_kind import kind_of
from accuracy_assay.files.tables import Rows
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.labels_to_halve import labels_to_halve
from accuracy_assay.metrics.scores import evaluate
from accuracy_assay.protocols import Calibrator, Estimator, Strategy
from accuracy_assay.registry import (
    CalibratorChoice,
    EstimatorChoice,
    StrategyChoice,
    build_calibrator,
    build_estimator,
    build_strategy_for,
    settings_of,
)
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.runtime.whole_number import whole_number
from accuracy_assay.study.fit import start_embedding
from accuracy_assay.study.history import History, rounds_frame
from accuracy_assay.study.read.annotations import condense_answers
from accuracy_assay.study.read.arms import Arms, learn_calibration
from accuracy_assay.study.read.how import Target, check_target
from accuracy_assay.study.read.label_tables import label_in
from accuracy_assay.study.read.problem import Problem
from accuracy_assay.study.read.spaces import resolve_space
from accuracy_assay.study.read.tables import (
    cluster_column,
    divide,
    read_tables,
)
from accuracy_assay.study.read.texts import derive_texts

__all__ = ["simulate"]

OnRound = Callable[[Mapping[str, float]], None]

_PICKS: dict[str, Any] = {
    "round": pl.Int64,
    "row": pl.Int64,
    "probability": pl.Float64,
    "reason": pl.String,
    "at_random": pl.Boolean,
    "confirm": pl.List(pl.String),
    "price": pl.Float64,
}
_ROUNDING = 1e-9
"""Of prices that are added up."""


def simulate(
    rows: Rows,
    attributes: Sequence[AnyAttribute] | Columns,
    score: str | None = None,
    *,
    signals: Sequence[str] | None = None,
    referees: Sequence[str] | None = None,
    judges: Sequence[str] | None = None,
    history: Sequence[str] | None = None,
    answer_form: bool = False,
    cluster: str | None = None,
    evidence: Mapping[str, str] | None = None,
    estimator: EstimatorChoice = "anova-gp",
    strategy: StrategyChoice = "variance-reduction",
    goal: GoalName | None = None,
    mix: Rows = None,
    calibration: CalibratorChoice = "full",
    seed_size: int = 500,
    budget: int = 1000,
    batch: int = 12,
    seed: int = 0,
    y_true: str | None = None,
    y_pred: str | None = None,
    agreement: str | Agreement = "equal",
    missing_prediction: MissingPrediction = "wrong",
    from_label: Sequence[str] = (),
    confirmed_attributes: Sequence[str] = (),
    confirm_prices: Mapping[str, float] | None = None,
    target: Target = "pool",
    prior_strength: float = 0.1,
    on_round: OnRound | None = None,
    id: str | None = None,
    random_share: float | None = None,
    annotator: str | None = None,
    gold: str | None = None,
) -> History:
    """Replay an assay against known labels, for benchmarks and planning.

    Parameters
    ----------
    rows, attributes, score, y_true, y_pred, agreement, missing_prediction, cluster
        As in ``estimate``; every row has its score.
    signals, referees, judges, history, answer_form
        As in ``estimate``.
    evidence
        As in ``estimate``. The gold in the attribute's own column is seen only for the seed set
        and by the metrics.
    from_label
        Attributes that are known once a row is labelled.
    confirmed_attributes
        Guessed attributes that the annotator confirms with a label, as in ``Assay.tell``; the
        row's gold is known from then on.
    confirm_prices
        Guessed attributes that may be confirmed with a label, and what each costs, in labels. The
        strategy chooses which are worth it, row by row, and the budget pays for them.
    estimator, strategy, calibration
        As in ``estimate``: names, ``module:Class``, tables of settings, or objects.
    goal
        What labels are chosen for: ``overall``, ``surface`` (the default), ``worst``, ``mix``,
        or ``compare`` where ``referees`` are given.
    mix
        For the goal ``mix``, a table as ``AccuracySurface.under`` takes it.
    seed_size
        Rows with gold attributes and labels at the start, drawn with the seed.
    budget, batch
        Labels that may be asked for after the seed set, and how many per round.
    seed
        Seed of all randomness. Methods with the same seed share their seed set.
    target, prior_strength, id
        As in ``estimate``.
    annotator, gold
        As in ``estimate``; every item has gold, which is revealed as its label, and what people
        answered is known from the start.
    on_round
        Called with each round's metrics, for progress bars.
    random_share
        Least share of all labels that are drawn at random, as in a spec: by default a tenth where
        the strategy can draw. The seed set is drawn at random, so that picks are only once it is
        less than this share.

    Returns
    -------
    History
    """
    check_target(target)
    fitted_by = build_estimator(estimator)
    chosen_by = build_strategy_for(strategy, goal=goal, mix=mix, random_share=random_share)
    columns = Columns.of(
        attributes,
        score=score,
        y_true=y_true,
        y_pred=y_pred,
        agreement=agreement,
        missing_prediction=missing_prediction,
        signals=signals,
        referees=referees,
        judges=judges,
        history=history,
        answer_form=answer_form,
        cluster=cluster,
        evidence=evidence,
        from_label=from_label,
        id=id,
        annotator=annotator,
        gold=gold,
    )
    if goal == "compare" and not columns.referees:
        raise InputError(
            "the goal 'compare' must have referees, the answers of others; got none. Name their "
            "columns as referees."
        )
    prices = check_confirm_prices(confirm_prices or {}, columns.evidence, confirmed_attributes)
    truth = _KnownRows.read(columns, rows, tuple(confirmed_attributes))
    seed_size = whole_number(seed_size, "seed_size", most=truth.n_rows)
    budget, batch = whole_number(budget, "budget"), whole_number(batch, "batch", least=1)
    seed = whole_number(seed, "seed")
    streams = np.random.default_rng(seed).spawn(4)
    seed_rows = streams[0].permutation(truth.n_rows)[:seed_size].astype(np.int64)
    problem = truth.problem(seed_rows, build_calibrator(calibration), streams[1], target)
    loop = _Loop(
        truth,
        problem,
        truth.revealed(problem.arms),
        start_embedding(fitted_by, problem.arms.calibration),
        chosen_by,
        _without_draws(strategy, chosen_by),
        prior_strength,
        seed,
        confirm_price_columns(truth.space.names, prices),
    )
    played = loop.run(seed_rows, budget, batch, streams[2], streams[3], on_round)
    if truth.missing is not None:
        shown = played.surface.with_details(**truth.missing.details)
        played = replace(played, surface=shown)
    return played.in_frames(kind_of(rows))


@dataclass(frozen=True)
class _KnownRows:
    """A pool with known truth: what the loop may see, and what it may not.

    ``codes`` (n, K) are the gold attributes and ``scores`` (n,) the gold agreement of every row;
    ``revealing`` names the attributes whose gold is known once a row is labelled. If one is the
    label, ``by_label`` is that attribute with the class of every row, and all else is over
    predictions. ``missing`` counts rows without an answer, if that decides their score.
    """

    space: AttributeSpace
    strata: AttributeSpace | None
    stratum: IntArray | None
    codes: IntArray
    scores: FloatArray
    evidence: Evidence
    revealing: tuple[str, ...]
    by_label: tuple[LabelAttribute, IntArray] | None = None
    missing: MissingAnswers | None = None

    @property
    def n_rows(self) -> int:
        return int(self.scores.size)

    @classmethod
    def read(cls, columns: Columns, rows: Rows, confirmed: tuple[str, ...]) -> _KnownRows:
        columns, rows, _ = derive_texts(columns, rows)
        columns, rows, *_ = condense_answers(columns, rows, is_replay=True)
        for name in (*columns.evidence, *columns.from_label):
            if name not in columns.names:
                raise UnknownNameError("attribute", name, columns.names)
        _require_guessed(confirmed, columns.evidence)
        tables = read_tables(columns, rows, has_all_labels=True)
        frame = tables.labelled
        space = resolve_space(columns.attributes, frame)
        codes = space.encode(frame)
        clusters = cluster_column(columns.cluster, frame)
        evidence = Evidence.exact(space, codes)
        if columns.evidence or columns.from_label:
            from_label = columns.from_label
            evidence = Evidence.from_frame(frame, space, columns.evidence, from_label=from_label)
        scores = check_scores(tables.scores.to_numpy())
        revealing, by_label = (*columns.from_label, *confirmed), None
        label = label_in(columns, space, frame, scores)
        if label is not None and columns.y_pred is not None:
            predicted = label.codes(frame.get_column(columns.y_pred))
            space, revealing, by_label = label.observed, confirmed, (label, codes[:, label.column])
            evidence, codes = label.evidence(evidence, predicted), label.gold(codes, predicted)
        strata = divide([frame], columns.signal_columns, clusters)
        return cls(space, *strata, codes, scores, evidence, revealing, by_label, tables.missing)

    @property
    def gold(self) -> Gold:
        """The true accuracy of every arm of the surface."""
        space, codes = self.space, self.codes
        if self.by_label is not None:
            label, classes = self.by_label
            space, codes = label.space, label.gold(codes, classes)
        return Gold.count(space.arm_index(codes), self.scores)

    def shown(
        self,
        fitted: AccuracySurface,
        problem: Problem,
        arms: Affiliation,
        rows: IntArray,
        seed: int,
    ) -> AccuracySurface:
        """Return the surface that was asked for, given the one fitted to labelled rows."""
        if self.by_label is None:
            return fitted
        label, classes = self.by_label
        known = LabelledClasses(arms, classes[rows], problem.blur)
        return surface_by_label(fitted, label, known, np.random.default_rng([seed, 6]))

    def problem(
        self,
        seed_rows: IntArray,
        calibrator: Calibrator,
        rng: np.random.Generator,
        target: Target,
    ) -> Problem:
        """Return the problem, which sees only the seed set's gold attributes."""
        gold = np.full(self.codes.shape, -1, dtype=np.int64)
        gold[seed_rows] = self.codes[seed_rows]
        arms = Arms.read(
            self.evidence,
            gold,
            self.n_rows,
            lambda: learn_calibration(
                calibrator, self.evidence, gold, self.n_rows, seed_rows, rng
            ),
        )
        return Problem.build(arms, self.strata, self.stratum, is_pool=target == "pool")

    @property
    def is_revealed(self) -> BoolArray:
        """Which attributes a label reveals, (K,)."""
        return np.isin(self.space.names, self.revealing)

    def revealed(self, arms: Arms) -> Affiliation:
        """Return the arms of every row once it is labelled."""
        if not self.revealing:
            return arms.candidate
        return arms.labelled(known=np.where(self.is_revealed, self.codes, -1))


@dataclass(frozen=True)
class _Loop:
    """Algorithm 1 of the paper with any estimator and strategy in it.

    ``undrawn`` is the strategy without random picks, while the seed set has more than their share.
    """

    truth: _KnownRows
    problem: Problem
    labelled: Affiliation
    estimator: Estimator
    strategy: Strategy
    undrawn: Strategy
    prior_strength: float
    seed: int
    confirm_price: FloatArray | None = None

    def run(
        self,
        seed_rows: IntArray,
        budget: int,
        batch: int,
        fit_rng: np.random.Generator,
        choice_rng: np.random.Generator,
        on_round: OnRound | None,
    ) -> History:
        gold = self.truth.gold
        is_labelled = np.zeros(self.truth.n_rows, dtype=bool)
        is_labelled[seed_rows] = True
        fitted: AccuracySurface | None = None
        metrics: list[dict[str, Any]] = []
        picks: list[pl.DataFrame] = []
        spent, n_random = 0.0, seed_rows.size
        confirmed = np.zeros(self.truth.codes.shape, dtype=bool)
        while True:
            started = time.perf_counter()
            problem = self._problem(is_labelled)
            labelled = np.flatnonzero(is_labelled)
            arms = self._arms(labelled, confirmed)
            observed = problem.observe(
                labelled, self.truth.scores[labelled], arms, prior_strength=self.prior_strength
            )
            fitted = self.estimator.fit(observed, fit_rng, fitted)
            surface = self.truth.shown(fitted, problem, arms, labelled, self.seed)
            record = {
                "round": len(metrics),
                "labels": int(is_labelled.sum()),
                **asdict(evaluate(surface, gold)),
                "expected_macro_mse": surface.expected_macro_mse,
            }
            record["labels_to_halve"] = _forecast([*metrics, record], self.strategy.is_random)
            count = min(batch, int(budget - spent + _ROUNDING), int((~is_labelled).sum()))
            if count > 0:
                strategy = self._strategy(n_random, int(is_labelled.sum()) + count)
                picked = self._ask(
                    strategy, problem, fitted, is_labelled, count, choice_rng, len(metrics) + 1
                )
                picked = picked.filter(picked["price"].cum_sum() <= budget - spent + _ROUNDING)
                n_random += int(picked.get_column("at_random").sum())
                count = picked.height  # the loop ends if nothing is worth a label
                rows = picked.get_column("row").to_numpy()
                is_labelled[rows] = True
                for row, names in zip(rows, picked.get_column("confirm"), strict=True):
                    confirmed[row, [self.truth.space.names.index(name) for name in names]] = True
                picks.append(picked)
                spent += float(picked.get_column("price").sum())
            metrics.append(record | {"seconds": time.perf_counter() - started})
            if on_round is not None:
                on_round(metrics[-1])
            if count <= 0:
                break
        return History(rounds_frame(metrics), surface, _join_picks(picks), seed_rows)

    def _problem(self, is_labelled: BoolArray) -> Problem:
        """Return the problem with as many signals as its labels support."""
        rows = np.flatnonzero(is_labelled)
        return self.problem.condensed(rows, self.truth.scores[rows])

    def _arms(self, rows: IntArray, confirmed: BoolArray) -> Affiliation:
        """Return the arms of labelled rows, given what was confirmed of each, (n, K)."""
        if self.confirm_price is None:
            return self.labelled.take(rows)
        is_known = confirmed[rows] | self.truth.is_revealed
        known = np.where(is_known, self.truth.codes[rows], -1)
        return self.problem.arms.labelled(rows, known)

    def _strategy(self, n_random: int, n_labels: int) -> Strategy:
        """Return the strategy for labels of which so many are random: draws if these are few."""
        share = getattr(self.strategy, "random_share", 0.0)
        return self.strategy if n_random < share * n_labels else self.undrawn

    def _ask(
        self,
        strategy: Strategy,
        problem: Problem,
        surface: AccuracySurface,
        is_labelled: BoolArray,
        count: int,
        rng: np.random.Generator,
        round_number: int,
    ) -> pl.DataFrame:
        free = np.flatnonzero(~is_labelled)
        candidates = replace(problem.candidates(free), confirm_price=self.confirm_price)
        choice = strategy.choose(surface, candidates, count, rng)
        is_chosen = np.zeros(choice.positions.size, dtype=bool)
        confirm = choice.confirm or ((),) * choice.positions.size
        price = np.zeros(0) if self.confirm_price is None else self.confirm_price
        return pl.DataFrame(
            {
                "round": np.full(choice.positions.size, round_number),
                "row": free[choice.positions],
                "probability": choice.probability,
                "reason": list(choice.reason),
                "at_random": is_chosen if choice.at_random is None else choice.at_random,
                "confirm": [[self.truth.space.names[k] for k in at] for at in confirm],
                "price": [1.0 + float(price[list(at)].sum()) for at in confirm],
            },
            schema=_PICKS,
        )


def _without_draws(choice: StrategyChoice, built: Strategy) -> Strategy:
    """Return the strategy without random picks, unless somebody set their share in it."""
    if not isinstance(choice, str | Mapping) or "random_share" in choice:
        return built
    has_share = "random_share" in settings_of("strategy", choice)
    return replace(built, random_share=0.0) if has_share else built  # type: ignore[type-var]


def _require_guessed(confirmed: Sequence[str], evidence: Mapping[str, str]) -> None:
    for name in confirmed:
        if name not in evidence:
            raise InputError(
                "confirmed_attributes must be guessed attributes "
                f"({', '.join(map(repr, evidence)) or 'none are'}); got {name!r}. Attributes that "
                "the label reveals go into from_label."
            )


def _forecast(metrics: list[dict[str, Any]], is_random: bool) -> float | None:
    expecting = [row for row in metrics if row["expected_macro_mse"] is not None]
    expected = [row["expected_macro_mse"] for row in expecting]
    labels = [row["labels"] for row in expecting]
    return labels_to_halve(labels, expected, is_random=is_random)


def _join_picks(picks: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(picks) if picks else pl.DataFrame(schema=_PICKS)
